import type { ViewSettings } from '../ipc/generated/ViewSettings'
import type { WorthAnswer } from '../ipc/generated/WorthAnswer'
import type { Host } from '../ipc/host'
import { Memo } from './memo'
import { onQuestion } from './question'
import type { Workbench } from './workbench'

/** How long the session rests before the host is asked, milliseconds: the answer takes hundreds of replays. */
const REST_MS = 1500

interface WorthQuestion {
  session: number
  revision: number
  view: ViewSettings
}

/** Asks whether inferred episodes are worth anything on the session that is open. */
export class Worth {
  private readonly memo: Memo<WorthQuestion, WorthAnswer>

  constructor(host: Host, bench: Workbench) {
    this.memo = new Memo<WorthQuestion, WorthAnswer>({
      ask: ({ session, view }) => host.call('worth', { session, view }),
      key: ({ session, revision, view }) => [session, revision, view.branch, view.tokenizer, view.annotation],
      keep: (now, before) => now.session === before.session,
      restMs: REST_MS,
    })
    onQuestion(bench, (question, other) => {
      if (other) this.memo.forget()
      const isInferred = bench.bench.graph?.from.source === 'inferred'
      this.memo.want(isInferred ? question : null)
    })
  }

  get store() {
    return this.memo.store
  }
}

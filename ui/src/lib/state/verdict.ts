import type { VerdictAnswer } from '../ipc/generated/VerdictAnswer'
import type { ViewSettings } from '../ipc/generated/ViewSettings'
import type { Host } from '../ipc/host'
import { USUAL_CACHE, type Comparison } from './comparison'
import { Memo } from './memo'
import { partOf, type Store } from './store'
import type { Workbench } from './workbench'

/** A growing log rests so long before it is judged again, milliseconds: a verdict replays all policies. */
const REST_MS = 1500

interface VerdictQuestion {
  session: number
  revision: number
  view: ViewSettings
}

/** The verdict on the session, for every place that shows it. It is asked while one of them is in view. */
export class SessionVerdict {
  private readonly bench: Workbench
  private readonly comparison: Comparison
  private readonly duel: Pick<Store<{ on: boolean }>, 'get' | 'subscribe'>
  private readonly memo: Memo<VerdictQuestion, VerdictAnswer>

  constructor(
    host: Host,
    bench: Workbench,
    comparison: Comparison,
    duel: Pick<Store<{ on: boolean }>, 'get' | 'subscribe'>,
  ) {
    this.duel = duel
    this.bench = bench
    this.comparison = comparison
    this.memo = new Memo({
      ask: ({ session, view }) => host.call('verdict', { session, view, cache: USUAL_CACHE }),
      // The policy, τ and options of a view take no part in the verdict.
      key: ({ session, revision, view }) => [
        session,
        revision,
        JSON.stringify({ ...view, policy: '', budget: '', options: {} }),
      ],
      keep: (now, before) => now.session === before.session,
      restMs: (now, before) =>
        before?.session === now.session && before.revision !== now.revision ? REST_MS : 0,
    })
    bench.store.subscribe(() => this.refresh())
    comparison.store.subscribe(() => this.refresh())
    partOf(duel, ({ on }) => [on]).subscribe(() => this.refresh())
  }

  get store() {
    return this.memo.store
  }

  private refresh(): void {
    const { shown, presented, part } = this.comparison.store.get()
    const { question } = this.bench.bench
    const isShown = (shown && (part === 'figures' || part === 'sweep')) || presented || this.duel.get().on
    if (!isShown || !question) return this.memo.want(null)
    const { session, revision, view } = question
    this.memo.want({ session, revision, view })
  }
}

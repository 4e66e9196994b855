import type { ProviderDto } from '../ipc/generated/ProviderDto'
import type { BodyDto } from '../ipc/generated/BodyDto'
import type { EpisodeDetailDto } from '../ipc/generated/EpisodeDetailDto'
import { can } from '../ipc/abilities'
import type { Host } from '../ipc/host'
import { Memo } from './memo'
import { onQuestion } from './question'
import { createStore } from './store'
import type { Question, Workbench } from './workbench'

/** Asks about the selected episode at the cut. */
export class EpisodeDetail {
  private readonly memo: Memo<{ question: Question; episode: number }, EpisodeDetailDto>

  constructor(host: Host, bench: Workbench) {
    this.memo = new Memo({
      ask: ({ question: { session, view, cut }, episode }) =>
        host.call('episode', { session, view, cut, episode }),
      key: ({ question, episode }) => [question, episode],
    })
    bench.store.subscribe(() => {
      const { question, selected } = bench.bench
      if (selected === null) this.memo.forget()
      else if (question && can(host, 'episode')) this.memo.want({ question, episode: selected })
    })
  }

  get store() {
    return this.memo.store
  }
}

/** The request body at the cut, and its lines. */
interface Body {
  body: BodyDto
  lines: string[]
}

/** Asks for the request body at the cut while its tab is shown. */
export class RequestBody {
  readonly choice = createStore<{ provider: ProviderDto; shown: boolean }>({
    provider: 'anthropic',
    shown: false,
  })
  private readonly memo: Memo<{ question: Question; provider: ProviderDto }, Body>
  private readonly bench: Workbench

  constructor(host: Host, bench: Workbench) {
    this.bench = bench
    this.memo = new Memo({
      ask: async ({ question: { session, view, cut }, provider }) => {
        const body = await host.call('body', { session, view, cut, provider })
        return { body, lines: body.json.split('\n') }
      },
      key: ({ question, provider }) => [question, provider],
    })
    onQuestion(bench, () => this.refresh())
  }

  get store() {
    return this.memo.store
  }

  setShown(shown: boolean): void {
    this.choice.set({ shown })
    this.refresh()
  }

  setProvider(provider: ProviderDto): void {
    this.choice.set({ provider })
    this.refresh()
  }

  private refresh(): void {
    const { question } = this.bench.bench
    const { shown, provider } = this.choice.get()
    this.memo.want(shown && question ? { question, provider } : null)
  }
}

import type { BodyAnswer } from '../../lib/ipc/generated/BodyAnswer'
import type { Provider } from '../../lib/ipc/generated/Provider'
import type { Host } from '../../lib/ipc/host'
import { Memo } from '../../lib/state/memo'
import { onQuestion } from '../../lib/state/question'
import { createStore } from '../../lib/state/store'
import type { Question, Workbench } from '../../lib/state/workbench'

/** The request body at the cut, and its lines. */
interface Body {
  body: BodyAnswer
  lines: string[]
}

/** Asks for the request body at the cut while its tab is shown. */
export class RequestBody {
  readonly choice = createStore<{ provider: Provider; shown: boolean }>({
    provider: 'anthropic',
    shown: false,
  })
  private readonly memo: Memo<{ question: Question; provider: Provider }, Body>
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

  setProvider(provider: Provider): void {
    this.choice.set({ provider })
    this.refresh()
  }

  private refresh(): void {
    const { question } = this.bench.bench
    const { shown, provider } = this.choice.get()
    this.memo.want(shown && question ? { question, provider } : null)
  }
}

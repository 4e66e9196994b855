import type { UndeclaredHintDto } from '../ipc/generated/UndeclaredHintDto'
import type { Host } from '../ipc/host'
import { newest } from './newest'
import { onQuestion } from './question'
import { createStore } from './store'
import type { Question, Workbench } from './workbench'

/** What acts use and do not name. It takes a look at all texts, so it is asked only while somebody looks at it. */
export class UndeclaredHints {
  readonly store = createStore<{ hints: UndeclaredHintDto[]; ready: boolean }>({ hints: [], ready: false })
  private readonly bench: Workbench
  private readonly ask
  private nLooking = 0
  private asked: { session: number; revision: number; branch: string | null } | null = null

  constructor(host: Host, bench: Workbench) {
    this.bench = bench
    this.ask = newest(
      ({ session, view }: Question) => host.call('undeclared', { session, view }),
      ({ hints }) => this.store.set({ hints, ready: true }),
      // Without hints a list of problems is still one; what failed is told where the same view is shown.
      () => this.store.set({ hints: [], ready: true }),
    )
    onQuestion(bench, (_, other) => {
      if (other) {
        this.asked = null
        this.store.set({ hints: [], ready: false })
      }
      this.refresh()
    })
  }

  /** Somebody looks at the hints until the function that is returned is called. */
  look(): () => void {
    this.nLooking += 1
    this.refresh()
    return () => {
      this.nLooking -= 1
    }
  }

  private refresh(): void {
    const { question } = this.bench.bench
    if (this.nLooking === 0 || !question) return
    const { session, revision } = question
    const { branch } = question.view
    const { asked } = this
    if (asked?.session === session && asked.revision === revision && asked.branch === branch) return
    this.asked = { session, revision, branch }
    this.ask(question)
  }
}

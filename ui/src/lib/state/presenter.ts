import type { CompareColumnDto } from '../ipc/generated/CompareColumnDto'
import type { ViewDto } from '../ipc/generated/ViewDto'
import type { Host } from '../ipc/host'
import { newest } from './newest'
import { onQuestion } from './question'
import { createStore } from './store'
import type { Question, Workbench } from './workbench'

/** The policy that stands for compaction as most harnesses do it. */
export const COMPACTION = 'summary'

/** The figures of the policy that is shown and of compaction, at one turn. */
export interface Versus {
  shown: CompareColumnDto
  compaction: CompareColumnDto
}

/** The window as something to show to a room: the graph and one sentence. */
export class Presenter {
  readonly store = createStore<{ on: boolean; versus: boolean; answer: Versus | null }>({
    on: false,
    versus: false,
    answer: null,
  })
  private readonly bench: Workbench
  private readonly ask

  constructor(host: Host, bench: Workbench) {
    this.bench = bench
    this.ask = newest(
      ({ session, view, cut }: Question) =>
        host.call('compare', {
          session,
          views: [view, compactionOf(view)],
          cut,
          cache: { minimum: null, granularity: null, lifetime: null },
        }),
      ({ columns: [shown, compaction] }) =>
        this.store.set({ answer: shown && compaction ? { shown, compaction } : null }),
      () => this.store.set({ answer: null }),
    )
    onQuestion(bench, () => this.refresh())
  }

  set(on: boolean): void {
    this.store.set({ on })
    this.refresh()
  }

  /** Shows the same turn under compaction beside it, in figures. */
  setVersus(versus: boolean): void {
    this.store.set({ versus, answer: null })
    this.refresh()
  }

  private refresh(): void {
    const { on, versus } = this.store.get()
    const { question } = this.bench.bench
    if (on && versus && question) this.ask(question)
  }
}

/** The same view under compaction: same budget, same counting, its options as they are by default. */
export function compactionOf(view: ViewDto): ViewDto {
  return { ...view, policy: COMPACTION, options: {} }
}

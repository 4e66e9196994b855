import type { CompareColumnDto } from '../ipc/generated/CompareColumnDto'
import type { ViewDto } from '../ipc/generated/ViewDto'
import type { Host } from '../ipc/host'
import { Memo } from './memo'
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
  readonly store = createStore({ on: false, versus: false })
  private readonly bench: Workbench
  private readonly memo: Memo<Question, Versus | null>

  constructor(host: Host, bench: Workbench) {
    this.bench = bench
    this.memo = new Memo({
      ask: async ({ session, view, cut }) => {
        const cache = { minimum: null, granularity: null, lifetime: null }
        const views = [view, compactionOf(view)]
        const { columns } = await host.call('compare', { session, views, cut, cache })
        const [shown, compaction] = columns
        return shown && compaction ? { shown, compaction } : null
      },
    })
    onQuestion(bench, () => this.refresh())
  }

  /** The same turn under both policies. */
  get figures() {
    return this.memo.store
  }

  set(on: boolean): void {
    this.store.set({ on })
    this.refresh()
  }

  /** Shows the same turn under compaction beside it, in figures. */
  setVersus(versus: boolean): void {
    this.store.set({ versus })
    this.memo.forget()
    this.refresh()
  }

  private refresh(): void {
    const { on, versus } = this.store.get()
    this.memo.want(on && versus ? this.bench.bench.question : null)
  }
}

/** The same view under compaction: same budget, same counting, its options as they are by default. */
export function compactionOf(view: ViewDto): ViewDto {
  return { ...view, policy: COMPACTION, options: {} }
}

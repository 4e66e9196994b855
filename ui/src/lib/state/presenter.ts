import type { CompareColumn } from '../ipc/generated/CompareColumn'
import type { ViewSettings } from '../ipc/generated/ViewSettings'
import type { Host } from '../ipc/host'
import { USUAL_CACHE } from './comparison'
import { Memo } from './memo'
import { onQuestion } from './question'
import { createStore } from './store'
import type { Question, Workbench } from './workbench'

/** The policy that stands for compaction as most harnesses do it. */
export const COMPACTION = 'summary'

/** The figures of the policy that is shown and of compaction: at one turn, and over the whole session. */
export interface Versus {
  shown: CompareColumn
  compaction: CompareColumn
  turn: number
  nRequests: number
}

/** The parts that stand below the sentence: nothing, the same turn under compaction, or the picture of all settings. */
export type Beside = 'nothing' | 'versus' | 'picture'

/** The window as something to show to a room: the graph and one sentence. */
export class Presenter {
  readonly store = createStore<{ on: boolean; beside: Beside }>({ on: false, beside: 'nothing' })
  private readonly bench: Workbench
  private readonly memo: Memo<Question, Versus | null>

  constructor(host: Host, bench: Workbench) {
    this.bench = bench
    this.memo = new Memo({
      ask: async ({ session, view, cut }) => {
        const cache = USUAL_CACHE
        // Compaction has other steps than the policy that is shown: it is compared as it stands after its whole pass.
        const after = { ...cut, step: null }
        const [own, other] = await Promise.all([
          host.call('compare', { session, views: [view], cut, cache }),
          host.call('compare', { session, views: [compactionOf(view)], cut: after, cache }),
        ])
        const [shown, compaction] = [own.columns[0], other.columns[0]]
        if (!shown || !compaction) return null
        return { shown, compaction, turn: own.turn, nRequests: own.n_requests }
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

  /** Shows a part below the sentence, or takes it away. */
  toggle(part: Exclude<Beside, 'nothing'>): void {
    this.store.set({ beside: this.store.get().beside === part ? 'nothing' : part })
    this.memo.forget()
    this.refresh()
  }

  private refresh(): void {
    const { on, beside } = this.store.get()
    this.memo.want(on && beside === 'versus' ? this.bench.bench.question : null)
  }
}

/** The same view under compaction: same budget, same counting, its options as they are by default. */
export function compactionOf(view: ViewSettings): ViewSettings {
  return { ...view, policy: COMPACTION, options: {} }
}

import type { DiffAgainst } from '../ipc/generated/DiffAgainst'
import type { DiffAnswer } from '../ipc/generated/DiffAnswer'
import type { ContextItem } from '../ipc/generated/ContextItem'
import type { ListKind } from '../ipc/generated/ListKind'
import type { Host } from '../ipc/host'
import { isRun, keyOfDiffRow } from '../view/rows'
import { Find } from './find'
import type { Pages } from './pages'
import { onQuestion, pageOf, pagesAt, placeIn, type PartRequest } from './question'
import type { ReadList } from './reading'
import { RowStates } from './rows'
import { createStore } from './store'
import type { Bench, Workbench } from './workbench'

/** The contexts that the context at the cut can be compared with. */
export const AGAINST = ['full', 'turn', 'turnBefore', 'stepBefore', 'policy', 'budget'] as const
export type Against = (typeof AGAINST)[number]

/** The sums of a diff. */
export type DiffSums = Omit<DiffAnswer, 'items' | 'changes' | 'revision'>

interface DiffLook {
  against: Against
  /** The other policy, budget and turn; `null` lets the window choose. */
  policy: string | null
  budget: string | null
  turn: number | null
  sums: DiffSums | null
  /** The rows that are not the same, ascending. */
  changes: readonly number[]
  shown: boolean
}

/** The other policy: the chosen one, or the first that is not the main view's. */
export function otherPolicy(
  { policy }: Pick<DiffLook, 'policy'>,
  { view, session }: Pick<Bench, 'view' | 'session'>,
): string {
  const names = (session?.choices.policies ?? []).map(({ name }) => name)
  const others = names.filter((name) => name !== view.policy)
  return policy !== null && others.includes(policy) ? policy : (others[0] ?? 'none')
}

/** The other budget: the one that was typed, or twice the main view's. */
export const otherBudget = (
  { budget }: Pick<DiffLook, 'budget'>,
  { replay }: Pick<Bench, 'replay'>,
): string => budget ?? String(2 * (replay?.budget ?? 40_000))

/** The Diff tab: the context at the cut, compared with another context. Asks only while its tab is shown. */
export class DiffList {
  readonly store = createStore<DiffLook>({
    against: 'full',
    policy: null,
    budget: null,
    turn: null,
    sums: null,
    changes: [],
    shown: false,
  })
  readonly pages: Pages<ContextItem>
  readonly rows = new RowStates()
  readonly find: Find
  private readonly host: Host
  private readonly bench: Workbench
  /** The runs of equal blocks that are open, by their first blocks. */
  private open: readonly string[] = []

  constructor(host: Host, bench: Workbench) {
    this.host = host
    this.bench = bench
    this.pages = pagesAt(
      bench,
      (request) => (this.store.get().shown ? this.ask(request) : null),
      (item, question) => placeIn(host, question, this.list(), item),
    )
    this.find = new Find(
      host,
      bench,
      () => (this.store.get().shown ? this.list() : null),
      () => this.pages.seen ?? 0,
    )
    onQuestion(bench, (_, other) => {
      if (!other) return
      this.rows.clear()
      this.open = []
      this.store.set({ sums: null, changes: [], policy: null, budget: null, turn: null })
    })
  }

  /** The list, as the host is asked about it. */
  list(): ListKind & { type: 'diff' } {
    return { type: 'diff', against: this.against(), open: [...this.open] }
  }

  /** The list as the keyboard goes through it. */
  readList(): ReadList {
    const { pages } = this
    return {
      rows: this.rows,
      n: () => pages.store.get().n,
      itemAt: (idx) => {
        const item = pages.at(idx)
        return item && !isRun(item) ? item : undefined
      },
      top: () => pages.seen,
      keyAt: (idx) => {
        const item = pages.at(idx)
        return item ? keyOfDiffRow(item) : null
      },
      changeFrom: (row, by) => this.changeFrom(row, by),
    }
  }

  setShown(shown: boolean): void {
    this.store.set({ shown })
    if (!shown) return
    this.pages.reset()
    this.find.again()
  }

  setAgainst(change: Partial<Pick<DiffLook, 'against' | 'policy' | 'budget' | 'turn'>>): void {
    this.store.set(change)
    this.open = []
    this.renew()
  }

  /** Opens what has the keyboard: a run of equal blocks, or a block. */
  enter(): void {
    const { active } = this.rows.store.get()
    const item = active === null ? undefined : this.pages.at(active)
    if (!item) return
    if (isRun(item)) this.openRun(item.block)
    else this.rows.toggle(item.block)
  }

  /** Shows the blocks of a run of equal ones. */
  openRun(block: string): void {
    this.open = [...this.open, block]
    this.renew()
  }

  /** The row of the next or previous change, seen from a row; `null` behind the last one. */
  changeFrom(row: number, by: 1 | -1): number | null {
    const { changes } = this.store.get()
    const found = by > 0 ? changes.find((at) => at > row) : changes.findLast((at) => at < row)
    return found ?? null
  }

  private renew(): void {
    this.pages.reset()
    this.find.again()
  }

  private against(): DiffAgainst {
    const { against } = this.store.get()
    const { view } = this.bench.bench
    switch (against) {
      case 'policy':
        return {
          type: 'view',
          view: { ...view, policy: otherPolicy(this.store.get(), this.bench.bench), options: {} },
        }
      case 'budget':
        return { type: 'view', view: { ...view, budget: otherBudget(this.store.get(), this.bench.bench) } }
      case 'turn':
        return { type: 'turn', turn: this.store.get().turn ?? 1 }
      default:
        return { type: against }
    }
  }

  private async ask(request: PartRequest): Promise<DiffAnswer> {
    const answer = await pageOf(this.host, request, this.list())
    this.store.set({ sums: answer, changes: answer.changes })
    return answer
  }
}

import type { BandsBy } from '../ipc/generated/BandsBy'
import type { CompareBlocksAnswer } from '../ipc/generated/CompareBlocksAnswer'
import type { CompareAnswer } from '../ipc/generated/CompareAnswer'
import type { ContextItem } from '../ipc/generated/ContextItem'
import type { ViewSettings } from '../ipc/generated/ViewSettings'
import type { Host } from '../ipc/host'
import { MOST_COLUMNS, columnOf, likelyColumns, nextPolicy, viewOf, type Column } from '../view/comparison'
import { Memo } from './memo'
import { Pages } from './pages'
import { onQuestion } from './question'
import { recall, remember, usualStorage } from './remembered'
import { createStore } from './store'
import type { Question, Workbench } from './workbench'

/** Where it is remembered what was compared. */
const KEY = 'cwl-inspector.columns'

/** The parts of the Compare tab. */
export const PARTS = ['figures', 'blocks', 'sweep', 'sessions'] as const
export type ComparePart = (typeof PARTS)[number]

/** As the price table says. */
export const USUAL_CACHE = { minimum: null, granularity: null, lifetime: null }

/** A block that one of two views sends, as a row of a list. */
export type Difference = ContextItem & { inMain: boolean; whyNot: string }

interface Look {
  shown: boolean
  /** True while the presentation shows the picture of all settings, which says where the main view stands. */
  presented: boolean
  part: ComparePart
  /** The policies beside the main one. */
  columns: Column[]
  /** The column that the list of blocks is about, by its place. */
  against: number
  blocks: Omit<CompareBlocksAnswer, 'items' | 'revision'> | null
}

/** Some policies side by side at the cut, the main one first. Asks only while its tab is shown. */
export class Comparison {
  readonly store = createStore<Look>({
    shown: false,
    presented: false,
    part: 'figures',
    columns: [],
    against: 0,
    blocks: null,
  })
  readonly pages: Pages<Difference>
  /** The tab in which it is shown. */
  readonly tab = 'compare'
  private readonly host: Host
  private readonly bench: Workbench
  private readonly storage: Storage | null
  private session: string | null = null
  /** The main policy that the columns were suggested beside; `null` once the user has chosen them. */
  private suggestedBeside: string | null = null
  /** The other view of the newest question about blocks. */
  private askedAgainst: ViewSettings | null = null
  private readonly memo: Memo<{ question: Question; views: ViewSettings[]; bands: BandsBy }, CompareAnswer>

  constructor(host: Host, bench: Workbench, storage: Storage | null = usualStorage()) {
    this.host = host
    this.bench = bench
    this.storage = storage
    this.memo = new Memo({
      ask: ({ question: { session, cut }, views, bands }) =>
        host.call('compare', { session, views, cut, cache: USUAL_CACHE, bands }),
      key: ({ question, views, bands }) => [question, JSON.stringify(views), bands],
    })
    this.pages = new Pages<Difference>((offset, limit) => this.askBlocks(offset, limit))
    bench.store.subscribe(() => this.recall())
    onQuestion(bench, (_, other) => this.refresh(other))
    let { bands } = bench.bench
    bench.store.subscribe(() => {
      if (bench.bench.bands === bands) return
      bands = bench.bench.bands
      this.refresh()
    })
  }

  /** The figures of all columns. */
  get figures() {
    return this.memo.store
  }

  setShown(shown: boolean): void {
    this.store.set({ shown })
    if (shown) this.refresh()
  }

  setPresented(presented: boolean): void {
    this.store.set({ presented })
    if (presented) this.refresh()
  }

  setPart(part: ComparePart): void {
    this.store.set({ part })
    this.refresh()
  }

  setAgainst(against: number): void {
    this.store.set({ against })
    this.pages.reset()
  }

  add(): void {
    const { columns } = this.store.get()
    const policies = this.policies()
    if (columns.length + 1 >= MOST_COLUMNS || policies.length === 0) return
    const likely = this.bench.bench.session?.choices.likely ?? []
    const policy = nextPolicy(this.bench.bench.view.policy, columns, likely, policies)
    this.change([...columns, { policy, budget: null, options: {} }])
  }

  remove(at: number): void {
    this.change(this.store.get().columns.filter((_, place) => place !== at))
  }

  /** Changes a column. Another policy starts with its own defaults. */
  setColumn(at: number, change: Partial<Column>): void {
    const { columns } = this.store.get()
    const options = change.policy === undefined ? {} : { options: {} }
    this.change(
      columns.map((column, place) => (place === at ? { ...column, ...options, ...change } : column)),
    )
  }

  /** Compares with these columns, as far as their policies are known. */
  take(columns: readonly Column[]): void {
    this.change(this.known(columns))
  }

  /** Makes a column the main view; the main view takes its place, so that the same press goes back. */
  useColumn(at: number): void {
    const { columns } = this.store.get()
    const column = columns[at]
    if (!column) return
    const main = this.bench.bench.view
    const policies = this.policies()
    const { policy, budget, options } = viewOf(column, main, policies)
    const before = columnOf(main, column.budget === null ? null : main.budget, policies)
    this.bench.setView({ policy, options, ...(column.budget === null ? {} : { budget }) })
    this.change(columns.map((one, place) => (place === at ? before : one)))
  }

  /** The views that are compared, the main one first; with `all` also every other policy as it is by default. */
  views(all = false): ViewSettings[] {
    const { view } = this.bench.bench
    const shown = this.beside(view)
    const there = new Set([view, ...shown].map(({ policy }) => policy))
    const policies = this.policies()
    const others = all ? policies.filter(({ name }) => !there.has(name)) : []
    const more = others.map(({ name }) => viewOf({ policy: name, budget: null, options: {} }, view, policies))
    return [view, ...shown, ...more]
  }

  /** The views of the columns beside a view. */
  beside(view: ViewSettings): ViewSettings[] {
    const policies = this.policies()
    return this.store.get().columns.map((column) => viewOf(column, view, policies))
  }

  /** Makes a view the main one: another policy, with its options and its τ. */
  use({ policy, budget, options }: Pick<ViewSettings, 'policy' | 'budget' | 'options'>): void {
    const { view } = this.bench.bench
    const { columns } = this.store.get()
    const main = columnOf(view, null, this.policies())
    this.bench.setView({ policy, options, budget })
    // The policy that was shown stays in the comparison, where the new one stood.
    if (policy !== view.policy)
      this.change(columns.map((column) => (column.policy === policy ? main : column)))
  }

  private known(columns: readonly Column[]): Column[] {
    const names = new Set(this.policies().map((policy) => policy.name))
    return columns.filter((column) => names.has(column.policy)).slice(0, MOST_COLUMNS - 1)
  }

  private policies() {
    return this.bench.bench.session?.choices.policies ?? []
  }

  private change(columns: Column[]): void {
    const against = Math.max(0, Math.min(this.store.get().against, columns.length - 1))
    this.store.set({ columns, against })
    this.suggestedBeside = null
    this.remember()
    this.refresh()
  }

  private remember(): void {
    if (this.session !== null) remember(this.storage, KEY, this.session, this.store.get().columns)
  }

  /** Takes up what was compared in a session, once it is open. */
  private recall(): void {
    const { session, view } = this.bench.bench
    const path = session?.path ?? null
    if (path === null) return
    const suggested = () => likelyColumns(view.policy, session?.choices.likely ?? [])
    if (path === this.session) {
      // *What if* has another policy than *As it happened*, and the main policy needs no second column.
      if (this.suggestedBeside === null || this.suggestedBeside === view.policy) return
      this.suggestedBeside = view.policy
      this.store.set({ columns: suggested(), against: 0 })
      return
    }
    this.session = path
    const held = recall(this.storage, KEY, path, areColumns)
    this.suggestedBeside = held ? null : view.policy
    this.memo.forget()
    this.store.set({ columns: held ? this.known(held) : suggested(), against: 0, blocks: null })
  }

  private refresh(other = false): void {
    const { question, bands } = this.bench.bench
    const { shown, presented, part } = this.store.get()
    if (other) this.pages.reset(true)
    if (!(shown || presented) || !question) return
    this.memo.want({ question, views: this.views(), bands })
    if (part === 'blocks' && !other) this.pages.reset()
  }

  private async askBlocks(offset: number, limit: number): Promise<{ n: number; items: Difference[] } | null> {
    const { question } = this.bench.bench
    const { shown, part, against } = this.store.get()
    const b = this.views()[against + 1]
    if (!shown || part !== 'blocks' || !question || !b) return null
    this.askedAgainst = b
    const { session, view, cut } = question
    const { items, ...blocks } = await this.host.call('compare_blocks', {
      session,
      a: view,
      b,
      cut,
      offset,
      limit,
    })
    // Answers may overtake each other; only the newest question's counts are shown.
    if (question === this.bench.bench.question && b === this.askedAgainst) this.store.set({ blocks })
    return {
      n: blocks.n_items,
      items: items.map(({ item, in_a, why_not }) => ({ ...item, inMain: in_a, whyNot: why_not })),
    }
  }
}

/** Tells whether a value has the right form: any program may have written the storage. */
function areColumns(value: unknown): value is Column[] {
  const isColumn = (one: unknown): boolean => {
    if (typeof one !== 'object' || one === null) return false
    const { policy, budget, options } = one as Record<string, unknown>
    return (
      typeof policy === 'string' &&
      (budget === null || typeof budget === 'string') &&
      typeof options === 'object' &&
      options !== null &&
      Object.values(options).every((set) => typeof set === 'string')
    )
  }
  return Array.isArray(value) && value.every(isColumn)
}

import type { CorpusColumnRow } from '../ipc/generated/CorpusColumnRow'
import type { CorpusRow } from '../ipc/generated/CorpusRow'
import type { CorpusOverview } from '../ipc/generated/CorpusOverview'
import { hostErrorOf, type Host, type HostError } from '../ipc/host'
import { NOWHERE, type LinkTarget } from '../view/link'
import { Pages } from './pages'
import { isTexts, usualStorage } from './remembered'
import { createStore, type Store } from './store'
import type { Bench } from './workbench'

/** The rows that are wanted of a corpus, and in which order. */
export interface CorpusWish {
  find: string
  harness: string | null
  format: string | null
  model: string | null
  /** The column that sorts; `null` keeps the order of the tables. */
  sort: string | null
  down: boolean
}

export interface CorpusState extends CorpusWish {
  /** The folder of the corpus that was opened last. */
  folder: string | null
  view: CorpusOverview | null
  failure: HostError | null
  /** The columns that the user chose; `null` are the usual ones. */
  chosen: readonly string[] | null
}

const ALL: CorpusWish = { find: '', harness: null, format: null, model: null, sort: null, down: true }

/** Where the chosen columns are remembered. */
const COLUMNS = 'cwl-inspector.corpus-columns'

/** The table of a corpus. It stays as it was left while one of its sessions is open. */
export class Corpora {
  readonly store = createStore<CorpusState>({
    ...ALL,
    folder: null,
    view: null,
    failure: null,
    chosen: null,
  })
  readonly pages: Pages<CorpusRow>
  /** How far the table was scrolled, pixels. */
  scrolled = { top: 0, left: 0 }
  /** The row that was opened or chosen last, by its place. */
  at: number | null = null
  private readonly host: Host
  private readonly go: (place: LinkTarget) => void
  private readonly storage: Pick<Storage, 'getItem' | 'setItem'> | null
  private asked = 0

  /** `bench` tells when a corpus is to be shown; `go` opens another place. */
  constructor(
    host: Host,
    bench: { store: Pick<Store<Pick<Bench, 'phase' | 'target'>>, 'get' | 'subscribe'> },
    go: (place: LinkTarget) => void,
    storage: Pick<Storage, 'getItem' | 'setItem'> | null = usualStorage(),
  ) {
    this.host = host
    this.go = go
    this.storage = storage
    // Each time that the table comes into view it may have been written again.
    let last: string | null = null
    bench.store.subscribe(() => {
      const { phase, target } = bench.store.get()
      const shown = phase === 'corpus' ? target : null
      if (shown !== null && shown !== last) void this.show(shown)
      last = shown
    })
    this.store.set({ chosen: this.remembered() })
    this.pages = new Pages<CorpusRow>(async (offset, limit) => {
      const { folder, view, find, harness, format, model, sort, down } = this.store.get()
      if (folder === null || view === null) return null
      const columns = this.columns().map(({ name }) => name)
      const wish = { find, harness, format, model, sort, down }
      const { n_rows, rows } = await this.host.call('corpus_rows', {
        folder,
        columns,
        ...wish,
        offset,
        limit,
      })
      return { n: n_rows, items: rows }
    })
  }

  /** The columns that show, in the order of the tables. */
  columns({ view, chosen }: Pick<CorpusState, 'view' | 'chosen'> = this.store.get()): CorpusColumnRow[] {
    return (view?.columns ?? []).filter(({ name, usual }) =>
      chosen === null ? usual : chosen.includes(name),
    )
  }

  /** Opens the corpus of a folder, or looks whether it was written again. */
  async show(folder: string): Promise<void> {
    const asked = ++this.asked
    const isOther = folder !== this.store.get().folder
    if (isOther) {
      this.scrolled = { top: 0, left: 0 }
      this.at = null
      this.store.set({ ...ALL, folder, view: null, failure: null })
      this.pages.reset(true)
    }
    try {
      const view = await this.host.call('corpus', { folder })
      if (asked !== this.asked) return
      this.store.set({ view, failure: null })
      this.pages.reset()
    } catch (thrown) {
      if (asked === this.asked) this.store.set({ view: null, failure: hostErrorOf(thrown) })
    }
  }

  /** Opens the session of a row, under the policy and the budget of the tables. */
  open({ target, policy, budget }: CorpusRow): void {
    if (target === null) return
    const view = {
      ...NOWHERE.view,
      ...(policy === null ? {} : { policy }),
      ...(budget === null ? {} : { budget: String(budget) }),
    }
    this.go({ ...NOWHERE, session: target, view })
  }

  /** Shows the table again that was opened last. */
  back(): void {
    const { folder } = this.store.get()
    if (folder !== null) this.go({ ...NOWHERE, session: folder })
  }

  /** Wants other rows, or another order. */
  wish(change: Partial<CorpusWish>): void {
    this.store.set(change)
    this.scrolled = { ...this.scrolled, top: 0 }
    this.at = null
    this.pages.reset()
  }

  /** Sorts by a column, at first with the largest on top where that is what is looked for; once more turns it around. */
  sortBy(column: string, largestFirst: boolean): void {
    const { sort, down } = this.store.get()
    this.wish(sort === column ? { down: !down } : { sort: column, down: largestFirst })
  }

  /** Shows a column, or no longer; `null` goes back to the usual ones. */
  choose(column: string | null): void {
    const shown = this.columns().map(({ name }) => name)
    const others = shown.filter((name) => name !== column)
    const chosen = column === null ? null : others.length < shown.length ? others : [...shown, column]
    this.store.set({ chosen })
    try {
      this.storage?.setItem(COLUMNS, JSON.stringify(chosen))
    } catch {
      // A window without storage works, it only forgets.
    }
    this.pages.reset()
  }

  /** Any program may have written the storage. */
  private remembered(): string[] | null {
    try {
      const value: unknown = JSON.parse(this.storage?.getItem(COLUMNS) ?? 'null')
      return isTexts(value) ? value : null
    } catch {
      return null
    }
  }
}

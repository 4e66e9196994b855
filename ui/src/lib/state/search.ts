import type { SearchAnswer } from '../ipc/generated/SearchAnswer'
import type { Host, HostError } from '../ipc/host'
import { Memo } from './memo'
import { onQuestion } from './question'
import { createStore } from './store'
import type { Workbench } from './workbench'

/** Where texts are looked for. */
export type Scope = 'all' | 'session'

/** A search and its answer. */
export interface SearchLook {
  query: string
  scope: Scope
  /** The last answer; it stays until the next one comes. */
  answer: SearchAnswer | null
  /** The query that `answer` or `failure` is about. */
  answered: string | null
  failure: HostError | null
  /** Sessions of which all that was found is shown. */
  wholly: ReadonlySet<number>
  /** How many texts are asked for. */
  limit: number
}

interface Question {
  query: string
  session: number | null
  limit: number
}

const TYPING_MS = 140
/** After another view was chosen, it is asked again when that rests, milliseconds. */
const VIEW_MS = 600
/** While texts are still put into the index, it is asked again after this. */
const PENDING_MS = 1200
const FEW = 200
/** As many as the host gives. */
export const MOST = 500

/** Looks for texts in the session that is open, or in all of them. Asks only while its results are shown. */
export class Search {
  readonly store = createStore<SearchLook>({
    query: '',
    scope: 'all',
    answer: null,
    answered: null,
    failure: null,
    wholly: new Set(),
    limit: FEW,
  })
  private readonly bench: Workbench
  private readonly memo: Memo<Question, SearchAnswer>
  private timer: ReturnType<typeof setTimeout> | undefined
  private shown = false
  private session: number | null = null

  constructor(host: Host, bench: Workbench) {
    this.bench = bench
    this.memo = new Memo({
      ask: (question) => host.call('search', { ...question, view: bench.bench.view }),
      took: (answer, { query }) => {
        this.store.set({ answer, answered: query, failure: null })
        if (answer.pending > 0) this.soon(PENDING_MS)
      },
      failed: (failure, { query }) => this.store.set({ answer: null, answered: query, failure }),
    })
    bench.store.subscribe(() => {
      const session = bench.bench.session?.session ?? null
      if (session === this.session) return
      this.session = session
      if (this.store.get().scope === 'session') this.again()
    })
    // Another policy or τ still has other texts.
    onQuestion(bench, () => {
      if (this.store.get().answer !== null) this.soon(VIEW_MS)
    })
  }

  /** Where it looks: without an open session in all of them. */
  get scope(): Scope {
    return this.session === null ? 'all' : this.store.get().scope
  }

  setShown(shown: boolean): void {
    this.shown = shown
    if (shown) this.again()
    else clearTimeout(this.timer)
  }

  setQuery(query: string): void {
    if (query === this.store.get().query) return
    this.store.set({ query, wholly: new Set(), limit: FEW })
    if (query.trim() !== '') return this.soon(TYPING_MS)
    clearTimeout(this.timer)
    this.memo.forget()
    this.store.set({ answer: null, answered: null, failure: null })
  }

  setScope(scope: Scope): void {
    this.store.set({ scope, wholly: new Set(), limit: FEW })
    this.again()
  }

  /** Shows all that was found in a session. */
  showWhole(session: number): void {
    this.store.set({ wholly: new Set([...this.store.get().wholly, session]) })
  }

  /** Asks for as many texts as the host gives. */
  showMore(): void {
    this.store.set({ limit: MOST })
    this.again()
  }

  /** Asks again, as what was written meanwhile may have it too. */
  again(): void {
    const { query, limit } = this.store.get()
    if (!this.shown || query.trim() === '') return
    clearTimeout(this.timer)
    const session = this.scope === 'session' ? (this.bench.bench.session?.session ?? null) : null
    this.memo.want({ query, session, limit })
  }

  private soon(delay: number): void {
    clearTimeout(this.timer)
    if (this.shown) this.timer = setTimeout(() => this.again(), delay)
  }
}

import { hostErrorOf, type HostError } from '../ipc/host'
import { createStore, type Store } from './store'

/** How many items one question brings. */
export const PAGE = 100
/** How many pages stay in memory. */
const MOST_PAGES = 80

/** What a list shows: grows by one `version` with every change of its items. */
export interface PagesLook {
  n: number
  version: number
  failure: HostError | null
  /** False until the first answer. */
  ready: boolean
}

interface Held<T> {
  items: T[]
  generation: number
}

/**
 * A long list of which only the visible parts are fetched. When the question changes, old rows stay in
 * place until the new ones have come, so that nothing flashes or jumps.
 */
export class Pages<T> {
  readonly store: Store<PagesLook> = createStore<PagesLook>({ n: 0, version: 0, failure: null, ready: false })
  private readonly load: (offset: number, limit: number) => Promise<{ n: number; items: T[] } | null>
  private readonly held = new Map<number, Held<T>>()
  private readonly asked = new Map<number, number>()
  private generation = 0
  private range = { from: 0, to: 20 }

  /** `load` answers `null` when there is nothing to ask about. */
  constructor(load: (offset: number, limit: number) => Promise<{ n: number; items: T[] } | null>) {
    this.load = load
  }

  at(idx: number): T | undefined {
    return this.held.get(Math.floor(idx / PAGE))?.items[idx % PAGE]
  }

  /** Another question: everything held is old now. `empty` forgets it at once. */
  reset(empty = false): void {
    this.generation += 1
    if (empty) {
      this.held.clear()
      this.range = { from: 0, to: 20 }
      this.store.set({ n: 0, ready: false, version: this.store.get().version + 1 })
    }
    this.ensure(this.range.from, this.range.to)
  }

  /** Fetches what is missing or old of a range of items. */
  ensure(from: number, to: number): void {
    this.range = { from, to }
    const first = Math.floor(Math.max(0, from) / PAGE)
    const last = Math.floor(Math.max(0, to) / PAGE)
    for (let page = first; page <= last; page += 1) void this.fetch(page)
  }

  /** The item at a place, fetched when it is not held. */
  async get(idx: number): Promise<T | undefined> {
    await this.fetch(Math.floor(idx / PAGE))
    return this.at(idx)
  }

  private async fetch(page: number): Promise<void> {
    const generation = this.generation
    if (this.held.get(page)?.generation === generation || this.asked.get(page) === generation) return
    this.asked.set(page, generation)
    try {
      const answer = await this.load(page * PAGE, PAGE)
      if (generation !== this.generation) return
      if (answer) this.keep(page, answer, generation)
    } catch (thrown) {
      if (generation === this.generation) this.store.set({ failure: hostErrorOf(thrown), ready: true })
    } finally {
      if (this.asked.get(page) === generation) this.asked.delete(page)
    }
  }

  private keep(page: number, answer: { n: number; items: T[] }, generation: number): void {
    this.held.delete(page)
    this.held.set(page, { items: answer.items, generation })
    for (const old of [...this.held.keys()].slice(0, Math.max(0, this.held.size - MOST_PAGES)))
      this.held.delete(old)
    const { version } = this.store.get()
    this.store.set({ n: answer.n, version: version + 1, failure: null, ready: true })
    // A shorter list may have moved the visible part: fetch that too.
    if (answer.n > 0 && page * PAGE >= answer.n) void this.fetch(Math.floor((answer.n - 1) / PAGE))
  }
}

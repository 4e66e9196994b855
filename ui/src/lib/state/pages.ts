import { hostErrorOf, type HostError } from '../ipc/host'
import { createStore, type Store } from './store'

/** How many items one question brings. */
export const PAGE = 100
/** How many pages stay in memory. */
const MOST_PAGES = 80

/** The state of a list. `version` grows by one with every change of its items. */
export interface PagesLook {
  n: number
  version: number
  failure: HostError | null
  /** False until the first answer. */
  ready: boolean
  /** Where the row that stood at the top stands since the last question; grows by one `wish` per question. */
  moved: { from: number; to: number; wish: number } | null
}

type Load<T> = (offset: number, limit: number) => Promise<{ n: number; items: T[] } | null>

interface Held<T> {
  items: T[]
  generation: number
}

/**
 * A long list of which only the visible parts are fetched. When the question changes, old rows stay in
 * place until the new ones have come, so that nothing flashes or jumps.
 */
export class Pages<T> {
  readonly store: Store<PagesLook> = createStore<PagesLook>({
    n: 0,
    version: 0,
    failure: null,
    ready: false,
    moved: null,
  })
  /** The place of the row at the top of the view; `null` while no row is to stay there. */
  top: number | null = null
  /** The place of the first row that is in view from its beginning; `null` while no list shows. */
  seen: number | null = null
  private readonly load: Load<T>
  private readonly locate: ((item: T) => Promise<number | null>) | undefined
  private readonly held = new Map<number, Held<T>>()
  private readonly asked = new Map<number, number>()
  private generation = 0
  private range = { from: 0, to: 20 }
  /** The generation whose places are being found out. */
  private going: number | null = null

  /** `load` answers `null` when there is nothing to ask about; `locate` tells where an item stands now. */
  constructor(load: Load<T>, locate?: (item: T) => Promise<number | null>) {
    this.load = load
    this.locate = locate
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
      this.top = null
      this.seen = null
      this.store.set({ n: 0, ready: false, moved: null, version: this.store.get().version + 1 })
    }
    const top = this.top
    const item = top === null ? undefined : this.at(top)
    const { n } = this.store.get()
    if (top !== null && item !== undefined && this.locate) void this.goAlong(top, item, this.locate)
    else if (top === null && n > 0 && this.range.from > 0 && this.range.to >= n - 1) void this.goToEnd(n)
    else this.ensure(this.range.from, this.range.to)
  }

  /**
   * Answers a new question while the end of a list shows, which stays in view: fetches the end as it is now and exchanges
   * all rows at once.
   */
  private async goToEnd(known: number): Promise<void> {
    const generation = this.generation
    this.going = generation
    try {
      const { from, to } = this.range
      // Until the list has scrolled on, it asks for the rows that it showed before.
      const first = (n: number) => Math.max(0, Math.min(n - 1 - (to - from), Math.max(from, n - 3 * PAGE)))
      const answers = new Map<number, T[]>()
      let n = known
      // A list that goes on growing meanwhile is asked about again soon.
      for (let tries = 0; tries < 3; tries += 1) {
        const has = (page: number) => answers.get(page)?.length === Math.min(PAGE, n - page * PAGE)
        const lacking = n === 0 ? [] : pagesOf(first(n), n - 1).filter((page) => !has(page))
        if (lacking.length === 0) break
        const loaded = await Promise.all(lacking.map((page) => this.load(page * PAGE, PAGE)))
        if (generation !== this.generation) return
        lacking.forEach((page, at) => answers.set(page, loaded[at]?.items ?? []))
        const newest = loaded.findLast((answer) => answer !== null)
        if (!newest) {
          this.going = null
          return
        }
        n = newest.n
      }
      this.going = null
      this.held.clear()
      for (const [page, items] of answers) if (items.length > 0) this.held.set(page, { items, generation })
      this.range = { from: Math.max(0, n - 1 - (to - from)), to: Math.max(0, n - 1) }
      this.store.set({ n, version: this.store.get().version + 1, failure: null, ready: true })
    } catch (thrown) {
      this.failed(generation, thrown)
    }
  }

  private failed(generation: number, thrown: unknown): void {
    if (generation !== this.generation) return
    this.going = null
    this.store.set({ failure: hostErrorOf(thrown), ready: true })
  }

  /**
   * Answers a new question while the list is read: finds the new place of the row at the top, fetches the rows around it,
   * and exchanges all of them at once.
   */
  private async goAlong(top: number, item: T, locate: (item: T) => Promise<number | null>): Promise<void> {
    const generation = this.generation
    this.going = generation
    try {
      // Where the host cannot tell, the row stays at its place.
      const to = (await locate(item).catch(() => null)) ?? top
      if (generation !== this.generation) return
      const from = Math.max(0, this.range.from + to - top)
      const last = Math.max(from, this.range.to + to - top)
      const numbers = pagesOf(from, last)
      const answers = await Promise.all(numbers.map((page) => this.load(page * PAGE, PAGE)))
      if (generation !== this.generation) return
      this.going = null
      const n = answers.find((answer) => answer !== null)?.n
      if (n === undefined) return
      // Pages of the old question stand at other places now.
      this.held.clear()
      numbers.forEach((page, at) => {
        const answer = answers[at]
        if (answer) this.held.set(page, { items: answer.items, generation })
      })
      this.range = { from, to: last }
      const { version, moved } = this.store.get()
      const there = { from: top, to: Math.min(to, Math.max(0, n - 1)), wish: (moved?.wish ?? 0) + 1 }
      this.store.set({ n, version: version + 1, failure: null, ready: true, moved: there })
      if (n > 0 && from >= n) void this.fetch(Math.floor((n - 1) / PAGE))
    } catch (thrown) {
      this.failed(generation, thrown)
    }
  }

  /** Fetches what is missing or old of a range of items. */
  ensure(from: number, to: number): void {
    this.range = { from, to }
    // Until it is known where things stand, pages of the old question are as good as any.
    if (this.going === this.generation) return
    for (const page of pagesOf(from, to)) void this.fetch(page)
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

/** The pages of a range of items. */
function pagesOf(from: number, to: number): number[] {
  const first = Math.floor(Math.max(0, from) / PAGE)
  const last = Math.floor(Math.max(0, to) / PAGE)
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
}

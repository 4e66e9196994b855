import type { FindAnswer } from '../ipc/generated/FindAnswer'
import type { ListKind } from '../ipc/generated/ListKind'
import type { MatchesAnswer } from '../ipc/generated/MatchesAnswer'
import type { TextPattern } from '../ipc/generated/TextPattern'
import type { Host, HostError } from '../ipc/host'
import { countOf, numberBeside, numberFrom, stopAt, type FoundMatches, type Stop } from '../view/matches'
import { Memo } from './memo'
import { onQuestion, type Asking } from './question'
import { createStore } from './store'
import type { Question } from './workbench'

/** The state of a find field. */
export interface FindLook {
  wanted: TextPattern
  found: FoundMatches
  n: number
  /** The number of the match that it stands on, from 0. */
  number: number
  searching: boolean
  failure: HostError | null
  /** Grows by one with every answer: marks are asked for again. */
  round: number
  /** Returns a number that grows by one when the match is to be brought into view. */
  wish: number
}

export const NOTHING: TextPattern = { query: '', regex: false, case: false }
/** From where a match is looked for: from a row on, without one from the top of the view. */
type Seek = { from?: number }
/** A search of a list at a cut. */
type Search = { question: Question; list: ListKind; wanted: TextPattern }

const NONE: FoundMatches = { at: [], counts: [] }
/** How many blocks keep their marks in memory. */
const MARKS_HELD = 400

/** Looks for a text in all blocks of a list, in the host: in what they say in full. The newest search wins. */
export class Find {
  readonly store = createStore<FindLook>({
    wanted: NOTHING,
    found: NONE,
    n: 0,
    number: 0,
    searching: false,
    failure: null,
    round: 0,
    wish: 0,
  })
  private readonly host: Pick<Host, 'call'>
  private readonly asking: Asking
  private readonly list: () => ListKind | null
  private readonly top: () => number
  private readonly memo: Memo<Search, FindAnswer>
  private readonly marksHeld = new Map<string, Promise<MatchesAnswer>>()
  /**
   * Set from a change of what is looked for to its first answer, which goes to a match; later answers stay at it. A list
   * that changes in between takes the place of the search, not of its wish.
   */
  private seek: Seek | null = null

  /** `list` returns the list to search, `null` while it is not shown; `top` the row at the top of the view. */
  constructor(host: Pick<Host, 'call'>, asking: Asking, list: () => ListKind | null, top: () => number) {
    this.host = host
    this.asking = asking
    this.list = list
    this.top = top
    this.memo = new Memo({
      ask: ({ question: { session, view, cut }, list, wanted }) =>
        host.call('find', { session, view, cut, list, wanted }),
      took: (answer, { wanted }) => this.take(answer, wanted),
      failed: (failure, { wanted }) => {
        const { wanted: now, round } = this.store.get()
        if (wanted !== now) return
        this.marksHeld.clear()
        this.seek = null
        this.store.set({ failure, found: NONE, n: 0, number: 0, searching: false, round: round + 1 })
      },
    })
    onQuestion(asking, (_, other) => (other ? this.clear() : this.again()))
  }

  /** Changes what is looked for, from a row on; without one from the top of the view. */
  set(change: Partial<TextPattern>, from?: number): void {
    const wanted = { ...this.store.get().wanted, ...change }
    this.store.set({ wanted })
    this.seek = { from }
    this.ask()
  }

  clear(): void {
    this.store.set({ wanted: { ...this.store.get().wanted, query: '' } })
    this.ask()
  }

  /** The list has changed: looks again and stays at the match. */
  again(): void {
    if (this.store.get().wanted.query !== '') this.ask()
  }

  move(by: 1 | -1): void {
    const { n, number, wish } = this.store.get()
    if (n > 0) this.store.set({ number: numberBeside(number, by, n), wish: wish + 1 })
  }

  /** The match that it stands on. */
  stop(): Stop | null {
    const { found, number, n } = this.store.get()
    return n > 0 ? stopAt(found, number) : null
  }

  /** Where a block of the list matches. */
  marks(block: string): Promise<MatchesAnswer> {
    const { wanted, failure } = this.store.get()
    const { question } = this.asking.store.get()
    const list = this.list()
    if (!question || !list || wanted.query === '' || failure)
      return Promise.resolve({ ranges: [], snippet: null })
    const known = this.marksHeld.get(block)
    if (known) return known
    const { session, view, cut } = question
    const as_sent = list.type === 'context' && !list.ghosts
    const answer = this.host.call('matches', { session, view, cut, block, as_sent, wanted })
    this.marksHeld.set(block, answer)
    const [oldest] = this.marksHeld.keys()
    if (this.marksHeld.size > MARKS_HELD && oldest !== undefined) this.marksHeld.delete(oldest)
    answer.catch(() => this.marksHeld.delete(block))
    return answer
  }

  private ask(): void {
    const { wanted, round } = this.store.get()
    const { question } = this.asking.store.get()
    const list = this.list()
    if (wanted.query === '' || !question || !list) {
      this.memo.forget()
      this.marksHeld.clear()
      this.seek = null
      this.store.set({ found: NONE, n: 0, number: 0, searching: false, failure: null, round: round + 1 })
      return
    }
    this.store.set({ searching: true })
    this.memo.want({ question, list, wanted })
  }

  private take(found: FindAnswer, wanted: TextPattern): void {
    const { wanted: now, number, round, wish, found: before } = this.store.get()
    if (wanted !== now) return
    const { seek } = this
    this.seek = null
    this.marksHeld.clear()
    const n = countOf(found)
    const stood = stopAt(before, number)
    const at = numberFrom(found, seek ? (seek.from ?? this.top()) : (stood?.row ?? 0))
    const within = seek ? 0 : (stood?.nth ?? 0)
    this.store.set({
      found,
      n,
      number: n === 0 ? 0 : Math.min(at + within, n - 1),
      searching: false,
      failure: null,
      round: round + 1,
      // Only a typed search moves the list.
      wish: seek !== null && n > 0 ? wish + 1 : wish,
    })
  }
}

import { reducedMotion } from '../canvas/scene'
import type { DuelAnswer } from '../ipc/generated/DuelAnswer'
import type { ViewSettings } from '../ipc/generated/ViewSettings'
import type { Host } from '../ipc/host'
import { DUEL_MS, placeOf, turnAt, type Side } from '../view/duel'
import { viewOf } from '../view/comparison'
import { USUAL_CACHE } from './comparison'
import { Memo } from './memo'
import { COMPACTION } from './presenter'
import { onQuestion } from './question'
import { createStore } from './store'
import type { Question, Workbench } from './workbench'

/** How often a playing duel moves, milliseconds. */
const FRAME_MS = 33
/** Without motion it moves in as many jumps as it has seconds. */
const JUMP_MS = 1000

interface DuelQuestion {
  question: Question
  views: readonly [ViewSettings, ViewSettings]
}

/** Two policies at one budget over one session: plays both from the first turn to the last. */
export class Duel {
  readonly store = createStore<{
    on: boolean
    playing: boolean
    /** The place on the way from the first turn to the last, 0 to 1. */
    place: number
    policies: Readonly<Record<Side, string>>
    /** The budget of both as people type it; `null` follows the window. */
    budget: string | null
  }>({ on: false, playing: false, place: 0, policies: { a: 'cwl+', b: COMPACTION }, budget: null })
  readonly memo: Memo<DuelQuestion, DuelAnswer>
  private readonly bench: Workbench
  /** Tells whether the window moves nothing that need not move. */
  private readonly isStill: () => boolean
  private timer: ReturnType<typeof setTimeout> | undefined
  /** The moment, and the place, from which it plays. */
  private since = 0
  private from = 0
  private session: string | null = null

  constructor(host: Host, bench: Workbench, isStill: () => boolean = reducedMotion) {
    this.isStill = isStill
    this.bench = bench
    this.memo = new Memo({
      ask: ({ question: { session }, views: [a, b] }) =>
        host.call('duel', { session, a, b, cache: USUAL_CACHE }),
      key: ({ question, views }) => [question.session, question.revision, JSON.stringify(views)],
      keep: (now, before) => now.question.session === before.question.session,
    })
    onQuestion(bench, () => this.refresh())
    // A session that is left takes its duel along.
    bench.store.subscribe(() => {
      const path = bench.bench.session?.path ?? null
      if (path === this.session) return
      this.session = path
      this.pause()
      this.store.set({ on: false, place: 0, budget: null })
    })
  }

  /** The budget of both sides, as people type it. */
  get budget(): string {
    return this.store.get().budget ?? this.bench.bench.view.budget
  }

  get nTurns(): number {
    return this.memo.store.get().answer?.came_in.length ?? 1
  }

  get turn(): number {
    return turnAt(this.store.get().place, this.nTurns)
  }

  /** Shows the duel, which plays as soon as its answer is there, or leaves it. */
  set(on: boolean): void {
    this.pause()
    this.store.set({ on, place: 0 })
    this.refresh()
    if (on) this.play()
  }

  setPolicy(side: Side, policy: string): void {
    this.store.set({ policies: { ...this.store.get().policies, [side]: policy } })
    this.refresh()
  }

  setBudget(budget: string): void {
    this.store.set({ budget })
    this.refresh()
  }

  toggle(): void {
    if (this.store.get().playing) this.pause()
    else this.play()
  }

  /** Plays from here on, and from the beginning if this is the end. */
  play(): void {
    const { place } = this.store.get()
    this.from = place >= 1 ? 0 : place
    this.since = performance.now()
    this.store.set({ playing: true, place: this.from })
    this.tick()
  }

  pause(): void {
    clearTimeout(this.timer)
    this.store.set({ playing: false })
  }

  /** Goes to a place of the way, and stays there. */
  seek(place: number): void {
    this.pause()
    this.store.set({ place: Math.min(1, Math.max(0, place)) })
  }

  turnBy(n: number): void {
    this.seek(placeOf(this.turn + n, this.nTurns))
  }

  private tick(): void {
    clearTimeout(this.timer)
    const still = this.isStill()
    this.timer = setTimeout(() => this.advance(still), still ? JUMP_MS : FRAME_MS)
  }

  private advance(still: boolean): void {
    const { answer, failure } = this.memo.store.get()
    if (failure) return this.pause()
    const now = performance.now()
    // The thirty seconds begin when the answer has arrived.
    if (!answer) this.since = now
    const passed = now - this.since
    const counted = still ? Math.round(passed / JUMP_MS) * JUMP_MS : passed
    const place = Math.min(1, this.from + counted / DUEL_MS)
    this.store.set({ place })
    if (place >= 1) this.pause()
    else this.tick()
  }

  private refresh(): void {
    const { question, session } = this.bench.bench
    const { on, policies } = this.store.get()
    if (!on || !question) return this.memo.want(null)
    const known = session?.choices.policies ?? []
    const view = (side: Side) =>
      viewOf({ policy: policies[side], budget: this.budget, options: {} }, question.view, known)
    this.memo.want({ question, views: [view('a'), view('b')] })
  }
}

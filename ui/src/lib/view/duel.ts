import type { DuelNeed } from '../ipc/generated/DuelNeed'
import type { DuelSide } from '../ipc/generated/DuelSide'

/** How long a duel plays from its first turn to its last, milliseconds, however long the session is. */
export const DUEL_MS = 30_000
/** How long what leaves, or is needed again, stays lit, milliseconds of a duel that plays. */
const LIT_MS = 1_500

/** The two sides of a duel. */
export const SIDES = ['a', 'b'] as const
export type Side = (typeof SIDES)[number]

/** Content of one turn that leaves the context. */
export interface Departure {
  turn: number
  /** The turn before whose request the content came in. */
  origin: number
  tokens: number
}

/** The rest of the content of each turn, at one turn of a replay; it goes through the changes once. */
export class Leftover {
  readonly tokens: number[]
  private readonly cameIn: readonly number[]
  private readonly changes: DuelSide['changes']
  private n = 0
  private at = 0

  constructor(cameIn: readonly number[], { changes }: Pick<DuelSide, 'changes'>) {
    this.cameIn = cameIn
    this.changes = changes
    this.tokens = [...cameIn]
  }

  /** Moves to a turn. A way back begins at the first turn. */
  moveTo(turn: number): readonly number[] {
    if (turn < this.at) {
      this.cameIn.forEach((tokens, origin) => (this.tokens[origin] = tokens))
      this.n = 0
    }
    this.at = turn
    for (let change = this.changes[this.n]; change && change[0] <= turn; change = this.changes[++this.n])
      this.tokens[change[1] - 1] = change[2]
    return this.tokens
  }
}

/** Lists what leaves the context, in turn order. */
export function departuresOf(cameIn: readonly number[], { changes }: Pick<DuelSide, 'changes'>): Departure[] {
  const left = [...cameIn]
  return changes.flatMap(([turn, origin, tokens]) => {
    const lost = (left[origin - 1] ?? 0) - tokens
    left[origin - 1] = tokens
    return lost > 0 ? [{ turn, origin, tokens: lost }] : []
  })
}

/** The place of a duel on its way, 0 to 1, as a turn with a fraction. */
export const exactTurn = (place: number, nTurns: number): number => 1 + place * Math.max(0, nTurns - 1)

/** The turn at a place of the way. */
export const turnAt = (place: number, nTurns: number): number => Math.floor(exactTurn(place, nTurns) + 1e-9)

/** The place of a turn on the way. */
export const placeOf = (turn: number, nTurns: number): number =>
  nTurns < 2 ? 1 : Math.min(1, Math.max(0, (turn - 1) / (nTurns - 1)))

/** How strongly something of a turn is lit, 0 to 1: fully at that turn, and then less, or still fully without motion. */
export function lightOf(turn: number, now: number, nTurns: number, still: boolean): number {
  const passed = now - turn
  const long = Math.max(1, (nTurns * LIT_MS) / DUEL_MS)
  if (passed < 0 || passed >= long) return 0
  return still ? 1 : 1 - passed / long
}

/** The last entries at or before a turn that share their turn; none if there is none. */
export function lastAt<T extends { turn: number }>(entries: readonly T[], turn: number): readonly T[] {
  let end = 0
  let after = entries.length
  while (end < after) {
    const middle = (end + after) >> 1
    if ((entries[middle]?.turn ?? 0) <= turn) end = middle + 1
    else after = middle
  }
  const last = entries[end - 1]?.turn
  let from = end
  while (from > 0 && entries[from - 1]?.turn === last) from -= 1
  return entries.slice(from, end)
}

/** The last departures, added up: their turn, their tokens, and the episode of the largest part. */
export interface Leaving {
  turn: number
  tokens: number
  episode: number | null
}

/** Sums up what left last at or before a turn. */
export function leavingAt(
  departures: readonly Departure[],
  episodes: readonly (number | null)[],
  turn: number,
): Leaving | null {
  const last = lastAt(departures, turn)
  const first = last[0]
  if (!first) return null
  const parts = new Map<number | null, number>()
  for (const { origin, tokens } of last) {
    const episode = episodes[origin - 1] ?? null
    parts.set(episode, (parts.get(episode) ?? 0) + tokens)
  }
  const [episode] = [...parts].reduce((most, part) => (part[1] > most[1] ? part : most))
  return { turn: first.turn, tokens: last.reduce((sum, { tokens }) => sum + tokens, 0), episode }
}

/** The largest need that is lit at a turn, or else the largest need of the last turn with any. */
export function needAt(needs: readonly DuelNeed[], turn: number, nTurns: number): DuelNeed | null {
  const lit = needs.filter((need) => lightOf(need.turn, turn, nTurns, true) > 0)
  const told = lit.length > 0 ? lit : lastAt(needs, turn)
  return told.length === 0 ? null : told.reduce((most, need) => (need.tokens > most.tokens ? need : most))
}

/** A τ at which a session of that size is evicted from: half of its fullest request, in thousands. */
export function tightBudget(full: readonly number[]): number {
  const half = Math.max(0, ...full) / 2
  return half >= 1000 ? Math.round(half / 1000) * 1000 : Math.max(1, Math.round(half))
}

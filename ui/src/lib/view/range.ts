import type { HistoryAnswer } from '../ipc/generated/HistoryAnswer'
import type { ReplayAnswer } from '../ipc/generated/ReplayAnswer'
import type { TurnRange } from './link'

/** The turns between two places, whichever comes first, as far as there are any. */
export function rangeBetween(a: number, b: number, nTurns: number): TurnRange {
  const within = (turn: number) => Math.max(1, Math.min(nTurns, Math.round(turn)))
  return { from: within(Math.min(a, b)), to: within(Math.max(a, b)) }
}

/** The figures of a range of turns, in tokens and counts. */
export interface RangeFigures {
  nTurns: number
  /** The tokens that came in. */
  cameIn: number
  /** The tokens that the passes took. */
  evicted: number
  nSteps: number
  /** The mean and the largest request. */
  mean: number
  largest: number
  /** Requests that stay above τ. */
  nOver: number
}

/** Adds up the figures of each turn of a range; `null` where none of them is known. */
export function figuresOf(
  history: Pick<HistoryAnswer, 'came_in'>,
  replay: ReplayAnswer,
  { from, to }: TurnRange,
): RangeFigures | null {
  const last = Math.min(to, replay.after.length)
  if (last < from) return null
  const figures = { nTurns: last - from + 1, cameIn: 0, evicted: 0, nSteps: 0, mean: 0, largest: 0, nOver: 0 }
  let sent = 0
  for (let at = from - 1; at < last; at += 1) {
    const after = replay.after[at] ?? 0
    figures.cameIn += history.came_in[at] ?? 0
    figures.evicted += Math.max(0, (replay.before[at] ?? 0) - after)
    figures.nSteps += replay.n_steps[at] ?? 0
    figures.largest = Math.max(figures.largest, after)
    sent += after
  }
  figures.mean = Math.round(sent / figures.nTurns)
  for (let at = 0; at < replay.over_budget.length; at += 1) {
    const turn = replay.over_budget[at] ?? 0
    if (from <= turn && turn <= last) figures.nOver += 1
  }
  return figures
}

/** A range that is made longer or shorter by a turn at the end that moves; `at` is where one begins. */
export function stretched(
  range: TurnRange | null,
  at: number,
  by: number,
  nTurns: number,
): { range: TurnRange; at: number } {
  // The end on which the cut stands moves; the other one stays.
  const anchor = range === null ? at : at === range.from ? range.to : range.from
  const moved = Math.max(1, Math.min(nTurns, at + by))
  return { range: rangeBetween(anchor, moved, nTurns), at: moved }
}

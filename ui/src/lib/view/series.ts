import type { HistoryAnswer } from '../ipc/generated/HistoryAnswer'
import type { HiddenLossRow } from '../ipc/generated/HiddenLossRow'
import type { MissRow } from '../ipc/generated/MissRow'

/** The last value of a series; 0 where there is none. */
export const lastOf = (series: ArrayLike<number> | undefined): number => series?.[series.length - 1] ?? 0

/** True where a value is in a series. */
export const isAmong = (series: ArrayLike<number>, value: number): boolean =>
  Array.prototype.includes.call(series, value)

/** True where a series begins with the first `n` values of another one. */
export function beginsAs(series: ArrayLike<number>, other: ArrayLike<number>, n: number): boolean {
  for (let at = 0; at < n; at += 1) if (series[at] !== other[at]) return false
  return true
}

/** The hidden losses that a turn's request shows. */
export const lossesAt = ({ losses }: HistoryAnswer, turn: number): HiddenLossRow[] =>
  losses.filter((loss) => loss.from <= turn && turn <= loss.to)

/** The turns that missed the prompt cache, in order, but for the first request: nothing stood there before it. */
export const missTurns = ({ misses }: HistoryAnswer): number[] =>
  misses.filter((miss) => miss.cause !== 'first').map((miss) => miss.turn)

/** How a turn's request missed the prompt cache; `null` where it did not. */
export const missAt = ({ misses }: HistoryAnswer, turn: number): MissRow | null =>
  misses.find((miss) => miss.turn === turn) ?? null

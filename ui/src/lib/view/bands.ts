import type { Band } from '../ipc/generated/Band'
import type { HistoryAnswer } from '../ipc/generated/HistoryAnswer'
import type { ReplayAnswer } from '../ipc/generated/ReplayAnswer'

/** Bands stacked: row 0 is the floor, row `n` the top of band `n - 1`; one value per turn, tokens. */
export interface Stack {
  names: Band[]
  tops: Float64Array[]
  nTurns: number
  /** The largest request, full history and reported size, tokens. */
  mostAfter: number
  mostFull: number
  mostReported: number
}

const stacks = new WeakMap<ReplayAnswer, { full: HistoryAnswer['full']; stack: Stack }>()

/** Returns the stack of a replay. It is worked out once: pictures and their scales ask for it in each frame. */
export function stackOf(history: Pick<HistoryAnswer, 'full' | 'reported'>, replay: ReplayAnswer): Stack {
  const { full } = history
  const known = stacks.get(replay)
  if (known?.full === full) return known.stack
  const stack = stacked(history, replay)
  stacks.set(replay, { full, stack })
  return stack
}

function stacked({ full, reported }: Pick<HistoryAnswer, 'full' | 'reported'>, replay: ReplayAnswer): Stack {
  const nTurns = replay.after.length
  const tops = [new Float64Array(nTurns)]
  for (const band of replay.bands) {
    const floor = tops[tops.length - 1] as Float64Array
    const top = new Float64Array(nTurns)
    for (let turn = 0; turn < nTurns; turn += 1) top[turn] = (floor[turn] ?? 0) + (band.tokens[turn] ?? 0)
    tops.push(top)
  }
  const most = (values: ArrayLike<number | null>) => {
    let largest = 1
    for (let at = 0; at < values.length; at += 1) largest = Math.max(largest, values[at] ?? 0)
    return largest
  }
  return {
    names: replay.bands.map((band) => band.band),
    tops,
    nTurns,
    mostAfter: most(replay.after),
    mostFull: most(full),
    mostReported: most(reported),
  }
}

/** Round values for the lines of a token scale. */
export function ticks(top: number, n: number): number[] {
  const rough = top / Math.max(1, n)
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)))
  const unit = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((step) => step >= rough) ?? power * 10
  const found: number[] = []
  for (let value = unit; value < top; value += unit) found.push(value)
  return found
}

/** The mean of `values` over the turns `from..to` (from 0, `to` not included). */
export function mean(values: ArrayLike<number>, from: number, to: number): number {
  const start = Math.max(0, from)
  const end = Math.min(values.length, Math.max(to, start + 1))
  let sum = 0
  for (let at = start; at < end; at += 1) sum += values[at] ?? 0
  return end > start ? sum / (end - start) : 0
}

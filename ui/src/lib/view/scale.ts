import { scaleLinear } from 'd3-scale'

import { count } from './format'
import { beginsAs } from './series'

/** The unit in which x is linear: turns, or the tokens that came in. */
export type AxisKind = 'turns' | 'tokens'

/** A labelled place of the axis. */
export interface Tick {
  turn: number
  label: string
}

/**
 * Where turns stand. A place is a length along x before zoom and pan: turns on one axis, tokens on the other.
 * Between two turns, before the first and after the last it goes on evenly.
 */
export interface Axis {
  kind: AxisKind
  /** The narrowest view, places. */
  least: number
  /** The place of a turn; strictly rising. */
  place(turn: number): number
  /** The turn at a place: the inverse of `place`. */
  turn(place: number): number
  /** About `n` round labels between two places. */
  ticks(from: number, to: number, n: number): Tick[]
  /** The label of the cut on a turn. */
  label(turn: number): string
  /** True when turns stand where they stand on `before`, apart from the last one there, which is not over. */
  continues(before: Axis): boolean
}

/** Every turn is as wide as any other. */
export const TURNS: Axis = {
  kind: 'turns',
  least: 4,
  place: (turn) => turn,
  turn: (place) => place,
  ticks: (from, to, n) =>
    scaleLinear()
      .domain([from, to])
      .ticks(n)
      .filter((turn) => Number.isInteger(turn) && turn >= 1)
      .map((turn) => ({ turn, label: count(turn) })),
  label: count,
  continues: (before) => before.kind === 'turns',
}

/** How wide a turn is in which nothing came in, tokens: it can still be told from its neighbours and clicked. */
export const LEAST_TURN = 8
const LEAST_VIEW = 400

/**
 * Every turn is as wide as the tokens that came in since the turn before.
 */
export class TokenAxis implements Axis {
  readonly kind = 'tokens'
  readonly least = LEAST_VIEW
  /** The tokens that came in since the turn before. */
  readonly cameIn: ArrayLike<number>
  /** The tokens that came in up to a turn, and its place; from turn 0, which is before everything. */
  private readonly tokens: Float64Array
  private readonly places: Float64Array
  /** The width of a turn beyond the known ones: that of the mean turn. */
  private readonly beyond: number

  constructor(cameIn: ArrayLike<number>) {
    this.cameIn = cameIn
    this.tokens = new Float64Array(cameIn.length + 1)
    this.places = new Float64Array(cameIn.length + 1)
    for (let turn = 1; turn <= cameIn.length; turn += 1) {
      const came = cameIn[turn - 1] ?? 0
      this.tokens[turn] = (this.tokens[turn - 1] ?? 0) + came
      this.places[turn] = (this.places[turn - 1] ?? 0) + Math.max(came, LEAST_TURN)
    }
    this.beyond = Math.max(LEAST_TURN, (this.places[cameIn.length] ?? 0) / Math.max(1, cameIn.length))
  }

  place(turn: number): number {
    return this.along(turn, this.places, this.beyond)
  }

  turn(place: number): number {
    return this.back(place, this.places, this.beyond)
  }

  ticks(from: number, to: number, n: number): Tick[] {
    const mean = (this.tokens[this.cameIn.length] ?? 0) / Math.max(1, this.cameIn.length)
    const tokensAt = (place: number) => this.along(this.turn(place), this.tokens, mean)
    const round = scaleLinear()
      .domain([tokensAt(from), tokensAt(to)])
      .ticks(n)
      .filter((tokens) => tokens >= 0 && Number.isInteger(tokens))
    const step = (round[1] ?? 0) - (round[0] ?? 0)
    return round.map((tokens) => ({
      turn: this.back(tokens, this.tokens, mean),
      label: rounded(tokens, step),
    }))
  }

  label(turn: number): string {
    return rounded(Math.round(this.along(turn, this.tokens, 0)), 100)
  }

  continues(before: Axis): boolean {
    return (
      before instanceof TokenAxis &&
      before.cameIn.length <= this.cameIn.length &&
      beginsAs(this.cameIn, before.cameIn, before.cameIn.length - 1)
    )
  }

  /** A column at a turn, evenly between its values. */
  private along(turn: number, column: Float64Array, beyond: number): number {
    const last = this.cameIn.length
    if (turn <= 0) return turn * beyond
    if (turn >= last) return (column[last] ?? 0) + (turn - last) * beyond
    const before = Math.floor(turn)
    const from = column[before] ?? 0
    return from + (turn - before) * ((column[before + 1] ?? from) - from)
  }

  /** The turn at which a column has a value; of several, the last. */
  private back(value: number, column: Float64Array, beyond: number): number {
    const last = this.cameIn.length
    if (value <= 0) return beyond > 0 ? value / beyond : 0
    if (value >= (column[last] ?? 0)) return last + (beyond > 0 ? (value - (column[last] ?? 0)) / beyond : 0)
    let low = 0
    let high = last
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((column[middle] ?? 0) <= value) low = middle
      else high = middle
    }
    const from = column[low] ?? 0
    return low + (value - from) / ((column[high] ?? 0) - from)
  }
}

/** `84200` as `84.2k` where labels are `step` tokens apart: short, but never the same twice. */
function rounded(tokens: number, step: number): string {
  const cut = (value: number, digits: number) => String(Number(value.toFixed(digits)))
  if (tokens < 1000 || step < 100) return count(tokens)
  if (tokens < 1e6 || step < 1e4) return `${cut(tokens / 1e3, 1)}k`
  return `${cut(tokens / 1e6, 2)}M`
}

/** The axis of a kind over a history; `before` itself when it is the same one. */
export function axisOf(kind: AxisKind, cameIn: ArrayLike<number> | null, before: Axis): Axis {
  if (kind === 'turns' || cameIn === null) return TURNS
  const same =
    before instanceof TokenAxis &&
    before.cameIn.length === cameIn.length &&
    beginsAs(before.cameIn, cameIn, cameIn.length)
  return same ? before : new TokenAxis(cameIn)
}

/** A part of an axis, in its places. */
export interface View {
  axis: Axis
  x0: number
  x1: number
}

/** Turns to pixels, shared by graph, timeline, strip and axis. */
export interface Scale {
  /** The turns at the left and the right edge. */
  x0: number
  x1: number
  width: number
  /** Pixels per turn, on the average of what is in view. */
  unit: number
  /** Pixels per place. */
  density: number
  px(turn: number): number
  turn(px: number): number
  /** The place at a pixel. */
  place(px: number): number
  /** Labels for the axis, one about every `gap` pixels. */
  ticks(gap?: number): Tick[]
  label(turn: number): string
}

export function scaleOf({ axis, x0, x1 }: View, width: number): Scale {
  const density = width / Math.max(1e-6, x1 - x0)
  const place = (px: number) => x0 + px / density
  const first = axis.turn(x0)
  const last = axis.turn(x1)
  return {
    x0: first,
    x1: last,
    width,
    unit: width / Math.max(1e-6, last - first),
    density,
    px: (turn) => (axis.place(turn) - x0) * density,
    turn: (px) => axis.turn(place(px)),
    place,
    ticks: (gap = 96) => axis.ticks(x0, x1, Math.max(1, Math.floor(width / gap))),
    label: (turn) => axis.label(turn),
  }
}

import { TURNS, type Axis, type View } from '../view/scale'
import { createStore } from './store'

/** The part of the time axis that graph and timeline show. */
export interface Viewport extends View {
  /** The end of the axis: the last turn and a little air, a place; at least as much as a view shows. */
  end: number
}

export const viewport = createStore<Viewport>({ axis: TURNS, x0: 0, x1: 10, end: 10 })

/** Below this many pixels per turn a long session opens at its end instead of as a whole. */
const WHOLE_PX_PER_TURN = 1.2
const FIRST_PX_PER_TURN = 2.4
/** A session that is seen as a whole stays so while it grows, up to this many turns. */
const MOST_WHOLE = 600

const airOf = (nTurns: number) => Math.max(0.6, Math.min(4, nTurns * 0.012))
/** Not less than what a view shows at least: all pictures of a short session have the same scale. */
const endOf = (axis: Axis, nTurns: number) => Math.max(axis.place(nTurns + airOf(nTurns)), axis.least)
const isWhole = ({ x0, x1, end }: Viewport) => x0 <= end * 1e-6 && x1 >= end * (1 - 1e-6)

function spanOf(axis: Axis, wanted: number, end: number): number {
  return Math.min(Math.max(wanted, axis.least), end)
}

function place(x0: number, span: number, { axis, end }: { axis: Axis; end: number } = viewport.get()): void {
  const width = spanOf(axis, span, end)
  const start = Math.max(0, Math.min(x0, Math.max(0, end - width)))
  viewport.set({ axis, x0: start, x1: start + width, end })
}

/** The first view of a session: the whole of it, or as much of its end as can be read. */
export function openAt(axis: Axis, nTurns: number, width: number): void {
  const turns = nTurns + airOf(nTurns)
  const end = endOf(axis, nTurns)
  const first =
    width / turns >= WHOLE_PX_PER_TURN ? 0 : Math.max(0, turns - Math.max(40, width / FIRST_PX_PER_TURN))
  const x0 = axis.place(first)
  place(x0, end - x0, { axis, end })
}

/**
 * Turns came, or were counted anew: what is in view stays, but a view that followed the end slides with it.
 * On another kind of axis the turn in the middle stays in the middle.
 */
export function arrange(axis: Axis, nTurns: number, follow: boolean): void {
  const now = viewport.get()
  const end = endOf(axis, nTurns)
  if (axis === now.axis && end === now.end) return
  if (axis.kind !== now.axis.kind) return exchange(axis, end)
  const [x0, x1] = axis.continues(now.axis) ? [now.x0, now.x1] : [carry(axis, now.x0), carry(axis, now.x1)]
  const nSeen = now.axis.turn(now.x1) - now.axis.turn(now.x0)
  const more = axis.turn(end) - now.axis.turn(now.end) > 1e-6
  if (isWhole(now) && nSeen < MOST_WHOLE) place(0, end, { axis, end })
  else if (follow && more) place(end - (x1 - x0), x1 - x0, { axis, end })
  else place(x0, x1 - x0, { axis, end })
}

/** The place on `axis` of what is at a place of the present one. */
const carry = (axis: Axis, x: number) => axis.place(viewport.get().axis.turn(x))

/** The view before the kind of axis was changed, and the one that came of it. */
let exchanged: { before: Viewport; after: Viewport } | null = null

function exchange(axis: Axis, end: number): void {
  const before = viewport.get()
  const back = exchanged?.after === before ? exchanged.before : null
  if (back && back.axis.kind === axis.kind && back.end === end) {
    // There and back again is where one was.
    viewport.set({ ...back, axis })
  } else if (isWhole(before)) place(0, end, { axis, end })
  else {
    // Where the middle is near an end of this axis, less is shown, so that it can stay the middle.
    const middle = carry(axis, (before.x0 + before.x1) / 2)
    const wanted = Math.min(carry(axis, before.x1) - carry(axis, before.x0), 2 * middle, 2 * (end - middle))
    const span = spanOf(axis, wanted, end)
    place(middle - span / 2, span, { axis, end })
  }
  exchanged = { before, after: viewport.get() }
}

export function fit(): void {
  place(0, viewport.get().end)
}

/** Shows what is between two places. */
export function show(x0: number, x1: number): void {
  place(x0, x1 - x0)
}

/** Shows turns, each with its whole width, and a little air. */
export function showTurns(first: number, last: number): void {
  const { axis } = viewport.get()
  const [from, to] = [axis.place(first - 0.5), axis.place(last + 0.5)]
  const air = (to - from) * 0.03
  place(from - air, to - from + 2 * air)
}

/** Moves the view along by a length, places. */
export function panBy(by: number): void {
  const { x0, x1 } = viewport.get()
  place(x0 + by, x1 - x0)
}

/** Zooms so that the place `at` stays where it is. `factor` below 1 zooms in. */
export function zoomAt(at: number, factor: number): void {
  const { axis, x0, x1, end } = viewport.get()
  const span = spanOf(axis, (x1 - x0) * factor, end)
  const share = (at - x0) / (x1 - x0)
  place(at - share * span, span)
}

/** Brings a range of turns into view with as little movement as is needed. */
export function reveal(first: number, last: number): void {
  const { axis } = viewport.get()
  bring(axis.place(first), axis.place(last))
}

/** Brings a turn into view, with what is next to it as far as there is room. */
export function revealTurn(turn: number): void {
  const { axis, x0, x1 } = viewport.get()
  const at = axis.place(turn)
  const most = (x1 - x0) * 0.02
  bring(Math.max(axis.place(turn - 0.5), at - most), Math.min(axis.place(turn + 0.5), at + most))
}

function bring(from: number, to: number): void {
  const { x0, x1 } = viewport.get()
  const span = x1 - x0
  const air = span * 0.06
  if (from >= x0 && to <= x1) return
  if (to - from > span || from < x0) place(from - air, span)
  else place(to + air - span, span)
}

export function zoomCentre(factor: number): void {
  const { x0, x1 } = viewport.get()
  zoomAt((x0 + x1) / 2, factor)
}

import { createStore } from './store'

/** The range of turns that graph and timeline show; x of a turn is the turn's number. */
export interface Viewport {
  x0: number
  x1: number
  /** The end of the scale: the last turn and a little air. */
  end: number
}

export const viewport = createStore<Viewport>({ x0: 0, x1: 10, end: 10 })

const MIN_SPAN = 4
/** Below this many pixels per turn a long session opens at its end instead of as a whole. */
const WHOLE_PX_PER_TURN = 1.2
const FIRST_PX_PER_TURN = 2.4

const airOf = (nTurns: number) => Math.max(0.6, Math.min(4, nTurns * 0.012))

function place(x0: number, span: number, end: number): void {
  const width = Math.min(Math.max(span, MIN_SPAN), Math.max(end, MIN_SPAN))
  const start = Math.max(0, Math.min(x0, Math.max(0, end - width)))
  viewport.set({ x0: start, x1: start + width, end })
}

/** The first view of a session: the whole of it, or as much of its end as can be read. */
export function openAt(nTurns: number, width: number): void {
  const end = nTurns + airOf(nTurns)
  const whole = width / end >= WHOLE_PX_PER_TURN
  const span = whole ? end : Math.min(end, Math.max(40, width / FIRST_PX_PER_TURN))
  place(end - span, span, end)
}

/** More turns came: the view slides with them when it followed the end, else it stays. */
export function grow(nTurns: number, follow: boolean): void {
  const { x0, x1, end } = viewport.get()
  const nextEnd = nTurns + airOf(nTurns)
  if (nextEnd === end) return
  const whole = x0 <= 0.001 && x1 >= end - 0.001
  const span = x1 - x0
  if (whole && span < 600) place(0, nextEnd, nextEnd)
  else if (follow) place(nextEnd - span, span, nextEnd)
  else place(x0, span, nextEnd)
}

export function fit(): void {
  const { end } = viewport.get()
  place(0, end, end)
}

export function show(x0: number, x1: number): void {
  place(x0, x1 - x0, viewport.get().end)
}

export function panBy(turns: number): void {
  const { x0, x1, end } = viewport.get()
  place(x0 + turns, x1 - x0, end)
}

/** Zooms so that the turn `at` stays where it is. `factor` below 1 zooms in. */
export function zoomAt(at: number, factor: number): void {
  const { x0, x1, end } = viewport.get()
  const span = Math.min(Math.max((x1 - x0) * factor, MIN_SPAN), Math.max(end, MIN_SPAN))
  const share = (at - x0) / (x1 - x0)
  place(at - share * span, span, end)
}

/** Brings a range of turns into view with as little movement as is needed. */
export function reveal(from: number, to: number): void {
  const { x0, x1, end } = viewport.get()
  const span = x1 - x0
  const air = span * 0.06
  if (from >= x0 && to <= x1) return
  if (to - from > span) place(from - air, span, end)
  else if (from < x0) place(from - air, span, end)
  else place(to + air - span, span, end)
}

export function zoomCentre(factor: number): void {
  const { x0, x1 } = viewport.get()
  zoomAt((x0 + x1) / 2, factor)
}

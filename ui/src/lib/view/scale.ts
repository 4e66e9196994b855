import { scaleLinear } from 'd3-scale'

/** Turns to pixels, shared by graph, timeline and axis. */
export interface Scale {
  x0: number
  x1: number
  width: number
  /** Pixels per turn. */
  unit: number
  px(turn: number): number
  turn(px: number): number
}

export function scaleOf(view: { x0: number; x1: number }, width: number): Scale {
  const unit = width / Math.max(1e-6, view.x1 - view.x0)
  return {
    x0: view.x0,
    x1: view.x1,
    width,
    unit,
    px: (turn) => (turn - view.x0) * unit,
    turn: (px) => view.x0 + px / unit,
  }
}

/** Whole turns for the axis, one about every `gap` pixels. */
export function turnTicks(scale: Scale, gap = 96): number[] {
  const wanted = Math.max(1, Math.floor(scale.width / gap))
  return scaleLinear()
    .domain([scale.x0, scale.x1])
    .ticks(wanted)
    .filter((turn) => Number.isInteger(turn) && turn >= 1)
}

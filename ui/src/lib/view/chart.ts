import { scaleLinear, scaleLog } from 'd3-scale'

import { METRICS, type Metric, type Side } from './sweep'
import type { SweepPoint } from '../ipc/generated/SweepPoint'

/** A point of the chart, in pixels, with what it stands for. */
export interface ChartPoint {
  series: number
  /** Its place among the points of its series. */
  at: number
  budget: number | null
  px: number
  py: number
  /** The side whose line it is on; `null` where another setting of its side beats it. */
  side: Side | null
}

export interface Chart {
  /** Per series, along τ. */
  series: ChartPoint[][]
  /** Ticks of an axis: where, and what they say. */
  xTicks: { at: number; label: string }[]
  yTicks: { at: number; label: string }[]
  /** Where something with these values would stand. */
  place: (point: Sized) => { px: number; py: number }
  /** For each side, the line through its settings that no other of the side beats. It may leave the plot. */
  lines: Record<Side, { px: number; py: number }[]>
}

type Sized = Parameters<Metric['value']>[0]

/** The room around the plot, pixels. */
export const MARGIN = { left: 60, right: 22, top: 16, bottom: 38 }

/** The values of an axis: from the least to the most, with a little room. */
export function domainOf(values: readonly number[]): [number, number] {
  const low = Math.min(...values)
  const high = Math.max(...values)
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1]
  if (low === high) return low === 0 ? [0, 1] : [low * 0.9, high * 1.1]
  const room = (high - low) * 0.06
  return [low >= 0 ? Math.max(0, low - room) : low - room, high + room]
}

/** A setting on the line of its side, by its place, with its figures. */
export interface OnLine {
  series: number
  at: number
  figures: Sized
}

export const NO_LINES: Record<Side, readonly OnLine[]> = { cwl: [], others: [] }

/**
 * Picks the figures that the axes must hold: the line of CWL, the other line as far as it is near, and `extra`. One setting
 * that keeps next to nothing would else press all others together.
 */
function focusOf(
  all: readonly Sized[],
  extra: readonly Sized[],
  lines: Record<Side, readonly OnLine[]>,
  metrics: readonly Metric[],
): readonly Sized[] {
  const core = lines.cwl.map(({ figures }) => figures)
  if (core.length === 0) return all
  const isNear = metrics.map((metric) => {
    const values = core.map(metric.value)
    const [low, high] = [Math.min(...values), Math.max(...values)]
    const reach = (high - low || Math.abs(high) || 1) / 2
    return (point: Sized) => metric.value(point) >= low - reach && metric.value(point) <= high + reach
  })
  const near = lines.others.map(({ figures }) => figures).filter((point) => isNear.every((is) => is(point)))
  return [...core, ...near, ...extra]
}

/**
 * Lays out points for two metrics; `extra` are figures that must be in view too, and `lines` are the settings that no other of
 * their side beats, the cheapest first. A point beyond the axes stands at the edge.
 */
export function chartOf(
  series: readonly (readonly SweepPoint[])[],
  extra: readonly Sized[],
  x: Metric,
  y: Metric,
  width: number,
  height: number,
  lines: Record<Side, readonly OnLine[]> = NO_LINES,
): Chart {
  const focus = focusOf([...series.flat(), ...extra], extra, lines, [x, y])
  const scaleOf = (metric: Metric, from: number, to: number, n: number) => {
    const values = focus.map(metric.value).filter((value) => metric.key !== 'budget' || value > 0)
    const domain = domainOf(values)
    if (metric.key === 'budget') {
      const low = Math.max(1, Math.min(...values, domain[1]))
      const scale = scaleLog([low * 0.93, Math.max(low * 1.1, domain[1])], [from, to])
      return { scale: (value: number) => scale(Math.max(1, value)), ticks: sparse(scale.ticks(n), n) }
    }
    const scale = scaleLinear(domain, [from, to])
    return { scale: (value: number) => scale(value), ticks: scale.ticks(n) }
  }
  const right = Math.max(MARGIN.left + 1, width - MARGIN.right)
  const floor = Math.max(MARGIN.top + 1, height - MARGIN.bottom)
  const across = scaleOf(x, MARGIN.left, right, Math.max(2, Math.floor(width / 90)))
  const up = scaleOf(y, floor, MARGIN.top, Math.max(2, Math.floor(height / 46)))
  const exact = (point: Sized) => ({ px: across.scale(x.value(point)), py: up.scale(y.value(point)) })
  const place = (point: Sized) => {
    const { px, py } = exact(point)
    return { px: within(px, MARGIN.left, right), py: within(py, MARGIN.top, floor) }
  }
  const sides = new Map(
    SIDES.flatMap((side) => lines[side].map((one) => [`${one.series}-${one.at}`, side] as const)),
  )
  const placed = series.map((points, of) =>
    points.map((point, at) => ({
      series: of,
      at,
      budget: point.budget,
      ...place(point),
      side: sides.get(`${of}-${at}`) ?? null,
    })),
  )
  const label = (metric: Metric, ticks: readonly number[], scale: (value: number) => number) =>
    ticks.map((value) => ({ at: scale(value), label: metric.tick(value) }))
  const lineOf = (side: Side) => lines[side].map(({ figures }) => exact(figures))
  return {
    series: placed,
    xTicks: label(x, across.ticks, across.scale),
    yTicks: label(y, up.ticks, up.scale),
    place,
    lines: { cwl: lineOf('cwl'), others: lineOf('others') },
  }
}

export const SIDES: readonly Side[] = ['cwl', 'others']

const within = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high)

/** How far from each other the places of a line are that names keep clear of, pixels. */
const STEP = 7

/** Places along a line, for names to keep clear of. */
export function alongLine(
  line: readonly { px: number; py: number }[],
): { px: number; py: number; r: number }[] {
  return line.flatMap((to, at) => {
    const from = line[at - 1]
    if (!from) return []
    const n = Math.min(400, Math.ceil(Math.hypot(to.px - from.px, to.py - from.py) / STEP))
    return Array.from({ length: n }, (_, step) => {
      const share = step / n
      return { px: from.px + share * (to.px - from.px), py: from.py + share * (to.py - from.py), r: 2 }
    })
  })
}

/** Keeps the round ticks of a scale of powers: 1, 2 and 5 times a power of ten. */
function sparse(ticks: number[], n: number): number[] {
  if (ticks.length <= n) return ticks
  const leading = (value: number) => Math.round(value / 10 ** Math.floor(Math.log10(value)))
  const round = ticks.filter((tick) => [1, 2, 5].includes(leading(tick)))
  return round.length <= n * 1.5 ? round : round.filter((tick) => leading(tick) === 1)
}

/** The point nearest to a place, if one is near; `reach` in pixels. */
export function nearest(chart: Chart, px: number, py: number, reach = 26): ChartPoint | null {
  let best: ChartPoint | null = null
  let least = reach * reach
  for (const point of chart.series.flat()) {
    const distance = (point.px - px) ** 2 + (point.py - py) ** 2
    if (distance < least) {
      least = distance
      best = point
    }
  }
  return best
}

/** A box of the picture, pixels. */
export interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/** A name that wants to stand beside a place. */
export interface Label {
  px: number
  py: number
  words: string
}

/** A name that has found its place: its text begins at `x`, on the line `y`. */
export interface Placed extends Label {
  x: number
  y: number
}

/** The size of a name in letters of 10.5 pixels. */
const LETTER = 6.1
const LINE = 13
/** How far from the middle of a point a name stands. */
const AWAY = 9

export const boxOf = ({ x, y, words }: Pick<Placed, 'x' | 'y' | 'words'>): Box => ({
  left: x,
  top: y - LINE + 3,
  right: x + words.length * LETTER,
  bottom: y + 3,
})

const touch = (one: Box, other: Box) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom

/**
 * Places names beside their points, so that no name touches another, a point or a taken box, or leaves the picture. The first
 * come first; a name that finds no room is left out.
 */
export function placed(
  labels: readonly Label[],
  points: readonly { px: number; py: number; r?: number }[],
  taken: readonly Box[],
  width: number,
  height: number,
): Placed[] {
  const found: Placed[] = []
  const boxes = [...taken]
  const dots = points.map(({ px, py, r = 6 }) => ({
    left: px - r,
    top: py - r,
    right: px + r,
    bottom: py + r,
  }))
  for (const label of labels) {
    const wide = label.words.length * LETTER
    const { px, py } = label
    const tries = [
      { x: px + AWAY, y: py + 15 },
      { x: px - wide / 2, y: py + 20 },
      { x: px + AWAY, y: py - 7 },
      { x: px - AWAY - wide, y: py - 7 },
      { x: px - wide / 2, y: py - 12 },
      { x: px - AWAY - wide, y: py + 15 },
      { x: px + AWAY + 2, y: py + 4 },
      { x: px - AWAY - 2 - wide, y: py + 4 },
    ]
    const free = tries.find((one) => {
      const box = boxOf({ ...one, words: label.words })
      const isInside =
        box.left >= MARGIN.left &&
        box.right <= width - 2 &&
        box.top >= MARGIN.top &&
        box.bottom <= height - MARGIN.bottom
      return isInside && ![...boxes, ...dots].some((other) => touch(box, other))
    })
    if (!free) continue
    found.push({ ...label, ...free })
    boxes.push(boxOf({ ...free, words: label.words }))
  }
  return found
}

/** The metrics by name, for menus. */
export const METRIC_KEYS = METRICS.map((metric) => metric.key)

import { scaleLinear, scaleLog } from 'd3-scale'

import { METRICS, frontOf, type Metric } from './sweep'
import type { SweepPointDto } from '../ipc/generated/SweepPointDto'

/** A point of the chart, in pixels, with what it stands for. */
export interface ChartPoint {
  series: number
  /** Its place among the points of its series. */
  at: number
  budget: number | null
  px: number
  py: number
  /** True where no other point of any series beats it on both axes. */
  front: boolean
}

export interface Chart {
  /** Per series, along τ. */
  series: ChartPoint[][]
  /** Ticks of an axis: where, and what they say. */
  xTicks: { at: number; label: string }[]
  yTicks: { at: number; label: string }[]
  /** Where something with these values would stand. */
  place: (point: Sized) => { px: number; py: number }
  /** True when points can beat each other on these axes. */
  hasFront: boolean
}

type Sized = Parameters<Metric['value']>[0]

/** The room around the plot, pixels. */
export const MARGIN = { left: 60, right: 22, top: 16, bottom: 38 }

/** The values of an axis: from zero where that does not press everything into a corner, with a little room. */
export function domainOf(values: readonly number[]): [number, number] {
  const low = Math.min(...values)
  const high = Math.max(...values)
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1]
  if (low === high) return low === 0 ? [0, 1] : [low * 0.9, high * 1.1]
  const room = (high - low) * 0.06
  return low < 0.4 * high ? [0, high + room] : [low - room, high + room]
}

/** Lays out points for two metrics; `extra` are figures that must be in view too. */
export function chartOf(
  series: readonly (readonly SweepPointDto[])[],
  extra: readonly Sized[],
  x: Metric,
  y: Metric,
  width: number,
  height: number,
): Chart {
  const all: Sized[] = [...series.flat(), ...extra]
  const scaleOf = (metric: Metric, from: number, to: number, n: number) => {
    const values = all.map(metric.value).filter((value) => metric.key !== 'budget' || value > 0)
    const domain = domainOf(values)
    if (metric.key === 'budget') {
      const low = Math.max(1, Math.min(...values, domain[1]))
      const scale = scaleLog([low * 0.93, Math.max(low * 1.1, domain[1])], [from, to])
      return { scale: (value: number) => scale(Math.max(1, value)), ticks: sparse(scale.ticks(n), n) }
    }
    const scale = scaleLinear(domain, [from, to])
    return { scale: (value: number) => scale(value), ticks: scale.ticks(n) }
  }
  const across = scaleOf(
    x,
    MARGIN.left,
    Math.max(MARGIN.left + 1, width - MARGIN.right),
    Math.max(2, Math.floor(width / 90)),
  )
  const up = scaleOf(
    y,
    Math.max(MARGIN.top + 1, height - MARGIN.bottom),
    MARGIN.top,
    Math.max(2, Math.floor(height / 46)),
  )
  const place = (point: Sized) => ({ px: across.scale(x.value(point)), py: up.scale(y.value(point)) })
  const flat = series.flatMap((points) => points.map((point) => ({ x: x.value(point), y: y.value(point) })))
  const front = frontOf(flat, x, y)
  let n = 0
  const placed = series.map((points, of) =>
    points.map((point, at) => ({
      series: of,
      at,
      budget: point.budget,
      ...place(point),
      front: front.has(n++),
    })),
  )
  const label = (metric: Metric, ticks: readonly number[], scale: (value: number) => number) =>
    ticks.map((value) => ({ at: scale(value), label: metric.tick(value) }))
  return {
    series: placed,
    xTicks: label(x, across.ticks, across.scale),
    yTicks: label(y, up.ticks, up.scale),
    place,
    hasFront: front.size > 0,
  }
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

/** Which points of the first series are named by their τ, so that no two names touch. */
export function named(points: readonly ChartPoint[], wide = 40, high = 15): Set<number> {
  const taken: { px: number; py: number }[] = []
  const found = new Set<number>()
  for (const point of points) {
    const free = taken.every(
      (other) => Math.abs(other.px - point.px) > wide || Math.abs(other.py - point.py) > high,
    )
    if (!free) continue
    taken.push(point)
    found.add(point.at)
  }
  return found
}

/** The metrics by name, for menus. */
export const METRIC_KEYS = METRICS.map((metric) => metric.key)

import type { FrontierMeasure } from '../ipc/generated/FrontierMeasure'
import type { PolicyRow } from '../ipc/generated/PolicyRow'
import type { MeasuredSetting } from '../ipc/generated/MeasuredSetting'
import type { SweepPoint } from '../ipc/generated/SweepPoint'
import { costOf, count, money, perMille, short } from './format'

/** Something that a chart can have on one of its axes. */
export interface Metric {
  key: MetricKey
  better: 'less' | 'more' | null
  value: (
    point: Pick<
      SweepPoint,
      'budget' | 'cost' | 'recall' | 'probes' | 'found' | 'n_steps' | 'over_budget_turns'
    >,
  ) => number
  shown: (value: number) => string
  tick: (value: number) => string
}

export type MetricKey =
  'budget' | 'cost' | 'hits' | 'probes' | 'reacquired' | 'found' | 'doubts' | 'steps' | 'over'

/** All of them, in the order of the menu. */
export const METRICS: readonly Metric[] = [
  { key: 'budget', better: null, value: (point) => point.budget ?? 0, shown: count, tick: short },
  { key: 'cost', better: 'less', value: (point) => point.cost.total_cost, shown: money, tick: moneyTick },
  {
    key: 'hits',
    better: 'more',
    value: (point) => point.recall.hit_per_mille,
    shown: perMille,
    tick: perMille,
  },
  {
    key: 'probes',
    better: 'more',
    value: (point) => point.probes.answered_per_mille ?? 0,
    shown: perMille,
    tick: perMille,
  },
  {
    key: 'reacquired',
    better: 'less',
    value: (point) => point.recall.reacquired_tokens,
    shown: count,
    tick: short,
  },
  { key: 'found', better: 'less', value: (point) => point.found.verification, shown: count, tick: short },
  { key: 'doubts', better: 'less', value: (point) => point.found.doubts, shown: count, tick: short },
  { key: 'steps', better: 'less', value: (point) => point.n_steps, shown: count, tick: short },
  { key: 'over', better: 'less', value: (point) => point.over_budget_turns, shown: count, tick: short },
]

/** A figure of a point as people read it; money only for a model that has a price. */
export const pointText = (metric: Metric, point: Parameters<Metric['value']>[0]): string =>
  metric.key === 'cost' ? costOf(point.cost, metric.value(point)) : metric.shown(metric.value(point))

/** The figures of a point beside its budget; probes only where some are asked. */
export const figuresOf = (point: Pick<SweepPoint, 'probes'>): readonly Metric[] =>
  METRICS.filter(({ key }) => key !== 'budget' && (key !== 'probes' || point.probes.asked > 0))

export const metricOf = (key: MetricKey): Metric =>
  METRICS.find((metric) => metric.key === key) ?? (METRICS[0] as Metric)

/** The figures on both axes: of a session without a price, τ stands for cost, and what is found again for a second τ. */
export function axesOf(x: MetricKey, y: MetricKey, isPriced: boolean): [Metric, Metric] {
  const drawn = (key: MetricKey, other: MetricKey): MetricKey =>
    key !== 'cost' || isPriced ? key : other === 'budget' ? 'hits' : 'budget'
  return [metricOf(drawn(x, y)), metricOf(drawn(y, x))]
}

/** Money on an axis: as few digits as tell the ticks apart. */
function moneyTick(micro: number): string {
  const usd = micro / 1e6
  return usd >= 10 || Number.isInteger(usd) ? `$${Math.round(usd)}` : `$${Number(usd.toPrecision(2))}`
}

/** The two sides of the verdict: the CWL family and the other policies. */
export type Side = 'cwl' | 'others'

export const sideOf = (name: string, policies: readonly Pick<PolicyRow, 'name' | 'family'>[]): Side =>
  policies.find((policy) => policy.name === name)?.family === 'paper' ? 'cwl' : 'others'

const FIELD = /^\d[\d_]*(\.\d+)?[kKmM%]?(\.\.\d[\d_]*(\.\d+)?[kKmM]?:\d[\d_]*(\.\d+)?[kKmM]?)?$/

/** Budgets as people type them, `40k..160k:10k, 200k`; `null` when that is not understood. */
export function readBudgets(text: string): string[] | null {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '')
  return parts.length > 0 && parts.every((part) => FIELD.test(part)) ? parts : null
}

/** The measures by which the engine can tell what a setting keeps. */
const KEPT_BY: Partial<Record<MetricKey, FrontierMeasure>> = {
  hits: 'recall',
  probes: 'probes',
  reacquired: 'reacquired',
}

/** The measure of the frontier on these axes; `null` where they do not show money against what is kept. */
export const keptBy = (x: MetricKey, y: MetricKey): FrontierMeasure | null => {
  if (x === 'cost') return KEPT_BY[y] ?? null
  return y === 'cost' ? (KEPT_BY[x] ?? null) : null
}

/** A policy with a budget, as the engine is asked about it. */
export function settingOf(
  policy: string,
  point: Pick<SweepPoint, 'budget' | 'cost' | 'recall' | 'probes' | 'n_steps' | 'beyond_window'>,
  by: FrontierMeasure,
): MeasuredSetting {
  const { recall, probes, beyond_window: nRefused } = point
  const known = {
    recall: recall.hit_per_mille,
    probes: probes.answered_per_mille,
    reacquired: recall.reacquired_tokens,
  }[by]
  // A setting whose requests no model takes keeps nothing.
  const kept = nRefused > 0 ? null : known
  const cost = point.cost.unpriced ? null : point.cost.total_cost
  return { policy, budget: point.budget, cost, kept, n_steps: point.n_steps }
}

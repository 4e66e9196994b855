import type { CompareColumn } from '../ipc/generated/CompareColumn'
import type { DetailSurvivalRow } from '../ipc/generated/DetailSurvivalRow'
import type { PolicyRow } from '../ipc/generated/PolicyRow'
import type { ViewSettings } from '../ipc/generated/ViewSettings'
import { text } from '../text'
import { costOf, count, perMille } from './format'
import type { Options } from './options'

/** A policy beside the main one. */
export interface Column {
  policy: string
  /** Its own τ as people type it; `null` follows the main one. */
  budget: string | null
  /** Its own options that are not at their default; the common ones are always those of the main view. */
  options: Options
}

/** How many policies fit side by side, the main one among them. */
export const MOST_COLUMNS = 8

/** How many stand there at first, the main one among them: as many as a window of usual width shows whole. */
const FIRST_COLUMNS = 4

/** The columns of a session that is compared for the first time; `likely` are the policies that people compare most. */
export const likelyColumns = (main: string, likely: readonly string[]): Column[] =>
  likely
    .filter((name) => name !== main)
    .slice(0, FIRST_COLUMNS - 1)
    .map((policy) => ({ policy, budget: null, options: {} }))

/** The policy that a new column starts with: the first that is not there yet. */
export function nextPolicy(
  main: string,
  columns: readonly Column[],
  likely: readonly string[],
  policies: readonly Pick<PolicyRow, 'name'>[],
): string {
  const there = new Set([main, ...columns.map((column) => column.policy)])
  const all = [...likely, ...policies.map((policy) => policy.name)]
  return all.find((name) => !there.has(name)) ?? main
}

const commonOf = (
  policy: PolicyRow | undefined,
  options: ViewSettings['options'],
  common: boolean,
): Options => {
  const keys = new Set(policy?.options.filter((option) => option.common).map((option) => option.key))
  return Object.fromEntries(Object.entries(options as Options).filter(([key]) => keys.has(key) === common))
}

/** The view of a column: what is not its own is the main view's. */
export function viewOf(column: Column, main: ViewSettings, policies: readonly PolicyRow[]): ViewSettings {
  const policy = policies.find((known) => known.name === column.policy)
  const options = { ...commonOf(policy, main.options, true), ...column.options }
  return { ...main, policy: column.policy, budget: column.budget ?? main.budget, options }
}

/** The main view as a column; its τ is then the one that it had. */
export function columnOf(main: ViewSettings, budget: string | null, policies: readonly PolicyRow[]): Column {
  const policy = policies.find((known) => known.name === main.policy)
  return { policy: main.policy, budget, options: commonOf(policy, main.options, false) }
}

/** One line of the comparison. */
export interface Measure {
  key: string
  /** `cut` is about the cut; the others are about the whole session: the verdict comes first, then the checks. */
  group: 'verdict' | 'checks' | 'cut' | 'session'
  /** Which end is the better one, if that can be said. */
  better: 'less' | 'more' | null
  value: (column: CompareColumn) => number
  shown: (column: CompareColumn) => string
}

const tokens = (value: (column: CompareColumn) => number) => ({
  value,
  shown: (column: CompareColumn) => count(value(column)),
})

const violationsOf = (column: CompareColumn) => column.violations.reduce((sum, [, n]) => sum + n, 0)

/** The needs of details of all kinds, and those that the requests met. */
function needsOf(column: CompareColumn) {
  const sum = (of: (kind: DetailSurvivalRow) => number) =>
    column.survival.reduce((total, kind) => total + of(kind), 0)
  return { needed: sum((kind) => kind.n_needed), kept: sum((kind) => kind.n_literal + kind.n_named) }
}

/** All lines, in order. The engine worked out every figure; here is only how it is written. */
export const MEASURES: readonly Measure[] = [
  { key: 'total', group: 'cut', better: null, ...tokens((column) => column.total) },
  { key: 'kept', group: 'cut', better: null, ...tokens((column) => column.n_kept) },
  {
    key: 'gone',
    group: 'cut',
    better: null,
    value: (column) => column.n_gone,
    shown: (column) => `${count(column.n_gone)} (${count(column.gone_tokens)})`,
  },
  {
    key: 'violations',
    group: 'cut',
    better: 'less',
    value: violationsOf,
    shown: (column) =>
      column.violations
        .filter(([, n]) => n > 0)
        .map(([provider, n]) => `${provider} ${count(n)}`)
        .join(', ') || '0',
  },
  {
    key: 'cost',
    group: 'verdict',
    better: 'less',
    value: (column) => column.cost.total_cost,
    shown: (column) => costOf(column.cost, column.cost.total_cost),
  },
  {
    key: 'hits',
    group: 'verdict',
    better: 'more',
    value: (column) => column.recall.hit_per_mille,
    shown: (column) => perMille(column.recall.hit_per_mille),
  },
  {
    key: 'reacquired',
    group: 'verdict',
    better: 'less',
    ...tokens((column) => column.recall.reacquired_tokens),
  },
  {
    key: 'details',
    group: 'checks',
    better: 'more',
    value: (column) => needsOf(column).kept,
    shown: (column) => {
      const { needed, kept } = needsOf(column)
      return needed === 0 ? text.compare.noDetails : text.compare.detailsKept(count(kept), count(needed))
    },
  },
  {
    key: 'probes',
    group: 'checks',
    better: 'more',
    value: (column) => column.probes.answered_per_mille ?? -1,
    shown: (column) => {
      const { answered, asked, answered_per_mille: share } = column.probes
      return share === null
        ? text.compare.noProbes
        : `${perMille(share)} (${count(answered)} of ${count(asked)})`
    },
  },
  { key: 'found', group: 'checks', better: 'less', ...tokens((column) => column.found.verification) },
  { key: 'doubts', group: 'session', better: 'less', ...tokens((column) => column.found.doubts) },
  {
    key: 'summaries',
    group: 'session',
    better: null,
    value: (column) => column.cost.summary_cost,
    shown: (column) => costOf(column.cost, column.cost.summary_cost),
  },
  {
    key: 'cached',
    group: 'session',
    better: 'more',
    value: (column) => column.cost.cached_per_mille,
    shown: (column) => perMille(column.cost.cached_per_mille),
  },
  { key: 'over', group: 'session', better: 'less', ...tokens((column) => column.over_budget.length) },
  { key: 'beyond', group: 'session', better: 'less', ...tokens((column) => column.beyond_window) },
  { key: 'steps', group: 'session', better: null, ...tokens((column) => column.n_steps) },
  { key: 'mean', group: 'session', better: null, ...tokens((column) => column.mean_total) },
  { key: 'largest', group: 'session', better: null, ...tokens((column) => column.max_total) },
]

/** The value by which a column is compared with the others: what cannot be is never the best. */
export function valueAmong(measure: Measure, column: CompareColumn): number {
  if (measure.group !== 'verdict' || column.beyond_window === 0) return measure.value(column)
  return measure.better === 'more' ? -Infinity : Infinity
}

/** The places of the best values; none where no end is better, or where all are alike. */
export function bestOf(values: readonly number[], better: Measure['better']): Set<number> {
  if (better === null || values.length < 2) return new Set()
  const best = better === 'less' ? Math.min(...values) : Math.max(...values)
  if (values.every((value) => value === best)) return new Set()
  return new Set(values.flatMap((value, at) => (value === best ? [at] : [])))
}

/** Names of columns, told apart where a policy stands there twice: `cwl`, `cwl 50k`. */
export function columnNames(columns: readonly { policy: string; budget: string }[]): string[] {
  return columns.map(({ policy, budget }) =>
    columns.filter((other) => other.policy === policy).length > 1 ? `${policy} ${budget}` : policy,
  )
}

/** The largest of each of `n` equal parts, so that no peak is lost; shorter lists stay as they are. */
export function peaks(values: readonly number[], n: number): number[] {
  if (values.length <= n) return [...values]
  return Array.from({ length: n }, (_, part) => {
    const from = Math.floor((part * values.length) / n)
    const to = Math.max(from + 1, Math.floor(((part + 1) * values.length) / n))
    let most = 0
    for (let at = from; at < to; at += 1) most = Math.max(most, values[at] ?? 0)
    return most
  })
}

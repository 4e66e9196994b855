import { expect, test } from 'vitest'

import type { SweepPointDto } from '../ipc/generated/SweepPointDto'
import { MARGIN, chartOf, domainOf, named, nearest } from './chart'
import { budgetsFor, frontOf, metricOf, readBudgets } from './sweep'

const point = (budget: number | null, cost: number, hits: number): SweepPointDto =>
  ({
    budget,
    cost: { total_cost: cost },
    look_back: { hit_per_mille: hits, regret_tokens: 0 },
    n_steps: 0,
    over_budget_turns: 0,
  }) as SweepPointDto

const COST = metricOf('cost')
const HITS = metricOf('hits')

test('the budgets rise, hold the paper’s, and end at the whole history', () => {
  const budgets = budgetsFor(367_000)
  expect(budgets).toEqual([...budgets].sort((a, b) => a - b))
  expect(new Set(budgets).size).toBe(budgets.length)
  for (const named of [50_000, 80_000, 120_000]) expect(budgets).toContain(named)
  expect(budgets.at(-1)).toBeGreaterThan(367_000)
  expect(budgetsFor(0).length).toBeGreaterThan(3)
  expect(budgetsFor(5_000_000), 'a long session too').toEqual(
    expect.arrayContaining([16_000, 50_000, 80_000]),
  )
})

test.each([
  ['40k..160k:10k', ['40k..160k:10k']],
  ['50k, 80k 120000', ['50k', '80k', '120000']],
  ['50%', ['50%']],
  ['', null],
  ['lots', null],
  ['40k..', null],
  ['80k..20k:', null],
])('budgets typed as %j', (typed, read) => {
  expect(readBudgets(typed)).toEqual(read)
})

test('a point is on the front while nothing is as good on both axes and better on one', () => {
  const points = [
    { x: 1, y: 100 },
    { x: 2, y: 300 },
    { x: 3, y: 200 },
    { x: 3, y: 300 },
    { x: 4, y: 400 },
    { x: 4, y: 400 },
  ]
  expect([...frontOf(points, COST, HITS)]).toEqual([0, 1, 4, 5])
  expect(frontOf(points, metricOf('budget'), HITS).size).toBe(0)
})

test.each([
  [[10, 100], 0],
  [[90, 100], 89.4],
  [[5, 5], 4.5],
  [[0, 0], 0],
  [[], 0],
])('an axis for %j begins at %d', (values, low) => {
  const [from, to] = domainOf(values)
  expect(from).toBeCloseTo(low)
  expect(to).toBeGreaterThan(from)
})

test('points stand inside of the plot, cheaper ones left of dearer ones', () => {
  const series = [[point(20_000, 1e6, 400), point(80_000, 4e6, 900)], [point(50_000, 2e6, 950)]]
  for (const [x, y] of [
    ['cost', 'hits'],
    ['budget', 'cost'],
    ['regret', 'over'],
  ] as const) {
    const chart = chartOf(series, [point(null, 5e6, 1000)], metricOf(x), metricOf(y), 600, 300)
    for (const { px, py } of chart.series.flat()) {
      expect(px).toBeGreaterThanOrEqual(MARGIN.left)
      expect(px).toBeLessThanOrEqual(600 - MARGIN.right)
      expect(py).toBeGreaterThanOrEqual(MARGIN.top)
      expect(py).toBeLessThanOrEqual(300 - MARGIN.bottom)
    }
    for (const { at } of [...chart.xTicks, ...chart.yTicks]) expect(Number.isFinite(at)).toBe(true)
  }
  const chart = chartOf(series, [], COST, HITS, 600, 300)
  const [cheap, dear] = chart.series[0] ?? []
  expect(cheap?.px).toBeLessThan(dear?.px ?? 0)
  expect(chart.series.map((points) => points.map(({ front }) => front))).toEqual([[true, false], [true]])
  expect(nearest(chart, (cheap?.px ?? 0) + 3, cheap?.py ?? 0)).toBe(cheap)
  expect(nearest(chart, 0, 0)).toBeNull()
})

test('a chart without points or room draws nothing and does not fail', () => {
  expect(chartOf([], [], COST, HITS, 0, 0).series).toEqual([])
  expect(chartOf([[]], [], metricOf('budget'), HITS, 300, 200).series).toEqual([[]])
})

test('names of points do not touch', () => {
  const at = (px: number, place: number) => ({ series: 0, at: place, budget: 1, px, py: 50, front: true })
  expect([...named([at(0, 0), at(20, 1), at(60, 2), at(61, 3)])]).toEqual([0, 2])
})

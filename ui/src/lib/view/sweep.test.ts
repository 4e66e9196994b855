import { expect, test } from 'vitest'

import type { SweepPoint } from '../ipc/generated/SweepPoint'
import { MARGIN, alongLine, boxOf, chartOf, domainOf, nearest, placed } from './chart'
import { axesOf, keptBy, metricOf, readBudgets, settingOf, sideOf } from './sweep'

const point = (budget: number | null, cost: number, hits: number): SweepPoint =>
  ({
    budget,
    cost: { total_cost: cost },
    recall: { hit_per_mille: hits, reacquired_tokens: 0 },
    probes: { asked: 0, answered: 0, taken: 0, answered_per_mille: null },
    found: { verification: 0, doubts: 0 },
    n_steps: 0,
    over_budget_turns: 0,
    beyond_window: 0,
  }) as SweepPoint

const COST = metricOf('cost')
const HITS = metricOf('hits')

test('a policy is on the side of its family', () => {
  const policies = [
    { name: 'cwl+', family: 'paper' },
    { name: 'auto', family: 'compaction' },
  ] as const
  expect(['cwl+', 'auto', 'unknown'].map((name) => sideOf(name, policies))).toEqual([
    'cwl',
    'others',
    'others',
  ])
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

test.each([
  ['cost', 'hits', 'recall'],
  ['reacquired', 'cost', 'reacquired'],
  ['cost', 'probes', 'probes'],
  ['budget', 'hits', null],
  ['cost', 'cost', null],
  ['cost', 'steps', null],
] as const)('on the axes %s and %s the frontier is by %s', (x, y, by) => {
  expect(keptBy(x, y)).toBe(by)
})

test.each([
  ['cost', 'hits', true, ['cost', 'hits']],
  ['cost', 'hits', false, ['budget', 'hits']],
  ['hits', 'cost', false, ['hits', 'budget']],
  ['budget', 'cost', false, ['budget', 'hits']],
  ['reacquired', 'steps', false, ['reacquired', 'steps']],
] as const)('on the axes %s and %s, priced %j, stand %j', (x, y, isPriced, drawn) => {
  expect(axesOf(x, y, isPriced).map(({ key }) => key)).toEqual(drawn)
})

test('the engine is asked about a setting by the measure that is shown', () => {
  const one = point(9000, 5, 800)
  expect(settingOf('cwl', one, 'recall')).toEqual({
    policy: 'cwl',
    budget: 9000,
    cost: 5,
    kept: 800,
    n_steps: 0,
  })
  expect(settingOf('cwl', one, 'probes').kept, 'no probe is asked').toBeNull()
  expect(settingOf('cwl', one, 'reacquired').kept).toBe(0)
  const refused = { ...one, beyond_window: 3 }
  expect(settingOf('none', refused, 'recall').kept, 'no model takes it').toBeNull()
})

test.each([
  [[10, 100], 4.6],
  [[90, 100], 89.4],
  [[1, 100], 0],
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
    ['reacquired', 'over'],
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
  const [low, high, other] = [series[0]![0]!, series[0]![1]!, series[1]![0]!]
  const lines = {
    cwl: [
      { series: 0, at: 0, figures: low },
      { series: 0, at: 1, figures: high },
    ],
    others: [{ series: 1, at: 0, figures: other }],
  }
  const chart = chartOf(series, [], COST, HITS, 600, 300, lines)
  const [cheap, dear] = chart.series[0] ?? []
  expect(cheap?.px).toBeLessThan(dear?.px ?? 0)
  expect(chart.series.map((points) => points.map(({ side }) => side))).toEqual([['cwl', 'cwl'], ['others']])
  expect(chart.lines.cwl, 'straight from point to point').toEqual(
    [cheap, dear].map((at) => ({ px: at?.px, py: at?.py })),
  )
  expect(nearest(chart, (cheap?.px ?? 0) + 3, cheap?.py ?? 0)).toBe(cheap)
  expect(nearest(chart, 0, 0)).toBeNull()
})

test('a setting far from the line of CWL stands at the edge, and presses no other together', () => {
  const cwl = [point(20_000, 10e6, 800), point(80_000, 14e6, 900)]
  const others = [point(20_000, 1e6, 100), point(80_000, 12e6, 850)]
  const onLine = (of: number, figures: SweepPoint[]) =>
    figures.map((one, at) => ({ series: of, at, figures: one }))
  const lines = { cwl: onLine(0, cwl), others: onLine(1, others) }
  const chart = chartOf([cwl, others], [], COST, HITS, 600, 300, lines)
  const [far] = chart.series[1] ?? []
  expect([far?.px, far?.py]).toEqual([MARGIN.left, 300 - MARGIN.bottom])
  expect(chart.lines.others[0]?.px, 'its line leaves the picture').toBeLessThan(MARGIN.left)
  const [left, right] = chart.series[0] ?? []
  expect((right?.px ?? 0) - (left?.px ?? 0), 'the line of CWL has the room').toBeGreaterThan(400)
})

test('names keep clear of a line as of a point', () => {
  const line = alongLine([
    { px: 80, py: 100 },
    { px: 400, py: 100 },
  ])
  expect(line.length).toBeGreaterThan(40)
  const [name] = placed([{ px: 240, py: 100, words: 'cwl+ 80k' }], line, [], 520, 260)
  const { top, bottom } = boxOf(name!)
  expect(bottom < 99 || top > 101).toBe(true)
})

test('a chart without points or room draws nothing and does not fail', () => {
  expect(chartOf([], [], COST, HITS, 0, 0).series).toEqual([])
  expect(chartOf([[]], [], metricOf('budget'), HITS, 300, 200).series).toEqual([[]])
})

test('names touch no other name, no point and no edge, wherever the points are', () => {
  // Points that stand as close as they do in real sweeps, by a fixed rule.
  const points = Array.from({ length: 90 }, (_, at) => ({
    px: MARGIN.left + ((at * 37) % 420),
    py: MARGIN.top + ((at * 53) % 180),
  }))
  const labels = points.map((one, at) => ({ ...one, words: `policy ${at}` }))
  const [width, height] = [520, 260]
  const found = placed(labels, points, [], width, height)
  expect(found.length).toBeGreaterThan(5)
  const apart = (a: ReturnType<typeof boxOf>, b: ReturnType<typeof boxOf>) =>
    a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top
  found.forEach((one, at) => {
    const box = boxOf(one)
    expect(box.left >= MARGIN.left && box.right <= width && box.bottom <= height - MARGIN.bottom).toBe(true)
    for (const other of found.slice(at + 1)) expect(apart(box, boxOf(other))).toBe(true)
    for (const { px, py } of points)
      expect(apart(box, { left: px - 5, right: px + 5, top: py - 5, bottom: py + 5 })).toBe(true)
  })
  expect(placed([{ px: 100, py: 100, words: 'x'.repeat(99) }], [], [], width, height), 'no room').toEqual([])
})

import { expect, test } from 'vitest'

import type { ReplayDto } from '../ipc/generated/ReplayDto'
import { columnsOf } from '../canvas/timeline'
import { mean, scaleTop, stackOf, ticks } from './bands'
import { scaleOf, turnTicks } from './scale'

const replay = (bands: number[][], full: number[], budget = 100): ReplayDto => ({
  revision: 1,
  policy: 'cwl',
  budget,
  counted_by: 'o200k',
  overhead: 0,
  overhead_source: 'given',
  before: full,
  after: full.map((_, turn) => bands.reduce((sum, band) => sum + (band[turn] ?? 0), 0)),
  full,
  over_budget: [],
  n_steps: full.map(() => 0),
  bands: bands.map((tokens, at) => ({ band: `band-${at}`, tokens })),
  reported: full.map(() => null),
  compactions: [],
  n_steps_in_all: 0,
})

test('the top of the stack is the total of the request', () => {
  const given = replay(
    [
      [1, 2, 3],
      [10, 0, 5],
      [0, 7, 7],
    ],
    [11, 9, 30],
  )
  const stack = stackOf(given)
  expect(Array.from(stack.tops.at(-1) ?? [])).toEqual(given.after)
  expect(stack.mostAfter).toBe(15)
  expect(stack.mostFull).toBe(30)
})

test('the scale holds every request and the budget, unless the budget is out of all proportion', () => {
  expect(scaleTop(stackOf(replay([[90_000]], [400_000], 80_000)), 80_000)).toBeGreaterThan(90_000)
  expect(scaleTop(stackOf(replay([[50_000]], [50_000])), 80_000)).toBeLessThan(80_000 * 2)
  expect(scaleTop(stackOf(replay([[50_000]], [50_000])), 9_000_000)).toBeLessThan(200_000)
  expect(scaleTop(stackOf(replay([[0]], [0])), 0)).toBeGreaterThan(0)
})

test('ticks are round, rising and below the top', () => {
  for (const top of [1000, 4_400, 92_000, 5_400_000]) {
    const found = ticks(top, 4)
    expect(found.length).toBeGreaterThan(1)
    expect(String(found[0])).toMatch(/^(1|2|25|5)0*$/)
    found.forEach((value, at) => expect(value).toBe((found[0] ?? 0) * (at + 1)))
    expect(found.at(-1)).toBeLessThan(top)
  }
})

test('columns cover all turns once, wide or narrow', () => {
  for (const [x0, x1, nTurns] of [
    [0, 20, 19],
    [0, 8200, 8098],
    [7600, 8102, 8098],
  ] as const) {
    const columns = columnsOf(scaleOf({ x0, x1 }, 1300), nTurns)
    expect(columns.edges.length).toBe(columns.from.length + 1)
    columns.from.forEach((from, at) => {
      expect(columns.to[at]).toBeGreaterThan(from)
      if (at > 0) expect(from).toBeLessThanOrEqual(columns.to[at - 1] ?? 0)
      expect(columns.edges[at + 1]).toBeGreaterThanOrEqual(columns.edges[at] ?? 0)
    })
    expect(columns.from.length).toBeLessThanOrEqual(1300 + 2)
  }
})

test('a mean outside of the values is nothing', () => {
  expect(mean([2, 4], 0, 2)).toBe(3)
  expect(mean([2, 4], -5, 1)).toBe(2)
  expect(mean([], 0, 4)).toBe(0)
  expect(mean([2], 7, 9)).toBe(0)
})

test('turn numbers on the axis are whole and not crowded', () => {
  const scale = scaleOf({ x0: 0.2, x1: 6.4 }, 1300)
  expect(turnTicks(scale).every(Number.isInteger)).toBe(true)
  expect(turnTicks(scaleOf({ x0: 0, x1: 8100 }, 400)).length).toBeLessThan(9)
  expect(scale.turn(scale.px(3.3))).toBeCloseTo(3.3)
})

import { expect, test } from 'vitest'

import type { ReplayAnswer } from '../ipc/generated/ReplayAnswer'
import { columnsOf } from '../canvas/timeline'
import { mean, stackOf, ticks } from './bands'
import { TURNS, TokenAxis, scaleOf, type View } from './scale'

const BANDS = ['human', 'prologue', 'act'] as const

const replay = (bands: number[][], full: number[], budget = 100): ReplayAnswer => ({
  policy: 'cwl',
  budget,
  before: full,
  after: full.map((_, turn) => bands.reduce((sum, band) => sum + (band[turn] ?? 0), 0)),
  over_budget: [],
  n_steps: full.map(() => 0),
  bands: bands.map((tokens, at) => ({ band: BANDS[at] ?? 'residue', tokens })),
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
  const stack = stackOf({ full: given.before, reported: [7, null, 41] }, given)
  expect(Array.from(stack.tops.at(-1) ?? [])).toEqual(given.after)
  expect(stack.mostAfter).toBe(15)
  expect(stack.mostFull).toBe(30)
  expect(stack.mostReported).toBe(41)
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

const uneven = (nTurns: number) => {
  return Array.from({ length: nTurns }, (_, at) => (at % 7 === 0 ? 30_000 : (at * 37) % 400))
}

test('columns cover all turns once, wide or narrow', () => {
  for (const [x0, x1, nTurns] of [
    [0, 20, 19],
    [0, 8200, 8098],
    [7600, 8102, 8098],
  ] as const) {
    const tokens = new TokenAxis(uneven(nTurns))
    check({ axis: TURNS, x0, x1 }, nTurns)
    check({ axis: tokens, x0: tokens.place(x0), x1: tokens.place(x1) }, nTurns)
  }
  function check(view: View, nTurns: number) {
    const scale = scaleOf(view, 1300)
    const columns = columnsOf(scale, nTurns)
    expect(columns.at.length).toBe(columns.from.length)
    expect(columns.edges.length).toBe(columns.from.length + 1)
    columns.from.forEach((from, at) => {
      expect(columns.to[at]).toBeGreaterThan(from)
      if (at > 0) expect(from).toBeLessThanOrEqual(columns.to[at - 1] ?? 0)
      expect(columns.edges[at + 1]).toBeGreaterThanOrEqual(columns.edges[at] ?? 0)
      // A column of one turn holds the place of that turn, or the pixel beside it.
      if (columns.to[at] === from + 1) expect(columns.at[at]).toBe(scale.px(from + 1))
    })
    expect(columns.from.length).toBeLessThanOrEqual(1300 + 2)
    // The first one is in the first pixel or before it, the last one at or beyond the right one or the end.
    expect(columns.at[0]).toBeLessThanOrEqual(Math.max(0.5, scale.px(1)))
    expect(columns.to.at(-1)).toBeGreaterThanOrEqual(Math.min(nTurns, Math.floor(scale.x1)))
  }
})

test('a mean outside of the values is nothing', () => {
  expect(mean([2, 4], 0, 2)).toBe(3)
  expect(mean([2, 4], -5, 1)).toBe(2)
  expect(mean([], 0, 4)).toBe(0)
  expect(mean([2], 7, 9)).toBe(0)
})

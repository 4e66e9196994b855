import { expect, test } from 'vitest'

import type { ReplayAnswer } from '../ipc/generated/ReplayAnswer'
import { figuresOf, rangeBetween, stretched } from './range'

const history = { came_in: [5, 10, 20, 30] }
const replay = {
  before: [5, 15, 35, 50],
  after: [5, 15, 20, 50],
  n_steps: [0, 0, 2, 0],
  over_budget: [4],
} as unknown as ReplayAnswer

test('a range is between two places in either order, inside of the session', () => {
  const check = (a: number, b: number, from: number, to: number) =>
    expect(rangeBetween(a, b, 10)).toEqual({ from, to })
  check(3, 7, 3, 7)
  check(7, 3, 3, 7)
  check(2.4, 2.6, 2, 3)
  check(-5, 90, 1, 10)
  check(40, 50, 10, 10)
})

test('the figures of a range are those of its turns', () => {
  const check = (from: number, to: number, expected: object | null) =>
    expect(figuresOf(history, replay, { from, to })).toEqual(expected)
  check(2, 3, { nTurns: 2, cameIn: 30, evicted: 15, nSteps: 2, mean: 18, largest: 20, nOver: 0 })
  check(1, 1, { nTurns: 1, cameIn: 5, evicted: 0, nSteps: 0, mean: 5, largest: 5, nOver: 0 })
  check(4, 99, { nTurns: 1, cameIn: 30, evicted: 0, nSteps: 0, mean: 50, largest: 50, nOver: 1 })
  check(9, 12, null)
})

test('a range is stretched at the end that the cut is on', () => {
  const check = (
    range: [number, number] | null,
    at: number,
    by: number,
    expected: [number, number, number],
  ) => {
    const before = range && { from: range[0], to: range[1] }
    const next = stretched(before, at, by, 10)
    expect([next.range.from, next.range.to, next.at]).toEqual(expected)
  }
  check(null, 5, 1, [5, 6, 6])
  check(null, 5, -1, [4, 5, 4])
  check([5, 6], 6, 1, [5, 7, 7])
  check([5, 7], 7, -1, [5, 6, 6])
  check([5, 6], 5, -1, [4, 6, 4])
  check([5, 5], 5, -1, [4, 5, 4])
  check([5, 10], 10, 1, [5, 10, 10])
  check([1, 3], 1, -1, [1, 3, 1])
})

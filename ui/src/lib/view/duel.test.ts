import { expect, test } from 'vitest'

import type { DuelNeed } from '../ipc/generated/DuelNeed'
import {
  Leftover,
  departuresOf,
  lastAt,
  leavingAt,
  lightOf,
  needAt,
  placeOf,
  tightBudget,
  turnAt,
} from './duel'

const CAME_IN = [100, 50, 200, 10]
const CHANGES: [number, number, number][] = [
  [3, 1, 40],
  [3, 2, 0],
  [4, 1, 0],
  [4, 2, 50],
]

test('what is left follows the changes, forwards and back', () => {
  const left = new Leftover(CAME_IN, { changes: CHANGES })
  expect([...left.moveTo(2)]).toEqual([100, 50, 200, 10])
  expect([...left.moveTo(3)]).toEqual([40, 0, 200, 10])
  expect([...left.moveTo(4)]).toEqual([0, 50, 200, 10])
  expect([...left.moveTo(1)]).toEqual([100, 50, 200, 10])
})

test('only what becomes less has left', () => {
  expect(departuresOf(CAME_IN, { changes: CHANGES })).toEqual([
    { turn: 3, origin: 1, tokens: 60 },
    { turn: 3, origin: 2, tokens: 50 },
    { turn: 4, origin: 1, tokens: 40 },
  ])
})

test('what left last is summed up, with the episode of its largest part', () => {
  const gone = departuresOf(CAME_IN, { changes: CHANGES })
  const check = (turn: number, expected: unknown) =>
    expect(leavingAt(gone, [7, null, null, null], turn)).toEqual(expected)
  check(2, null)
  check(3, { turn: 3, tokens: 110, episode: 7 })
  check(9, { turn: 4, tokens: 40, episode: 7 })
})

test('the way goes from the first turn to the last', () => {
  for (const nTurns of [2, 3, 170, 10_000]) {
    expect([turnAt(0, nTurns), turnAt(1, nTurns)]).toEqual([1, nTurns])
    for (const turn of [1, 2, nTurns]) expect(turnAt(placeOf(turn, nTurns), nTurns)).toBe(turn)
  }
  expect([turnAt(0.4, 1), placeOf(1, 1)]).toEqual([1, 1])
})

test('a light goes out within a second and a half, and does not fade without motion', () => {
  expect(lightOf(10, 9.9, 600, false)).toBe(0)
  expect(lightOf(10, 10, 600, false)).toBe(1)
  expect(lightOf(10, 25, 600, false)).toBeCloseTo(0.5)
  expect(lightOf(10, 25, 600, true)).toBe(1)
  expect(lightOf(10, 40, 600, true)).toBe(0)
  // A short session is lit for a whole turn.
  expect(lightOf(2, 2.9, 4, true)).toBe(1)
})

test('of several needs the largest that is lit is told, else the largest of the last turn', () => {
  const need = (turn: number, tokens: number) => ({ turn, tokens }) as DuelNeed
  const needs = [need(3, 5), need(60, 1), need(60, 9), need(61, 2)]
  expect(needAt(needs, 2, 100)).toBe(null)
  expect(needAt(needs, 40, 100)).toBe(needs[0])
  expect(needAt(needs, 62, 100)).toBe(needs[2])
  expect(needAt(needs, 99, 100)).toBe(needs[3])
  expect(lastAt(needs, 60)).toEqual([needs[1], needs[2]])
})

test('a tight budget is half of the fullest request', () => {
  expect(tightBudget([1000, 94_737])).toBe(47_000)
  expect(tightBudget([900])).toBe(450)
  expect(tightBudget([])).toBe(1)
})

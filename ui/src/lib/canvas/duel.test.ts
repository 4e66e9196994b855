import { expect, test } from 'vitest'

import { barsOfDuel, turnsOfBar, type DuelPicture } from './duel'
import type { DuelNeed } from '../ipc/generated/DuelNeed'

const picture = (now: number, change: Partial<DuelPicture> = {}): DuelPicture => ({
  cameIn: [100, 50, 200, 10],
  lanes: [1, 2, 1, 0],
  left: [40, 0, 200, 10],
  departures: [
    { turn: 3, origin: 1, tokens: 60 },
    { turn: 3, origin: 2, tokens: 50 },
  ],
  needs: [{ turn: 4, gone: 3, origins: [2], tokens: 50 } as DuelNeed],
  now,
  still: true,
  ...change,
})

test('what comes later has no bar', () => {
  const check = (now: number, expected: number[]) =>
    expect(barsOfDuel(picture(now), 400).map(({ left }) => left)).toEqual(expected)
  check(1, [40])
  check(2.9, [40, 0])
  check(4, [40, 0, 200, 10])
})

test('a bar is lit when its content leaves, and again when that is needed', () => {
  const lights = (now: number) => barsOfDuel(picture(now), 400).map(({ leaves, needed }) => [leaves, needed])
  expect(lights(2)).toEqual([
    [0, 0],
    [0, 0],
  ])
  expect(lights(3)).toEqual([
    [1, 0],
    [1, 0],
    [0, 0],
  ])
  expect(lights(4)).toEqual([
    [0, 0],
    [0, 1],
    [0, 0],
    [0, 0],
  ])
})

test('turns that have no room of their own share a bar, with the kind of the largest', () => {
  expect([turnsOfBar(4, 400), turnsOfBar(4, 6), turnsOfBar(10_000, 1200)]).toEqual([1, 2, 25])
  const bars = barsOfDuel(picture(4), 6)
  expect(bars.map(({ lane, cameIn, left }) => [lane, cameIn, left])).toEqual([
    [1, 150, 40],
    [1, 210, 210],
  ])
  expect(barsOfDuel(picture(4), 6)[0]?.needed).toBe(1)
})

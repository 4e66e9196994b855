import { expect, test } from 'vitest'

import { TURNS, scaleOf } from '../view/scale'
import { marksAt } from './marks'

const at = (turns: number[], width: number, offset = 0, x0 = 0, x1 = 101) =>
  marksAt(turns, scaleOf({ x0, x1, axis: TURNS }, width), offset)

test('a mark stands at its turn, or between it and the one before', () => {
  expect(at([10, 50], 1010)).toEqual([100, 500])
  expect(at([10, 50], 1010, -0.5)).toEqual([95, 495])
})

test('marks that would overlap are one, and none is drawn out of view', () => {
  const all = Array.from({ length: 100 }, (_, turn) => turn + 1)
  const xs = at(all, 202)
  xs.slice(1).forEach((x, nth) => expect(x - (xs[nth] ?? 0)).toBeGreaterThanOrEqual(6))
  expect(xs.length).toBeGreaterThan(20)
  for (const x of at(all, 500, 0, 40, 60)) {
    expect(x).toBeGreaterThanOrEqual(-6)
    expect(x).toBeLessThanOrEqual(506)
  }
  expect(at([], 500)).toEqual([])
})

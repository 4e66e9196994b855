import { expect, test } from 'vitest'

import { TURNS, scaleOf } from '../view/scale'
import { drawOverBudget, marksAt } from './marks'

const at = (turns: number[], width: number, offset = 0, x0 = 0, x1 = 101) =>
  marksAt(turns, scaleOf({ x0, x1, axis: TURNS }, width), offset)

test('a mark stands at its turn, or between it and the one before', () => {
  expect(at([10, 50], 1010).map(({ x }) => x)).toEqual([100, 500])
  expect(at([10, 50], 1010, -0.5).map(({ x }) => x)).toEqual([95, 495])
})

test('marks that would touch are one with their count, and no mark is lost', () => {
  const all = Array.from({ length: 10_000 }, (_, turn) => turn + 1)
  const whole = at(all, 1000, 0, 0, 10_000)
  expect(whole.reduce((n, crowd) => n + crowd.n, 0)).toBe(10_000)
  expect(whole.length).toBeLessThan(1000 / 28 + 2)
  whole.slice(1).forEach(({ x }, nth) => expect(x - (whole[nth]?.x ?? 0)).toBeGreaterThanOrEqual(28))
  // Two that touch are two; those that have room stand alone.
  expect(at([10, 11, 40, 41, 80], 505).map(({ n }) => n)).toEqual([2, 2, 1])
  expect(at([10, 12, 14], 505).map(({ n }) => n)).toEqual([1, 1, 1])
})

test('panning moves crowds and does not change them, and none is drawn out of view', () => {
  const all = Array.from({ length: 1000 }, (_, turn) => turn + 1)
  const before = at(all, 500, 0, 400, 500)
  const after = at(all, 500, 0, 410, 510)
  const shared = after.filter(({ first }) => before.some((crowd) => crowd.first === first))
  expect(shared.length).toBeGreaterThan(10)
  for (const { x } of after) {
    expect(x).toBeGreaterThanOrEqual(-28)
    expect(x).toBeLessThanOrEqual(508)
  }
  expect(at([], 500)).toEqual([])
})

test.each([60, 100, 130, 1000])('no column %d pixels wide in all is veiled twice', (width) => {
  const n = 100
  const replay = {
    budget: 50,
    over_budget: Array.from({ length: n }, (_, at) => at + 1),
    after: Array(n).fill(80),
  }
  const covered = new Array<number>(width).fill(0)
  drawOverBudget(
    (x, _y, wide, _tall, _colour, alpha = 1) => {
      // As a raster rounds.
      const [from, to] = [Math.max(0, Math.round(x)), Math.min(width, Math.round(x + wide))]
      if (alpha < 1) for (let at = from; at < to; at += 1) covered[at] = (covered[at] ?? 0) + 1
    },
    { palette: {}, width } as never,
    replay as never,
    scaleOf({ x0: 1, x1: n, axis: TURNS }, width),
    (tokens) => 100 - tokens,
  )
  expect(Math.max(...covered)).toBe(1)
  // A turn out of view may leave the edges free.
  expect(covered.slice(1, -1)).not.toContain(0)
})

import { expect, test } from 'vitest'

import { hasMore, isBroken, scaleOfTokens } from './tokenScale'

/** A session by its largest request, full history and reported size. */
const stack = (mostAfter: number, mostFull: number, mostReported: number) => ({
  names: [],
  tops: [],
  nTurns: 1,
  mostAfter,
  mostFull,
  mostReported,
})

test.each<[string, [number, number, number], number | null, boolean]>([
  ['all is about as large', [90_000, 100_000, 110_000], 80_000, false],
  ['the full history is ten times τ', [79_000, 800_000, 80_000], 80_000, true],
  ['a reported size is ten times τ', [79_000, 90_000, 800_000], 80_000, true],
  ['nothing is evicted', [90_000, 400_000, 95_000], null, true],
  ['τ is far above all', [50_000, 50_000, 50_000], 9_000_000, false],
  ['nothing was sent', [0, 0, 0], 0, false],
])('large values stand in a band of their own: %s', (_, sizes, budget, expected) => {
  const scale = scaleOfTokens(stack(...sizes), { budget, window: null }, false)
  expect(isBroken(scale)).toBe(expected)
  expect(scale.top).toBeGreaterThan(sizes[0])
  expect(scale.most).toBeGreaterThan(Math.max(...sizes))
  expect(scale.top).toBeLessThan(Math.max(...sizes, 1000) * 2)
  expect(isBroken(scaleOfTokens(stack(...sizes), { budget, window: null }, true)), 'fit all').toBe(false)
})

test.each<[string, number, boolean]>([
  ['a little above the requests', 120_000, true],
  ['below them', 50_000, true],
  ['twice as large', 200_000, false],
  ['far above them', 1_000_000, false],
])('the scale reaches up to a window that does not flatten the requests: %s', (_, window, expected) => {
  const limits = { budget: 80_000, window }
  const scale = scaleOfTokens(stack(90_000, 100_000, 95_000), limits, false)
  expect(isBroken(scale)).toBe(false)
  expect(scale.most >= window).toBe(expected)
  expect(hasMore(scale, window)).toBe(!expected)
  expect(scale.top).toBeLessThan(140_000)
  const whole = scaleOfTokens(stack(90_000, 100_000, 95_000), limits, true)
  expect(whole.top).toBeGreaterThan(window)
  expect(hasMore(whole, window)).toBe(false)
})

test('a window beside the full history stands in the band', () => {
  const limits = { budget: 80_000, window: 900_000 }
  const scale = scaleOfTokens(stack(79_000, 800_000, 80_000), limits, false)
  expect(isBroken(scale)).toBe(true)
  expect(scale.most).toBeGreaterThan(900_000)
})

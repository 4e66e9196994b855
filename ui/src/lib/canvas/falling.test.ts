import { expect, test } from 'vitest'

import { FallingSize } from './falling'

test('a step lets the size fall without a leap, and another turn shows its own at once', () => {
  const size = new FallingSize()
  expect(size.advance(0, 5, 90_000, false)).toBe(90_000)
  const seen: number[] = []
  let now = 16
  do {
    seen.push(size.advance(now, 5, 80_000, false))
    now += 16
  } while (size.isMoving)
  expect(seen).toEqual([...seen].sort((a, b) => b - a))
  expect(seen.length).toBeGreaterThan(5)
  expect(seen.at(-1)).toBe(80_000)
  expect(now).toBeLessThan(1500)
  expect(size.advance(now, 6, 85_000, false)).toBe(85_000)
  expect(size.isMoving).toBe(false)
  expect(size.advance(now + 16, 6, 70_000, true)).toBe(70_000)
})

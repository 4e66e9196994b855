import { expect, test } from 'vitest'

import { intoView, scrollFor } from './anchor'

test('rows that grow above it scroll the list by as much', () => {
  expect(scrollFor({ index: 5, below: -100 }, 1000)).toBe(1100)
  expect(scrollFor({ index: 5, below: -100 }, 1250)).toBe(1350)
  expect(scrollFor({ index: 0, below: 40 }, 0)).toBe(0)
})

test.each([
  [{ index: 0, top: -20, bottom: 40 }, 8],
  [{ index: 0, top: 100, bottom: 160 }, 100],
  [{ index: 0, top: 380, bottom: 420 }, 352],
  [{ index: 0, top: 380, bottom: 1200 }, 8],
])('%j comes into view at %s', (row, at) => {
  expect(intoView(row, 400)).toBe(at)
})

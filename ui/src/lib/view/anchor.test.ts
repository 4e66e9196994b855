import { expect, test } from 'vitest'

import { intoView, isOurs, scrollFor } from './anchor'

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

test.each([
  ['nothing was put there', null, 500, false],
  ['where it was put', 500, 500, true],
  ['told again, rounded', 500, 500.6, true],
  ['somebody scrolled', 500, 540, false],
  ['the list has become too short for it', 1200, 700, true],
  ['somebody scrolled up from its end', 700, 650, false],
])('%s', (_, put, scrollTop, ours) => {
  expect(isOurs(put, { scrollTop, scrollHeight: 1000, clientHeight: 300 })).toBe(ours)
})

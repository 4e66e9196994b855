import { expect, test } from 'vitest'

import { intoView, isOurs, isUntold, scrollFor } from './anchor'

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

test.each([
  ['it stands where it stood', 500, 500, false],
  ['it moved by less than it moves by itself', 500, 510, false],
  ['scrolled down', 500, 600, true],
  ['scrolled to its beginning', 700, 0, true],
  ['scrolled to its end', 0, 700, true],
  ['cut short, to its new end', 1200, 700, false],
  ['cut short and scrolled', 1200, 300, true],
])('%s', (_, seenAt, scrollTop, untold) => {
  expect(isUntold(seenAt, 20, { scrollTop, scrollHeight: 1000, clientHeight: 300 })).toBe(untold)
})

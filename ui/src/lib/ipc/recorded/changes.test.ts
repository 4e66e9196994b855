import { expect, test } from 'vitest'

import { countUpTo, Folded, valueAt, Standing } from './changes'

test('what is true from a place on is true until the next one', () => {
  const pairs = [2, 10, 5, 0, 9, 11]
  expect([0, 1, 2, 4, 5, 8, 9, 99].map((place) => valueAt(pairs, place))).toEqual([
    null,
    null,
    10,
    10,
    0,
    0,
    11,
    11,
  ])
  expect(valueAt([], 3)).toBeNull()
})

test('numbers not above a value are counted', () => {
  expect([0, 1, 2, 3, 9].map((value) => countUpTo([1, 2, 2, 5], value))).toEqual([0, 1, 3, 3, 4])
  expect(countUpTo([], 1)).toBe(0)
})

test('values are the same however one came to a place in time', () => {
  const changes = [1, 0, 5, 1, 2, 6, 3, 0, 7, 4, 1, 8]
  const seen = [0, 1, 2, 3, 4, 5].map((place) => [...new Folded([0, 0, 0], changes).at(place)])
  expect(seen).toEqual([
    [0, 0, 0],
    [5, 0, 6],
    [5, 0, 6],
    [7, 0, 6],
    [7, 8, 6],
    [7, 8, 6],
  ])
  const one = new Folded([0, 0, 0], changes)
  for (const place of [3, 0, 5, 1, 1, 4, 2]) expect([...one.at(place)]).toEqual(seen[place])
})

test('rows are the same however one came to a place in time', () => {
  const spans = [[0, 1, 4, 2, 6, 0], [], [3, 5], [4, 7, 5, 0, 6, 8]]
  const standing = new Standing(spans)
  for (const place of [0, 3, 4, 6, 5, 2, 9, 0, 4, 1]) {
    standing.to(place)
    expect([...standing.states], String(place)).toEqual(spans.map((span) => valueAt(span, place) ?? 0))
  }
})

import { expect, test } from 'vitest'

import { after, Folded, nearest, spanAt } from './exported'

test('what is true from a place on is true until the next one', () => {
  const pairs = [2, 10, 5, 0, 9, 11]
  expect([0, 1, 2, 4, 5, 8, 9, 99].map((place) => spanAt(pairs, place))).toEqual([
    null,
    null,
    10,
    10,
    0,
    0,
    11,
    11,
  ])
  expect(spanAt([], 3)).toBeNull()
})

test('numbers not above a value are counted', () => {
  expect([0, 1, 2, 3, 9].map((value) => after([1, 2, 2, 5], value))).toEqual([0, 1, 3, 3, 4])
  expect(after([], 1)).toBe(0)
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

test('a budget that is not in the page is answered with the nearest one', () => {
  const view = (budget: string) => ({ budget }) as never
  const views = [40_000, 80_000, 120_000].map((budget) => ({
    view: view(budget === 80_000 ? '80k' : String(budget)),
    replay: { budget } as never,
  }))
  const check = (budget: string, at: number) => expect(nearest(views, view(budget)), budget).toBe(at)
  check('80k', 1)
  check('40000', 0)
  check('41000', 0)
  check('70000', 1)
  check('1', 0)
  check('9999999', 2)
  check('half', 0)
})

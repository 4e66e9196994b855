import { expect, test } from 'vitest'

import { holdPlace, type ListChange } from './hold'

const ROW = 50

/** Scrolls a list of rows named by letters, of which `from`… are in view, 10 px of the first cut off. */
function moved(before: string, from: number, n: number, after: string, change: ListChange): number {
  const inView = [...before].slice(from, from + n).map((key, idx) => ({ key, top: idx * ROW - 10 }))
  const scrolled = from * ROW + 10
  const topOf = (key: string) => (after.includes(key) ? after.indexOf(key) * ROW - scrolled : undefined)
  return holdPlace(inView, topOf, change) / ROW
}

test.each<[string, string, number, number, string, ListChange, number]>([
  ['nothing changes', 'abcdefg', 2, 3, 'abcdefg', 'moved', 0],
  ['rows come above', 'abcdefg', 2, 3, 'xyabcdefg', 'moved', 2],
  ['rows go above', 'abcdefg', 2, 3, 'bcdefg', 'moved', -1],
  ['rows come below', 'abcdefg', 2, 3, 'abcdefgxy', 'moved', 0],
  ['a row from below goes to the top', 'abcdefg', 2, 3, 'gabcdef', 'moved', 1],
  ['the uppermost row in view goes to the top', 'abcdefg', 2, 4, 'cabdefg', 'moved', 0],
  ['rows in view go away', 'abcdefg', 2, 4, 'xabef', 'moved', -1],
  ['all rows in view go away', 'abcdefg', 2, 3, 'abfg', 'moved', 0],
  ['a row in view is unfolded', 'abcdefg', 2, 4, 'abcxyzdefg', 'folded', 0],
  ['a row above is unfolded', 'abcdefg', 2, 4, 'axyzbcdefg', 'folded', 3],
  ['a row in view is folded', 'abcdefg', 2, 4, 'abcg', 'folded', 0],
  ['there was nothing', '', 0, 0, 'abc', 'moved', 0],
])('%s', (_, before, from, n, after, change, expected) => {
  expect(moved(before, from, n, after, change)).toBe(expected)
})

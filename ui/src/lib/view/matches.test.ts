import { expect, test } from 'vitest'

import { countOf, findInLines, numberBeside, numberFrom, stopAt } from './matches'

const found = { at: [3, 8, 9], counts: [2, 1, 3] }

test('matches are numbered over all rows', () => {
  expect(countOf(found)).toBe(6)
  expect([0, 1, 2, 3, 4, 5, 6].map((number) => stopAt(found, number))).toEqual([
    { row: 3, nth: 0 },
    { row: 3, nth: 1 },
    { row: 8, nth: 0 },
    { row: 9, nth: 0 },
    { row: 9, nth: 1 },
    { row: 9, nth: 2 },
    null,
  ])
  expect(stopAt({ at: [], counts: [] }, 0)).toBeNull()
})

test('the first match is the one at or after where somebody reads', () => {
  expect([0, 3, 4, 8, 9, 10].map((row) => numberFrom(found, row))).toEqual([0, 0, 2, 2, 3, 0])
})

test('next and previous go around', () => {
  expect(numberBeside(5, 1, 6)).toBe(0)
  expect(numberBeside(0, -1, 6)).toBe(5)
  expect(numberBeside(2, 1, 6)).toBe(3)
  expect(numberBeside(0, 1, 0)).toBe(0)
})

test.each([
  ['a.b', false, false, ['a.b A.B', 'axb'], [0], [2]],
  ['a.b', true, true, ['a.b A.B', 'axb'], [0, 1], [1, 1]],
  ['x*', true, true, ['abc', 'xx x'], [1], [2]],
  ['', false, false, ['abc'], [], []],
  ['a-b/c', false, false, ['a-b/c'], [0], [1]],
  ['😀', false, false, ['x 😀'], [0], [1]],
])('%s (expression %s, case %s)', (query, regex, sensitive, lines, at, counts) => {
  const answer = findInLines(lines, { query, regex, case: sensitive })
  expect(answer).toMatchObject({ found: { at, counts } })
  if ('marks' in answer)
    for (const [line, marks] of answer.marks)
      for (const [from, to] of marks) expect(lines[line]?.slice(from, to)).not.toBe('')
})

test('a pattern that is none is told', () => {
  expect(findInLines(['a'], { query: '(', regex: true, case: true })).toHaveProperty('problem')
})

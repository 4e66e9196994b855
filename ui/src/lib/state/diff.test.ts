import { expect, test } from 'vitest'

import { otherBudget, otherPolicy } from './diff'
import { START, type Bench } from './workbench'

const bench = (policy: string, names: string[]): Bench =>
  ({
    ...START,
    view: { ...START.view, policy },
    session: { choices: { policies: names.map((name) => ({ name })) } },
    replay: { budget: 30_000 },
  }) as unknown as Bench

test.each([
  [null, 'cwl', ['cwl', 'none', 'mask'], 'none'],
  ['mask', 'cwl', ['cwl', 'none', 'mask'], 'mask'],
  ['cwl', 'cwl', ['cwl', 'none', 'mask'], 'none'],
  ['gone', 'cwl', ['cwl', 'mask'], 'mask'],
  [null, 'cwl', [], 'none'],
])('chosen %s beside %s of %j is %s', (policy, main, names, expected) => {
  expect(otherPolicy({ policy }, bench(main, names))).toBe(expected)
})

test('the other budget is twice the main one until somebody types one', () => {
  expect(otherBudget({ budget: null }, bench('cwl', []))).toBe('60000')
  expect(otherBudget({ budget: '50%' }, bench('cwl', []))).toBe('50%')
})

import { expect, test } from 'vitest'

import type { PolicyRow } from '../ipc/generated/PolicyRow'
import type { ViewSettings } from '../ipc/generated/ViewSettings'
import { text } from '../text'
import {
  MEASURES,
  bestOf,
  columnNames,
  columnOf,
  likelyColumns,
  nextPolicy,
  peaks,
  viewOf,
} from './comparison'

const option = (key: string, common: boolean) => ({
  key,
  values: '',
  default: '',
  sentence: '',
  about: '',
  share: false,
  range: null,
  common,
})
const policy = (name: string): PolicyRow => ({
  name,
  plain: '',
  family: 'paper',
  about: '',
  source: '',
  options: [option('ignore_compaction', true), option('keep', false)],
})
const POLICIES = ['cwl', 'window', 'mask', 'summary', 'none'].map(policy)
const LIKELY = ['cwl', 'summary', 'mask', 'none']
const MAIN: ViewSettings = {
  policy: 'cwl',
  budget: '80k',
  tokenizer: 'o200k',
  overhead: 'auto',
  window: null,
  options: { ignore_compaction: 'true', keep: '3' },
  branch: 'leaf',
  annotation: 'auto',
}

test('the first columns are what people ask for, and never the main policy', () => {
  const names = (main: string) => likelyColumns(main, LIKELY).map((column) => column.policy)
  expect(names('cwl')).toEqual(['summary', 'mask', 'none'])
  expect(names('mask')).toEqual(['cwl', 'summary', 'none'])
  expect(likelyColumns('cwl', ['cwl'])).toEqual([])
})

test('a new column is of a policy that is not there yet', () => {
  const column = (name: string) => ({ policy: name, budget: null, options: {} })
  expect(nextPolicy('cwl', [column('summary')], LIKELY, POLICIES)).toBe('mask')
  expect(nextPolicy('cwl', ['summary', 'mask', 'none'].map(column), LIKELY, POLICIES)).toBe('window')
  expect(
    nextPolicy(
      'cwl',
      POLICIES.map(({ name }) => column(name)),
      LIKELY,
      POLICIES,
    ),
  ).toBe('cwl')
})

test('what is not its own is the main view’s', () => {
  const view = viewOf({ policy: 'mask', budget: null, options: { keep: '9' } }, MAIN, POLICIES)
  expect(view).toEqual({ ...MAIN, policy: 'mask', options: { ignore_compaction: 'true', keep: '9' } })
  expect(viewOf({ policy: 'mask', budget: '20k', options: {} }, MAIN, POLICIES)).toMatchObject({
    budget: '20k',
    options: { ignore_compaction: 'true' },
  })
})

test('a view that became a column and is used again is the view', () => {
  const column = columnOf(MAIN, null, POLICIES)
  expect(column).toEqual({ policy: 'cwl', budget: null, options: { keep: '3' } })
  expect(viewOf(column, MAIN, POLICIES)).toEqual(MAIN)
})

test.each([
  [[3, 1, 2], 'less', [1]],
  [[3, 1, 3], 'more', [0, 2]],
  [[2, 2], 'less', []],
  [[2], 'less', []],
  [[3, 1], null, []],
] as const)('the best of %s, %s is better', (values, better, best) => {
  expect([...bestOf(values, better)]).toEqual(best)
})

test('a policy that stands there twice is named with its τ', () => {
  const column = (name: string, budget: string) => ({ policy: name, budget })
  expect(columnNames([column('cwl', '80k'), column('mask', '80k'), column('cwl', '50k')])).toEqual([
    'cwl 80k',
    'mask',
    'cwl 50k',
  ])
})

test('no peak is lost in a small chart', () => {
  expect(peaks([1, 2, 3], 5)).toEqual([1, 2, 3])
  const values = Array.from({ length: 1000 }, (_, at) => (at === 777 ? 99 : 1))
  const small = peaks(values, 30)
  expect(small).toHaveLength(30)
  expect(Math.max(...small)).toBe(99)
  expect(peaks([], 5)).toEqual([])
})

test('every line has a name and a definition', () => {
  expect(MEASURES.map(({ key }) => key).filter((key) => !text.compare.measures[key])).toEqual([])
})

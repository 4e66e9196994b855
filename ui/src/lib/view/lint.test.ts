import { expect, test } from 'vitest'

import type { LintFinding } from '../ipc/generated/LintFinding'
import type { Severity } from '../ipc/generated/Severity'
import {
  lintFound,
  lintGroups,
  lintList,
  lintRows,
  choicesOfEdits,
  editsOf,
  isSameFinding,
  ofProblem,
} from './lint'

const item = (
  code: string,
  severity: Severity,
  line: number | null = null,
  more: Partial<LintFinding> = {},
): LintFinding => ({
  code,
  severity,
  message: `message of ${code}`,
  line,
  block: null,
  episode: null,
  doubt: false,
  turn: null,
  name: null,
  on: null,
  evidence: [],
  strength: null,
  edits: [],
  cost: null,
  ...more,
})
const ALL = [
  item('P011', 'info', 9),
  item('L009', 'warning', 3),
  item('P005', 'error', 7),
  item('L007', 'warning', 1),
  item('Q003', 'warning', 12, { strength: 300, turn: 4, name: 'fix-login' }),
  item('Q003', 'warning', 14, { strength: 900, turn: 5, cost: 70 }),
  item('L007', 'warning', 2),
  item('Q001', 'warning', 20, { strength: 500, turn: 2, cost: 900 }),
  item('X1', 'odd' as never),
]
const CODES = [{ code: 'L007', title: 'Unknown record', means: 'A.', todo: 'B.' }]

const spell = (filter: string) =>
  lintGroups(lintFound(ALL, CODES, filter), CODES).map(
    ({ code, items }) => `${code} ${items.map(({ line }) => line)}`,
  )

test('findings stand by code: the certain ones first, the gravest, the most common; hints by strength', () => {
  expect(spell('')).toEqual(['P005 7', 'L007 1,2', 'L009 3', 'P011 9', 'X1 ', 'Q003 14,12', 'Q001 20'])
  expect(lintGroups(ALL, CODES)[1]?.about?.title).toBe('Unknown record')
  expect(lintGroups(ALL, CODES).map(({ isHint }) => isHint)).toEqual([
    false, false, false, false, false, true, true,
  ]) // prettier-ignore
})

test.each([
  ['unknown REC', ['L007 1,2']],
  ['line 7', ['P005 7']],
  ['turn 5', ['Q003 14']],
  ['LOGIN', ['Q003 12']],
  ['p0', ['P005 7', 'P011 9']],
  ['nothing', []],
])('filtered by %s', (filter, expected) => expect(spell(filter)).toEqual(expected))

test('a folded group is its head', () => {
  const rows = lintRows(lintGroups(ALL, CODES), new Set(['L007', 'P011', 'Q003', 'Q001']))
  expect(rows.map(({ group, item: one }) => `${group.code}${one ? ' finding' : ''}`)).toEqual([
    'P005', 'P005 finding', 'L007', 'L009', 'L009 finding', 'P011', 'X1', 'X1 finding', 'Q003', 'Q001',
  ]) // prettier-ignore
})

test.each([
  ['cost', ['Q001', 'Q003', 'P005', 'L007', 'L007', 'L009', 'Q003', 'P011', 'X1']],
  ['turn', ['Q001', 'Q003', 'Q003', 'P005', 'L007', 'L007', 'L009', 'P011', 'X1']],
] as const)('in one list by %s', (order, expected) => {
  expect(lintList(ALL, CODES, order).map(({ group }) => group.code)).toEqual(expected)
})

test('suggestions of a rule are applied together from a strength on, each once', () => {
  const link = (on: string) => ({ do: 'link', act: 'fix', on }) as const
  const items = [
    item('Q003', 'warning', 1, { strength: 300, edits: [link('a')] }),
    item('Q003', 'warning', 2, { strength: 800, edits: [link('b')] }),
    item('Q003', 'warning', 3, { strength: 950, edits: [link('b')] }),
    item('Q003', 'warning', 4, { strength: 950, edits: [] }),
  ]
  expect(editsOf(items)).toEqual([link('a'), link('b')])
  expect(editsOf(items, 750)).toEqual([link('b')])
  expect(choicesOfEdits(items)).toEqual([
    { strength: 0, n: 2 },
    { strength: 500, n: 1 },
  ])
  expect(choicesOfEdits(items.slice(1))).toEqual([])
})

test('a finding is the same one in a later answer, which knows more about it', () => {
  const first = ofProblem({
    code: 'P003',
    severity: 'warning',
    message: 'a',
    line: 7,
    block: 'b:0',
    episode: 2,
  })
  expect(isSameFinding(first, { ...first, turn: 4, cost: 120 })).toBe(true)
  for (const other of [{ line: 8 }, { episode: 3 }, { code: 'P004' }, { message: 'b' }, { block: 'b:1' }])
    expect(isSameFinding(first, { ...first, ...other }), JSON.stringify(other)).toBe(false)
})

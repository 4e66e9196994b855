import { expect, test } from 'vitest'

import type { ProblemDto } from '../ipc/generated/ProblemDto'
import type { SeverityDto } from '../ipc/generated/SeverityDto'
import { hintGroups, lintGroups, lintRows } from './lint'

const problem = (code: string, severity: SeverityDto, line: number | null = null): ProblemDto => ({
  code,
  severity,
  message: `message of ${code}`,
  line,
  block: null,
  episode: null,
})
const ALL = [
  problem('P011', 'info', 9),
  problem('L009', 'warning', 3),
  problem('P005', 'error', 7),
  problem('L007', 'warning', 1),
  problem('L007', 'warning', 2),
  problem('X1', 'odd' as never),
]
const CODES = [{ code: 'L007', title: 'Unknown record', means: 'A.', todo: 'B.' }]

const spell = (filter: string) =>
  lintGroups(ALL, CODES, filter).map(({ code, problems }) => `${code} ${problems.map(({ line }) => line)}`)

test('problems stand by code, the gravest and the most common first', () => {
  expect(spell('')).toEqual(['P005 7', 'L007 1,2', 'L009 3', 'P011 9', 'X1 '])
  expect(lintGroups(ALL, CODES)[1]?.about?.title).toBe('Unknown record')
})

test.each([
  ['unknown REC', ['L007 1,2']],
  ['line 7', ['P005 7']],
  ['p0', ['P005 7', 'P011 9']],
  ['nothing', []],
])('filtered by %s', (filter, expected) => expect(spell(filter)).toEqual(expected))

const HINTS = [
  { problem: { ...problem('Q001', 'warning', 12), episode: 3 }, on: 1, n_names: 1, names: ['src/a.rs'] },
  { problem: { ...problem('Q001', 'info', 14), episode: 3 }, on: 2, n_names: 4, names: ['parse'] },
]
const WORDS = { code: 'Q001', title: 'Uses, and does not name', means: 'C.', todo: 'D.' }

test.each([
  ['', ['12 act 3 on 1', '14 act 3 on 2']],
  ['LINE 14', ['14 act 3 on 2']],
  ['does not name', ['12 act 3 on 1', '14 act 3 on 2']],
  ['P0', []],
])('hints stand apart, filtered by "%s"', (filter, expected) => {
  const groups = hintGroups(HINTS, WORDS, filter)
  const listed = groups.flatMap(({ problems }) => problems)
  expect(listed.map(({ line, episode, on }) => `${line} act ${episode} on ${on}`)).toEqual(expected)
  expect(groups.map(({ code, isHint, about }) => [code, isHint, about?.title])).toEqual(
    expected.length === 0 ? [] : [['Q001', true, WORDS.title]],
  )
})

test('a folded group is its head', () => {
  const rows = lintRows(lintGroups(ALL, CODES), new Set(['L007', 'P011']))
  expect(rows.map(({ group, problem: one }) => `${group.code}${one ? ' problem' : ''}`)).toEqual([
    'P005', 'P005 problem', 'L007', 'L009', 'L009 problem', 'P011', 'X1', 'X1 problem',
  ]) // prettier-ignore
})

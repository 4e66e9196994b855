import { expect, test } from 'vitest'

import type { SessionRowDto } from '../ipc/generated/SessionRowDto'
import {
  callerOf,
  canOpen,
  groupAbove,
  groupSessions,
  holds,
  listEntries,
  nextStop,
  noticesOf,
  type SessionNode,
} from './sessions'

const row = (path: string, more: Partial<SessionRowDto> = {}): SessionRowDto => ({
  session: null,
  id: null,
  path,
  harness: 'claude-code',
  format: 'claude-code',
  title: `title of ${path}`,
  cwd: '/home/dev/tidewater',
  model: null,
  size: 1,
  n_turns: null,
  tokens: null,
  tokenizer: null,
  annotation: 'unknown',
  changed_at_ms: 1,
  live: false,
  gone: false,
  archived: false,
  parent: null,
  continues: null,
  subagent: null,
  children: [],
  ...more,
})

const DEEP = row('/b', {
  parent: '/a',
  subagent: 'Ada',
  children: [row('/c', { parent: '/b', model: 'm-9' })],
})
const ROWS = [
  row('/a', { title: 'Fix the tide', children: [DEEP, row('/d', { parent: '/a', session: 7 })] }),
  row('/e', { harness: 'openclaw', cwd: null }),
  row('/f', { gone: true, children: [row('/g', { parent: '/f' })] }),
  row('/h', { cwd: 'C:\\src\\other', continues: '019cab88' }),
  row('/i', { title: 'later in the first folder' }),
]

const write = (nodes: readonly SessionNode[]): string =>
  nodes
    .map(({ row: { path }, children, forChildren }) => {
      const below = children.length > 0 ? `(${write(children)})` : ''
      return `${path}${forChildren ? '*' : ''}${below}`
    })
    .join(' ')

test.each([
  ['nothing is looked for', '', 'tidewater: /a(/b(/c) /d) /f(/g) /i | : /e | other: /h'],
  ['a caller keeps all it called', 'tide fix', 'tidewater: /a(/b(/c) /d)'],
  ['a child keeps its callers, not its siblings', 'M-9', 'tidewater: /a*(/b*(/c))'],
  ['words of caller and child together', 'fix ada', 'tidewater: /a*(/b(/c))'],
  ['the harness', 'openclaw', ': /e'],
  ['where it goes on from', '019cab', 'other: /h'],
  ['nothing has it', 'fix openclaw', ''],
])('%s', (_, find, expected) => {
  const groups = groupSessions(ROWS, find)
  expect(groups.map(({ name, nodes }) => `${name}: ${write(nodes)}`).join(' | ')).toBe(expected)
})

const writeLines = (find: string, isOpen: (path: string) => boolean): string =>
  listEntries(groupSessions(ROWS, find), ({ row: { path } }) => isOpen(path))
    .map((entry) => {
      const name = entry.kind === 'group' ? entry.group.name : entry.node.row.path
      const mark = entry.kind === 'session' && entry.open ? '+' : ''
      return `${entry.level}:${name}${mark} ${entry.position}/${entry.nSiblings}`
    })
    .join(', ')

const TOP = ['1:tidewater 1/3', '2:/a 1/3', '2:/f 2/3', '2:/i 3/3']
const REST = ['1: 2/3', '2:/e 1/1', '1:other 3/3', '2:/h 1/1']

test.each([
  ['all folded away', '', [], [...TOP, ...REST]],
  ['a level at a time', '', ['/a'], [TOP[0], '2:/a+ 1/3', '3:/b 1/2', '3:/d 2/2', ...TOP.slice(2), ...REST]],
  [
    'what is below something folded away stays away',
    '',
    ['/b', '/f'],
    [TOP[0], TOP[1], '2:/f+ 2/3', '3:/g 1/1', TOP[3], ...REST],
  ],
  ['what has nothing below is not open', '', ['/i'], [...TOP, ...REST]],
  [
    'those that are looked for',
    'm-9',
    ['/a', '/b'],
    ['1:tidewater 1/1', '2:/a+ 1/1', '3:/b+ 1/1', '4:/c 1/1'],
  ],
  ['nothing', 'fix openclaw', ['/a'], []],
])('lines: %s', (_, find, open, expected) => {
  expect(writeLines(find, (path) => open.includes(path))).toBe(expected.join(', '))
})

test('lines have keys of their own, also when a session stands below two', () => {
  const twice = [row('/a', { children: [row('/c')] }), row('/b', { children: [row('/c')] })]
  const keys = listEntries(groupSessions(twice, ''), () => true).map(({ key }) => key)
  expect(new Set(keys).size).toBe(5)
})

test('the keyboard stands on what can be opened or unfolded, the folder is the one above', () => {
  const rows = [row('/x', { gone: true }), ...ROWS.slice(0, 3), row('/y', { gone: true, cwd: null })]
  // 0 tidewater, 1 /x (gone), 2 /a, 3 /f (gone, with a subagent), 4 no folder, 5 /e, 6 /y (gone)
  const entries = listEntries(groupSessions(rows, ''), () => false)
  const stops = (direction: 1 | -1) => entries.map((_, idx) => nextStop(entries, idx, direction))
  expect(stops(1)).toEqual([2, 2, 2, 3, 5, 5, -1])
  expect(stops(-1)).toEqual([-1, -1, 2, 3, 3, 5, 5])
  expect(nextStop(entries, 7, 1)).toBe(-1)
  expect(entries.map((_, idx) => groupAbove(entries, idx))).toEqual([0, 0, 0, 0, 4, 4, 4])
  expect([groupAbove(entries, 99), groupAbove(entries, -1), groupAbove([], 0)]).toEqual([4, -1, -1])
})

test.each([
  ['one at the top', { session: 1, path: '/a', parent: null }, undefined],
  ['by place', { session: 1, path: '/c', parent: 'some id' }, '/b'],
  ['by number, when the log has another name now', { session: 7, path: '/old', parent: null }, '/a'],
  ['not in the list, but its caller is', { session: 1, path: '/x', parent: '/b' }, '/b'],
  ['the caller was never read and is gone', { session: 1, path: '/g', parent: '/f' }, undefined],
  ['nobody knows it', { session: 1, path: '/x', parent: 'some id' }, undefined],
])('caller: %s', (_, shown, expected) => {
  expect(callerOf(ROWS, shown)?.path).toBe(expected)
})

test('a row holds what is anywhere below it, and not itself', () => {
  const held = (path: string) => ROWS.filter((top) => holds(top, { session: 1, path, parent: null }))
  expect(held('/c').map(({ path }) => path)).toEqual(['/a'])
  expect(held('/a')).toEqual([])
})

test('a log that is gone can be opened when it was read before', () => {
  expect(canOpen(row('/x', { gone: true }))).toBe(false)
  expect(canOpen(row('/x', { gone: true, session: 3 }))).toBe(true)
  expect(canOpen(row('/x'))).toBe(true)
})

test('what is not in the list is said in sentences, once', () => {
  const notice = {
    harness: 'pi',
    path: '/p/sessions.sqlite',
    message: 'sessions are not read',
    hint: 'export them',
  }
  expect(noticesOf([notice, { ...notice }, { ...notice, path: '/q', hint: '' }])).toEqual([
    {
      key: '/p/sessions.sqlite\nsessions are not read',
      harness: 'pi',
      what: 'Sessions are not read.',
      advice: 'Export them.',
      path: '/p/sessions.sqlite',
    },
    {
      key: '/q\nsessions are not read',
      harness: 'pi',
      what: 'Sessions are not read.',
      advice: '',
      path: '/q',
    },
  ])
  expect(noticesOf([])).toEqual([])
})

import { expect, test } from 'vitest'

import type { SearchHit } from '../ipc/generated/SearchHit'
import type { SearchAnswer } from '../ipc/generated/SearchAnswer'
import {
  foundEntries,
  headingAbove,
  hitName,
  listEntries,
  namedEntries,
  nextStop,
  recentEntries,
  type DrawerEntry,
} from './drawer'
import { recentRows } from './recent'
import { groupSessions } from './sessions'
import { ROWS, row } from './testing'

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
  expect(entries.map((_, idx) => headingAbove(entries, idx))).toEqual([0, 0, 0, 0, 4, 4, 4])
  expect([headingAbove(entries, 99), headingAbove(entries, -1), headingAbove([], 0)]).toEqual([4, -1, -1])
})

const hit = (block: string, more: Partial<SearchHit> = {}): SearchHit => ({
  turn: 3,
  branch: null,
  block,
  n_blocks: 1,
  held: null,
  held_says: '',
  role: 'assistant',
  author: 'model',
  kind: 'text',
  tool: null,
  line: 9,
  before: '',
  matched: 'x',
  after: '',
  ...more,
})

const answer = (n: readonly number[], more = false): SearchAnswer => ({
  sessions: n.map((nHits, session) => ({
    session,
    title: `s${session}`,
    path: `/s${session}`,
    format: 'pi',
    hits: Array.from({ length: nHits }, (_, idx) => hit(`e${idx}:0`)),
  })),
  more,
  pending: 0,
})

const say = (entry: DrawerEntry): string => {
  switch (entry.kind) {
    case 'head':
      return `${entry.what} ${entry.n ?? '-'}${entry.more ? '+' : ''}`
    case 'group':
      return `[${entry.group.name}]`
    case 'session':
      return `${entry.node.row.path}${entry.node.children.length > 0 ? '…' : ''}`
    case 'found':
      return `[${entry.found.title}]`
    case 'hit':
      return entry.hit.block
    case 'more':
      return `more ${entry.of}: ${entry.n ?? '?'}`
    case 'note':
      return entry.note.what
  }
}

test('texts stand below their sessions, a few of each', () => {
  const check = (found: SearchAnswer, wholly: number[], canAskMore: boolean, expected: string) =>
    expect(foundEntries(found, new Set(wholly), canAskMore).map(say).join(' ')).toBe(expected)
  check(answer([]), [], true, '')
  check(answer([1, 2]), [], true, 'texts 3 [s0] e0:0 [s1] e0:0 e1:0')
  check(answer([5, 1]), [], true, 'texts 6 [s0] e0:0 e1:0 e2:0 e3:0 more 0: 1 [s1] e0:0')
  check(answer([5, 1]), [0], true, 'texts 6 [s0] e0:0 e1:0 e2:0 e3:0 e4:0 [s1] e0:0')
  // Nothing is folded away where there is nothing else to see.
  check(answer([5]), [], true, 'texts 5 [s0] e0:0 e1:0 e2:0 e3:0 e4:0')
  check(answer([1], true), [], true, 'texts 1+ [s0] e0:0 more texts: ?')
  check(answer([1], true), [], false, 'texts 1+ [s0] e0:0')
})

test('a few of the sessions that fit are shown, or all', () => {
  const rows = Array.from({ length: 8 }, (_, idx) => row(`/${idx}`, { cwd: idx < 5 ? '/one' : '/two' }))
  const check = (n: number, all: boolean, expected: string) => {
    const entries = namedEntries(groupSessions(rows.slice(0, n), ''), all, () => false)
    expect(entries.map(say).join(' ')).toBe(expected)
  }
  check(0, false, '')
  check(2, false, 'sessions 2 [one] /0 /1')
  check(6, false, 'sessions 6 [one] /0 /1 /2 /3 /4 [two] /5')
  check(8, false, 'sessions 8 [one] /0 /1 /2 /3 /4 [two] /5 more sessions: 2')
  check(8, true, 'sessions 8 [one] /0 /1 /2 /3 /4 [two] /5 /6 /7')
})

test('what was opened last stands first, as the list knows it now', () => {
  const opened = ['/c', '/f', '/x', '/a'].map((path) => ({ path, title: `old ${path}` }))
  const rows = recentRows(opened, ROWS)
  expect(rows.map(({ path, title, gone }) => [path, title, gone])).toEqual([
    ['/c', 'title of /c', false],
    ['/f', 'title of /f', true],
    ['/x', 'old /x', false],
    ['/a', 'Fix the tide', false],
  ])
  const entries = recentEntries(rows)
  // Each is one line, its subagents stand below its folder.
  expect(entries.map(say).join(' ')).toBe('recent - /c /f /x /a')
  expect(recentEntries([])).toEqual([])
  const keys = [...entries, ...listEntries(groupSessions(ROWS, ''), () => true)].map(({ key }) => key)
  expect(new Set(keys).size).toBe(keys.length)
})

test('the keyboard goes through everything that can be opened', () => {
  const entries = [
    ...namedEntries(groupSessions(ROWS.slice(0, 1), ''), false, () => false),
    ...foundEntries(answer([5, 1], true), new Set(), true),
  ]
  const stops: string[] = []
  for (let at = nextStop(entries, 0, 1); at >= 0; at = nextStop(entries, at + 1, 1))
    stops.push(say(entries[at] as DrawerEntry))
  expect(stops).toEqual(['/a…', 'e0:0', 'e1:0', 'e2:0', 'e3:0', 'more 0: 1', 'e0:0', 'more texts: ?'])
})

test.each([
  [{}, 'assistant'],
  [{ kind: 'reasoning' }, 'assistant reasoning'],
  [{ role: 'user', author: 'human' }, 'human'],
  [{ role: 'user', author: 'harness' }, 'harness'],
  [{ role: 'system', author: 'harness' }, 'system'],
  [{ kind: 'call', tool: 'bash' }, 'call bash'],
  [{ kind: 'result', tool: 'grep', role: 'tool', author: 'tool' }, 'result grep'],
  [{ kind: 'result', role: 'user', author: 'tool' }, 'result'],
] as const)('%o is called %s', (of, name) => {
  expect(hitName(hit('e:0', of))).toBe(name)
})

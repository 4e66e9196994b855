import { expect, test } from 'vitest'

import { callerOf, canOpen, folderName, groupSessions, holds, noticesOf, type SessionNode } from './sessions'
import { ROWS, row } from './testing'

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

test('what people keep on top stands on top, subagents too, and nothing stands twice below its folder', () => {
  const kept = row('/kept', { pinned: true })
  const child = row('/kept-child', { pinned: true })
  const rows = [row('/new'), kept, row('/parent', { children: [child, row('/other-child')] })]
  const paths = (find: string) =>
    groupSessions(rows, find).map(({ pinned, nodes }) => [
      pinned ?? false,
      ...nodes.map((node) => node.row.path),
    ])
  expect(paths('')).toEqual([
    [true, '/kept', '/kept-child'],
    [false, '/new', '/parent'],
  ])
  expect(paths('/new')).toEqual([[false, '/new']])
  expect(paths('kept-child')).toEqual([
    [true, '/kept-child'],
    [false, '/parent'],
  ])
})

test.each([
  ['/home/dev/tidewater', 'tidewater'],
  ['/home/dev/tidewater/1', 'tidewater/1'],
  ['C:\\work\\2026', 'work/2026'],
  ['/', '/'],
])('the folder %s is called %s', (path, name) => {
  expect(folderName(path)).toBe(name)
})

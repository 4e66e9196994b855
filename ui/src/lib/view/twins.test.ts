import { expect, test } from 'vitest'

import { toldApart } from './twins'

const row = (path: string, title: string, id: string | null = null, cwd: string | null = null) => ({
  path,
  title,
  id,
  cwd,
  children: [] as never[],
})

test('sessions of one title are told apart by the first thing that each has for itself', () => {
  const check = (rows: ReturnType<typeof row>[], expected: Record<string, string>) =>
    expect(Object.fromEntries(toldApart(rows))).toEqual(expected)
  check([row('/a', 'one'), row('/b', 'two')], {})
  check([row('/a', 'one', 'x', '/src/app'), row('/b', 'one', 'y', '/src/web')], { '/a': 'app', '/b': 'web' })
  check([row('/a', 'one', '0123456789', '/src/app'), row('/b', 'one', 'abcdefghij', '/src/app')], {
    '/a': '01234567',
    '/b': 'abcdefgh',
  })
  check([row('/x/a.jsonl', 'one'), row('/x/b.jsonl', 'one', 'y', '/src')], {
    '/x/a.jsonl': 'a.jsonl',
    '/x/b.jsonl': 'b.jsonl',
  })
  check([row('/x/a', 'one'), row('/y/a', 'one'), row('/z', 'two')], { '/x/a': '/x/a', '/y/a': '/y/a' })
})

test('a session that stands in the list twice is no twin of itself, and subagents count', () => {
  expect(toldApart([row('/a', 'one'), row('/a', 'one')]).size).toBe(0)
  const child = row('/a/1', 'one', 'id-of-child')
  const rows = [{ ...row('/a', 'one', 'id-of-a'), children: [child] }]
  expect(Object.fromEntries(toldApart(rows as never))).toEqual({ '/a': 'id-of-a', '/a/1': 'id-of-ch' })
})

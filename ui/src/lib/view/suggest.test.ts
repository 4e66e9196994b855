import { expect, test } from 'vitest'

import type { SessionListRow } from '../ipc/generated/SessionListRow'
import { recentRows } from './recent'
import { suggest } from './suggest'

const row = (path: string, title: string, more: Partial<SessionListRow> = {}): SessionListRow => ({
  ...(recentRows([{ path, title }], [])[0] as SessionListRow),
  ...more,
})

const ROWS = [
  row('/logs/one.jsonl', 'Fix 019c later', { children: [row('/logs/agent.jsonl', 'Look', { id: '77aa' })] }),
  row('/logs/019c-two.jsonl', 'The tide'),
  row('/logs/three.jsonl', 'Another', { id: '019C-4711' }),
  row('/logs/lost.jsonl', 'Lost tide', { gone: true }),
  row('C:\\logs\\four.jsonl', 'On Windows'),
]

test.each([
  ['', 9, ''],
  ['  ', 9, ''],
  ['019c', 9, '/logs/three.jsonl /logs/019c-two.jsonl /logs/one.jsonl'],
  ['019c', 2, '/logs/three.jsonl /logs/019c-two.jsonl'],
  ['77', 9, '/logs/agent.jsonl'],
  ['tide', 9, '/logs/019c-two.jsonl'],
  ['fix one', 9, '/logs/one.jsonl'],
  ['four.jsonl', 9, 'C:\\logs\\four.jsonl'],
  ['/logs/one.jsonl', 9, '/logs/one.jsonl'],
  ['nothing', 9, ''],
])('%s may be', (typed, most, expected) => {
  expect(
    suggest(ROWS, typed, most)
      .map(({ path }) => path)
      .join(' '),
  ).toBe(expected)
})

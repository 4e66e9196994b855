import { expect, test } from 'vitest'

import type { RecordedPass } from '../ipc/generated/RecordedPass'
import { passText, passTurns, passesAt } from './recorded'

const pass = (turn: number | null, more: Partial<RecordedPass> = {}): RecordedPass => ({
  turn,
  before: 82_310,
  after: 64_100,
  removed: [],
  stripped: [],
  ...more,
})

test.each<[string, Partial<RecordedPass>]>([
  ['82,310 → 64,100 tokens', {}],
  ['82,310 → 64,100 tokens, removed expl-1, act-2', { removed: ['expl-1', 'act-2'] }],
  ['82,310 → 64,100 tokens, stripped expl-3', { stripped: ['expl-3'] }],
  ['82,310 → 64,100 tokens, removed a, stripped b', { removed: ['a'], stripped: ['b'] }],
  ['82,310 → 64,100 tokens, removed a, b, c, d, e, f', { removed: [...'abcdef'] }],
  ['82,310 → 64,100 tokens, removed a, b, c, d, e, f and 2 more', { removed: [...'abcdefgh'] }],
])('%s', (expected, more) => expect(passText(pass(9, more))).toBe(expected))

test('each turn with a pass is marked once; a pass without a turn is marked nowhere', () => {
  const recorded = { budget: 900, passes: [pass(7), pass(null), pass(3), pass(7, { before: 64_100 })] }
  expect(passTurns(recorded)).toEqual([3, 7])
  expect(passesAt(recorded, 7)).toHaveLength(2)
  expect(passesAt(recorded, 4)).toEqual([])
})

test('a log without a trace has none', () => {
  expect(passTurns(null)).toEqual([])
  expect(passesAt(undefined, 1)).toEqual([])
})

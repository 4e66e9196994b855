import { expect, test } from 'vitest'

import { edgeAt, lastReply, mayDrawOn, repliedTurn, replyOf, shownTurn } from './marking'

test.each([
  [{ first_turn: 1, last_turn: 1 }, 1, 1],
  [{ first_turn: 2, last_turn: 2 }, 1, 1],
  [{ first_turn: 3, last_turn: 9 }, 2, 8],
])('the replies of an episode: %j', (episode, first, last) => {
  expect([replyOf(episode), lastReply(episode)]).toEqual([first, last])
})

test('the form of an episode numbers turns as the graph does', () => {
  expect([1, 2, 68].map((turn) => shownTurn(repliedTurn(turn)))).toEqual([2, 2, 68])
})

test('an act may draw on the explorations before it, the nearest first', () => {
  const kinds = ['expl', 'act', 'unannotated', 'expl', 'expl', 'act', 'expl'] as const
  const episodes = kinds.map((kind, at) => ({ kind, name: `${kind}${at}` }))
  const graph = { episodes, edges: [[3, 5]] } as unknown as Parameters<typeof mayDrawOn>[0]
  expect(mayDrawOn(graph, 5)).toEqual(['expl4', 'expl0'])
  expect(mayDrawOn(graph, 1)).toEqual(['expl0'])
  expect(mayDrawOn(graph, 5, [0, 3]), 'those whose names it uses first').toEqual(['expl0', 'expl4'])
})

test.each([
  [10, 100, 9, 'begin'],
  [10, 100, 15, 'begin'],
  [10, 100, 16, null],
  [10, 100, 96, 'end'],
  [10, 100, 104, 'end'],
  [10, 100, 106, null],
  // Of a narrow box the middle stays free for a link.
  [10, 19, 14, null],
  [10, 19, 18, 'end'],
])('the edge of a box from %d to %d at %d', (x0, x1, x, edge) => {
  expect(edgeAt(x0, x1, x)).toBe(edge)
})

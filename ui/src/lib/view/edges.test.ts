import { expect, test } from 'vitest'

import type { GraphDto } from '../ipc/generated/GraphDto'
import { implicitOf, linksOf, walk } from './edges'

const graph = (kinds: string[], edges: [number, number][]): GraphDto => ({
  revision: 1,
  n_turns: 10,
  episodes: kinds.map((kind, at) => ({
    name: `${kind}${at}`,
    kind,
    open: false,
    first_turn: at + 1,
    last_turn: at + 2,
    tokens: 1,
    kept_at: [1, 1, 1, 1, 0],
    implicit: kind === 'unannotated',
    problems: [],
    line: at,
  })),
  edges,
  human_turns: [],
  prologue_ends: 1,
})
const G = graph(
  ['expl', 'expl', 'act', 'unannotated', 'act', 'expl', 'act'],
  [
    [0, 2],
    [1, 2],
    [0, 4],
    [5, 6],
  ],
)
const L = linksOf(G)

test('needs and feeds are the two sides of the edges', () => {
  expect(L.needs).toEqual([[], [], [0, 1], [], [0], [], [5]])
  expect(L.feeds).toEqual([[2, 4], [2], [], [], [], [6], []])
})

test('an edge to an episode that is not there is left out', () => {
  expect(linksOf(graph(['expl'], [[0, 7]])).feeds).toEqual([[]])
  expect(linksOf(graph(['expl'], [[9, 0]])).needs).toEqual([[]])
})

test('an unannotated stretch waits for every later act, and no other', () => {
  expect(implicitOf(G, 3)).toEqual([
    [3, 4],
    [3, 6],
  ])
  expect(implicitOf(G, 6)).toEqual([[3, 6]])
  expect(implicitOf(G, 2)).toEqual([])
  expect(implicitOf(G, 0)).toEqual([])
  expect(implicitOf(G, 99)).toEqual([])
})

test.each([
  [3, 'ArrowLeft', 2],
  [0, 'ArrowLeft', 0],
  [6, 'ArrowRight', 6],
  [4, 'ArrowUp', 0],
  [2, 'ArrowUp', 1],
  [0, 'ArrowUp', 0],
  [0, 'ArrowDown', 2],
  [3, 'ArrowDown', 3],
  [3, 'Home', 0],
  [3, 'End', 6],
  [null, 'ArrowLeft', 6],
  [3, 'x', null],
] as const)('from %s, %s goes to %s', (from, key, wanted) => expect(walk(G, L, from, key)).toBe(wanted))

test('there is nowhere to walk in an empty graph', () => {
  const empty = graph([], [])
  expect(walk(empty, linksOf(empty), null, 'End')).toBeNull()
})

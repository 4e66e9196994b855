import { expect, test } from 'vitest'

import type { EpisodeKind } from '../ipc/generated/EpisodeKind'
import type { GraphAnswer } from '../ipc/generated/GraphAnswer'
import { implicitOf, linksOf, named, walk } from './edges'
import { DECLARED, OWN } from './testing'

const graph = (kinds: EpisodeKind[], edges: [number, number][]): GraphAnswer => ({
  revision: 1,
  from: DECLARED,
  n_turns: 10,
  episodes: kinds.map((kind, at) => ({
    name: `${kind}${at}`,
    kind,
    open: false,
    first_turn: at + 1,
    last_turn: at + 2,
    tokens: 1,
    kept_at: [1, 1, 1, 1, 0],
    problems: [],
    line: at,
    ...OWN,
  })),
  edges,
  implicit: kinds.includes('unannotated') ? [[3, 4, 6]] : [],
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

test('an unannotated stretch has edges to the acts of its range, and no other episode has', () => {
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
  [3, 'PageUp', 0],
  [3, 'PageDown', 6],
  [null, 'ArrowLeft', 6],
  [null, 'PageUp', 6],
  [null, 'Tab', null],
  [null, '?', null],
  [3, 'x', null],
] as const)('from %s, %s goes to %s', (from, key, wanted) => expect(walk(G, L, from, key)).toBe(wanted))

test('there is nowhere to walk in an empty graph', () => {
  const empty = graph([], [])
  expect(walk(empty, linksOf(empty), null, 'End')).toBeNull()
})

test('a name is gone to by its beginning, or by that of one of its words', () => {
  const names = ['map-ingest', 'fix-retry', 'map-retry', 'Über-map', '~1']
  const spoken = {
    ...G,
    episodes: names.map((name) => ({ ...(G.episodes[0] as GraphAnswer['episodes'][number]), name })),
  }
  const check = (from: number | null, typed: string, wanted: number | null) =>
    expect(named(spoken, from, typed), `${typed} from ${from}`).toBe(wanted)
  check(null, 'f', 1)
  check(null, 'm', 0)
  check(0, 'm', 2)
  check(2, 'm', 0)
  check(2, 'map', 2)
  check(0, 'map-r', 2)
  check(null, 'RETRY', 1)
  check(1, 'retry', 1)
  check(0, 'ü', 3)
  check(0, '~', 4)
  check(0, 'zz', null)
  check(0, '', null)
  check(null, '\\p[', null)
  expect(named({ ...G, episodes: [] }, null, 'm')).toBeNull()
})

import { expect, test } from 'vitest'

import type { EpisodeKind } from '../ipc/generated/EpisodeKind'
import type { GraphAnswer } from '../ipc/generated/GraphAnswer'
import { linksOf } from './edges'
import { countLevels, partly, stateName } from './levels'
import { episodeRows, sortRows, type Column } from './table'
import { DECLARED, OWN } from './testing'

const episode = (
  name: string,
  kind: EpisodeKind,
  first: number,
  tokens: number,
): GraphAnswer['episodes'][number] => ({
  name,
  kind,
  open: false,
  first_turn: first,
  last_turn: first + 1,
  tokens,
  kept_at: [tokens, tokens - 1, 5, 2, 1],
  problems: [],
  line: first,
  ...OWN,
})
const graph: GraphAnswer = {
  revision: 1,
  from: DECLARED,
  n_turns: 9,
  episodes: [episode('b', 'expl', 1, 50), episode('A', 'act', 3, 900), episode('c', 'expl', 6, 50)],
  edges: [[0, 1]],
  implicit: [],
  human_turns: [],
  prologue_ends: 1,
}
const REACQUISITIONS = new Map([[2, { n_blocks: 3 }]])

test('a row says what is kept at its level', () => {
  const rows = episodeRows(
    graph,
    linksOf(graph),
    new Uint8Array([0, 4, 9]),
    new Uint32Array(),
    REACQUISITIONS,
  )
  expect(rows.map(({ level, kept, needs, feeds, again }) => [level, kept, needs, feeds, again])).toEqual([
    [0, 50, 0, 1, 0],
    [4, 1, 1, 0, 0],
    [4, 1, 0, 0, 3],
  ])
})

test.each<[Column, boolean, string]>([
  ['turns', false, 'bAc'],
  ['turns', true, 'cAb'],
  ['name', false, 'Abc'],
  ['tokens', true, 'Abc'],
  ['tokens', false, 'bcA'],
  ['kind', false, 'Abc'],
  ['links', true, 'bAc'],
  ['again', true, 'cbA'],
])('sorted by %s, downwards %s', (column, down, wanted) => {
  const rows = episodeRows(graph, linksOf(graph), new Uint8Array(3), new Uint32Array(), REACQUISITIONS)
  expect(
    sortRows(rows, column, down)
      .map((row) => row.name)
      .join(''),
  ).toBe(wanted)
})

test('levels are counted for what has begun, the rest is ahead', () => {
  expect(countLevels(new Uint8Array([0, 4, 2]), graph.episodes, 3)).toEqual({ at: [1, 0, 0, 0, 1], ahead: 1 })
  expect(countLevels(new Uint8Array(), graph.episodes, 9)).toEqual({ at: [3, 0, 0, 0, 0], ahead: 0 })
})

test('an episode at level 0 may have lost a part', () => {
  const left = Uint32Array.from(graph.episodes, ({ tokens }) => tokens)
  const none = new Uint8Array(graph.episodes.length)
  expect(partly(none, left, graph.episodes, 9)).toBe(0)
  left[0] = (left[0] ?? 0) - 1
  expect(partly(none, left, graph.episodes, 9)).toBe(1)
  expect(partly(new Uint8Array([1, 0, 0]), left, graph.episodes, 9)).toBe(0)
  expect([stateName(0, 5, 5), stateName(0, 4, 5), stateName(2, 4, 5)]).toEqual([
    'intact',
    'in part',
    'bulk stripped',
  ])
})

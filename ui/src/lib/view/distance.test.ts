import { expect, test } from 'vitest'

import type { EpisodeNode } from '../ipc/generated/EpisodeNode'
import type { GraphAnswer } from '../ipc/generated/GraphAnswer'
import { distanceBeside, neighbourhoodOf, parseDistance, walkNear, type Reached } from './distance'
import { linksOf } from './edges'
import { DECLARED, OWN } from './testing'

const KINDS: EpisodeNode['kind'][] = ['unannotated', 'expl', 'expl', 'act', 'act']
const GRAPH: GraphAnswer = {
  revision: 1,
  from: DECLARED,
  n_turns: 9,
  episodes: KINDS.map((kind, at) => ({
    ...OWN,
    name: `${kind}-${at}`,
    kind,
    open: false,
    first_turn: at + 1,
    last_turn: at + 1,
    tokens: 10,
    kept_at: [10, 8, 6, 4, 2],
    problems: [],
    line: at,
  })),
  edges: [
    [1, 3],
    [2, 3],
    [1, 4],
  ],
  implicit: [[0, 3, 4]],
  human_turns: [],
  prologue_ends: null,
}
const LINKS = linksOf(GRAPH)
const hoodOf = (idx: number) => neighbourhoodOf(GRAPH, LINKS, idx)

test('a neighbourhood has both sides of all edges, declared ones first', () => {
  const check = (idx: number, sources: string, users: string) => {
    const said = (list: { idx: number; isImplicit: boolean }[]) =>
      list.map((one) => `${one.idx}${one.isImplicit ? '?' : ''}`).join(' ')
    const hood = hoodOf(idx)
    expect([said(hood.sources), said(hood.users)]).toEqual([sources, users])
  }
  check(0, '', '3? 4?')
  check(1, '', '3 4')
  check(3, '1 2 0?', '')
  check(4, '1 0?', '')
})

test('keys walk along edges, and among those that share one end', () => {
  const check = (keys: string, from: number, expected: number | null) => {
    let at: number | null = from
    let reached: Reached | null = null
    for (const key of keys.split(' ')) {
      const next: ReturnType<typeof walkNear> =
        at === null ? null : walkNear(hoodOf, at, reached, `Arrow${key}`)
      at = next?.idx ?? null
      reached = next?.reached ?? null
    }
    expect(at, keys).toBe(expected)
  }
  check('Left', 3, 2)
  check('Left Up', 3, 1)
  check('Left Up Right', 3, 3)
  check('Left Up Right Down', 3, 4)
  check('Left Down', 3, 0)
  check('Left Down Down', 3, null)
  check('Right Down Left', 1, 1)
  check('Up', 3, null)
  check('Left', 1, null)
})

test('distances have an order and ends', () => {
  expect(distanceBeside('session', 1)).toBe('neighbourhood')
  expect(distanceBeside('episode', 1)).toBe('episode')
  expect(distanceBeside('episode', -1)).toBe('neighbourhood')
  expect(distanceBeside('session', -1)).toBe('session')
  expect([parseDistance(null), parseDistance('episode'), parseDistance('far')]).toEqual([
    'session',
    'episode',
    'session',
  ])
})

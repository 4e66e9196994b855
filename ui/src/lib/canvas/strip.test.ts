import { expect, test } from 'vitest'

import type { EpisodeNode } from '../ipc/generated/EpisodeNode'
import { ACT, layOut } from '../view/lanes'
import { TURNS, scaleOf } from '../view/scale'
import { barsOf } from './strip'

/** Makes acts of one turn each, with these tokens. */
function barsAt(tokens: number[], width: number, turn: number, shares = tokens.map(() => 1)) {
  const episodes = tokens.map((n, idx) => {
    const episode: Partial<EpisodeNode> = { kind: 'act', first_turn: idx + 1, last_turn: idx + 1, tokens: n }
    return episode as EpisodeNode
  })
  const lanes = layOut(episodes)
  const scene = { graph: { episodes } as never, lanes, shares: Float32Array.from(shares) }
  const scale = scaleOf({ x0: 0, x1: tokens.length, axis: TURNS }, width)
  return barsOf(scene, ACT, lanes.byLane[ACT], scale, 20, turn)
}

test('an episode has a bar where there is room for it', () => {
  const bars = barsAt([100, 400], 100, 2, [1, 0.5])
  expect(bars).toEqual([
    { x: 0, wide: 49, tall: 10, kept: 10, ahead: false },
    { x: 50, wide: 49, tall: 20, kept: 10, ahead: false },
  ])
})

test.each([1000, 10_000])('%d episodes have no more bars than there are pixels, and none is lost', (n) => {
  const tokens = Array.from({ length: n }, (_, idx) => (idx === n - 1 ? 400 : 100))
  const bars = barsAt(tokens, 100, n)
  expect(bars.length).toBe(100)
  expect(bars.at(-1)).toMatchObject({ tall: 20, kept: 20 })
  expect(bars[0]).toMatchObject({ x: 0, tall: 10 })
})

test('a pixel is ahead of the cut when all of it is', () => {
  const tokens = Array.from({ length: 1000 }, () => 100)
  expect(barsAt(tokens, 100, 505).map(({ ahead }) => ahead)).toEqual([
    ...Array.from({ length: 51 }, () => false),
    ...Array.from({ length: 49 }, () => true),
  ])
})

import { expect, test } from 'vitest'

import type { EpisodeNode } from '../ipc/generated/EpisodeNode'
import type { GraphAnswer } from '../ipc/generated/GraphAnswer'
import { Scene } from './scene'

const EPISODE: Partial<EpisodeNode> = {
  kind: 'expl',
  first_turn: 1,
  last_turn: 2,
  tokens: 100,
  kept_at: [100, 75, 50, 25, 0],
}

/** A graph of so many equal episodes. */
const graphOf = (n: number) =>
  ({ episodes: Array.from({ length: n }, () => EPISODE), edges: [], implicit: [] }) as unknown as GraphAnswer

test('a graph that grows is drawn at once, and what τ evicts fades', () => {
  const scene = new Scene()
  scene.setGraph(graphOf(1))
  scene.levels = [2]
  expect(scene.advance(1000, false)).toBe(false)
  expect([...scene.shares]).toEqual([0.5])
  scene.setGraph(graphOf(2))
  scene.levels = [4, 0]
  expect(scene.advance(1016, false)).toBe(false)
  expect([...scene.shares]).toEqual([0, 1])
  scene.levels = [4, 2]
  expect(scene.advance(1032, false)).toBe(true)
  expect(scene.shares[1]).toBeGreaterThan(0.5)
})

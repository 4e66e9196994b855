import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import type { Position } from '../view/position'
import { Player } from './player'
import type { Workbench } from './workbench'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A bench with a number of steps per turn, as far as the player knows one. */
function playing(nSteps: number[], from: Position) {
  let at = from
  const way: string[] = []
  const bench = {
    bench: { graph: { n_turns: nSteps.length }, replay: { n_steps: nSteps } },
    position: () => at,
    moveTo: (next: Position) => {
      at = next
      way.push(`${next.turn}.${next.step}`)
    },
  }
  return { player: new Player(bench as unknown as Workbench), way }
}

test('it plays once through and stops', () => {
  const { player, way } = playing([0, 2, 0], { turn: 1, step: 0 })
  player.play()
  vi.runAllTimers()
  expect(way).toEqual(['2.0', '2.1', '2.2', '3.0'])
  expect(player.store.get().playing).toBe(false)
  player.play()
  expect(way.slice(4)).toEqual(['1.0', '2.0'])
})

test('it begins a turn before the first pass, from the beginning and from the end', () => {
  const { player, way } = playing([0, 0, 0, 1], { turn: 1, step: 0 })
  player.play()
  vi.runAllTimers()
  expect(way).toEqual(['3.0', '4.0', '4.1'])
  player.play()
  expect(way.slice(3)).toEqual(['3.0', '4.0'])
  const later = playing([0, 0, 0, 1], { turn: 2, step: 0 })
  later.player.play()
  vi.runAllTimers()
  expect(later.way).toEqual(['3.0', '4.0', '4.1'])
  const none = playing([0, 0], { turn: 2, step: 0 })
  none.player.play()
  expect(none.way).toEqual(['1.0', '2.0'])
})

test('it stops before each pass where that is wanted, and goes on when asked', () => {
  const { player, way } = playing([0, 2, 0, 1], { turn: 1, step: 0 })
  player.setStopsAtPasses(true)
  player.play()
  vi.runAllTimers()
  expect([way.at(-1), player.store.get().playing]).toEqual(['2.0', false])
  player.play()
  vi.runAllTimers()
  expect([way.at(-1), player.store.get().playing]).toEqual(['4.0', false])
  player.play()
  vi.runAllTimers()
  expect([way.at(-1), player.store.get().playing]).toEqual(['4.1', false])
})

test('a faster speed takes less time for the same way', () => {
  const ends = [1, 4].map((speed) => {
    const { player, way } = playing([3, 3, 3], { turn: 1, step: 0 })
    player.setSpeed(speed)
    player.play()
    vi.advanceTimersByTime(1000)
    player.pause()
    return way.length
  })
  expect(ends[1]).toBeGreaterThan((ends[0] ?? 0) * 2)
})

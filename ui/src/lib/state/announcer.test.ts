import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { Announcer } from './announcer'
import { ScriptedHost } from './testing'
import { Workbench } from './workbench'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

async function opened(nTurns = 6) {
  const host = new ScriptedHost()
  host.nTurns = nTurns
  host.nSteps = Array.from({ length: nTurns }, () => 0)
  const bench = new Workbench(host, null)
  const announcer = new Announcer(bench)
  const said: string[] = []
  announcer.store.subscribe(() => said.push(announcer.store.get().said))
  await bench.open('log.jsonl')
  await vi.advanceTimersByTimeAsync(1000)
  return { bench, said }
}

test('opening is said once', async () => {
  const { said } = await opened()
  expect(said).toHaveLength(1)
  expect(said[0]).toMatch(/^Opened: .*6 turns, 2 episodes/)
})

test('of many moves the last is said, when they are over', async () => {
  const { bench, said } = await opened()
  for (const turn of [1, 2, 4, 5]) {
    bench.moveTo({ turn, step: 0 })
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(said, 'not while it moves').toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1000)
  expect(said).toHaveLength(2)
  expect(said[1]).toMatch(/^Turn 5\./)
})

test('what never rests is said now and then', async () => {
  const { bench, said } = await opened(200)
  for (let n = 0; n < 100; n += 1) {
    bench.moveTo({ turn: n + 1, step: 0 })
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(said.length - 1, 'in ten seconds').toBeGreaterThanOrEqual(2)
  expect(said.length - 1, 'in ten seconds').toBeLessThanOrEqual(4)
})

test('going there and back says nothing', async () => {
  const { bench, said } = await opened()
  bench.moveTo({ turn: 2, step: 0 })
  await vi.advanceTimersByTimeAsync(100)
  bench.toNow()
  await vi.advanceTimersByTimeAsync(5000)
  expect(said).toHaveLength(1)
})

import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import type { DuelAnswer } from '../ipc/generated/DuelAnswer'
import type { DuelRequest } from '../ipc/generated/DuelRequest'
import { DUEL_MS } from '../view/duel'
import { Duel } from './duel'
import { createStore } from './store'
import { QuietHost } from './testing'
import { START, type Bench, type Workbench } from './workbench'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A duel over a session of so many turns, and what its host was asked. */
function duelOver(nTurns: number, isStill = false) {
  const asked: DuelRequest[] = []
  class DuelHost extends QuietHost {
    override call = ((name: string, request: DuelRequest) => {
      asked.push(request)
      return name === 'duel'
        ? Promise.resolve({ came_in: Array(nTurns).fill(1) } as DuelAnswer)
        : Promise.reject()
    }) as QuietHost['call']
  }
  const view = { ...START.view, policy: 'none', budget: '50k' }
  const session = { path: 'a.jsonl', choices: { policies: [] } } as unknown as Bench['session']
  const question = { session: 7, revision: 1, view, cut: { turn: null, step: null } }
  const store = createStore<Bench>({ ...START, view, session, question })
  const bench = {
    store,
    get bench() {
      return store.get()
    },
  } as unknown as Workbench
  const duel = new Duel(new DuelHost(), bench, () => isStill)
  store.set({ ...store.get(), unseen: 1 })
  return { duel, asked, store }
}

const answered = () => vi.advanceTimersByTimeAsync(0)

test('thirty seconds from start to end, whatever the length of the session', async () => {
  for (const nTurns of [3, 170, 10_000]) {
    const { duel } = duelOver(nTurns)
    duel.set(true)
    await answered()
    const began = performance.now()
    expect(duel.turn).toBe(1)
    await vi.advanceTimersByTimeAsync(DUEL_MS / 2)
    expect(duel.store.get().place).toBeCloseTo(0.5, 1)
    while (duel.store.get().playing) await vi.advanceTimersByTimeAsync(10)
    expect(Math.abs(performance.now() - began - DUEL_MS)).toBeLessThan(100)
    expect([duel.turn, duel.store.get().place]).toEqual([nTurns, 1])
  }
})

test('without motion it goes in jumps of a second', async () => {
  const { duel } = duelOver(301, true)
  duel.set(true)
  await answered()
  const places = new Set<number>()
  duel.store.subscribe(() => places.add(duel.store.get().place))
  await vi.advanceTimersByTimeAsync(DUEL_MS + 2000)
  expect(places.size).toBe(30)
  expect(duel.store.get()).toMatchObject({ place: 1, playing: false })
})

test('both policies are asked at the budget of the window, or at their own', async () => {
  const { duel, asked } = duelOver(9)
  duel.setPolicy('b', 'auto')
  expect(asked).toEqual([])
  duel.set(true)
  await answered()
  expect(asked.map(({ a, b }) => [a.policy, a.budget, b.policy, b.budget])).toEqual([
    ['cwl+', '50k', 'auto', '50k'],
  ])
  duel.setBudget('9000')
  await answered()
  expect([asked[1]?.a.budget, asked[1]?.b.budget]).toEqual(['9000', '9000'])
})

test('it stops where it is put, and plays on from there', async () => {
  const { duel } = duelOver(101)
  duel.set(true)
  await answered()
  duel.seek(0.5)
  await vi.advanceTimersByTimeAsync(5000)
  expect([duel.turn, duel.store.get().playing]).toEqual([51, false])
  duel.turnBy(-1)
  expect(duel.turn).toBe(50)
  duel.turnBy(-999)
  expect(duel.turn).toBe(1)
  duel.seek(0.9)
  duel.toggle()
  await vi.advanceTimersByTimeAsync(4000)
  expect(duel.store.get()).toMatchObject({ place: 1, playing: false })
  duel.toggle()
  expect(duel.store.get()).toMatchObject({ place: 0, playing: true })
  duel.set(false)
  await vi.advanceTimersByTimeAsync(9000)
  expect(duel.store.get()).toMatchObject({ on: false, place: 0 })
})

test('another session ends it', async () => {
  const { duel, store } = duelOver(9)
  duel.set(true)
  await answered()
  store.set({ session: { path: 'b.jsonl', choices: { policies: [] } } as unknown as Bench['session'] })
  expect(duel.store.get()).toMatchObject({ on: false, playing: false })
})

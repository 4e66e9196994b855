import { expect, test, vi } from 'vitest'

import { calmed, createStore, partOf } from './store'

test('a part of a store tells of its own changes alone', () => {
  const store = createStore({ a: 1, b: 1, list: [1] })
  let told = 0
  const end = partOf(store, ({ a, list }) => [a, list]).subscribe(() => (told += 1))
  store.set({ b: 2 })
  expect(told).toBe(0)
  store.set({ a: 2, b: 3 })
  expect(told).toBe(1)
  store.set({ list: [1] })
  expect(told).toBe(2)
  end()
  store.set({ a: 3 })
  expect(told).toBe(2)
})

test('while a store is busy, its calm form changes once in a while, and at the end it is the same', () => {
  vi.useFakeTimers()
  let busy = false
  const store = createStore({ n: 0 })
  const calm = calmed(store, () => busy, 100)
  const seen: number[] = []
  calm.subscribe(() => seen.push(calm.get().n))
  store.set({ n: 1 })
  busy = true
  for (let n = 2; n <= 25; n += 1) {
    vi.advanceTimersByTime(10)
    store.set({ n })
  }
  expect(seen).toEqual([1, 10, 20])
  vi.advanceTimersByTime(100)
  expect(seen).toEqual([1, 10, 20, 25])
  store.set({ n: 26 })
  busy = false
  store.set({ n: 27 })
  expect(seen.at(-1)).toBe(27)
  vi.advanceTimersByTime(1000)
  expect(seen.at(-1)).toBe(27)
  vi.useRealTimers()
})

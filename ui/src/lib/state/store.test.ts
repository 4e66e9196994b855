import { expect, test } from 'vitest'

import { createStore, partOf } from './store'

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

import { expect, test } from 'vitest'

import { STOPS, Tour } from './tour'

/** A tour, what it did, and the storage of the window. */
function touring(stored = new Map<string, string>()) {
  const did: string[] = []
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  }
  const tour = new Tour(
    () => {
      did.push('open')
      return Promise.resolve()
    },
    (stop) => did.push(stop),
    storage,
  )
  return { tour, did, stored }
}

test('it is offered once, and never begins by itself', async () => {
  const { tour, did, stored } = touring()
  expect(tour.store.get()).toEqual({ at: null, offered: true })
  expect(did).toEqual([])
  tour.refuse()
  expect(tour.store.get()).toEqual({ at: null, offered: false })
  const later = touring(stored)
  expect(later.tour.store.get().offered).toBe(false)
  await later.tour.start()
  expect(later.did).toEqual(['open', 'overview'])
})

test('it goes from stop to stop on the sample, and ends behind the last', async () => {
  const { tour, did } = touring()
  await tour.start()
  tour.by(-1)
  expect(tour.store.get().at).toBe(null)
  await tour.start()
  STOPS.forEach(() => tour.by(1))
  expect(tour.store.get()).toEqual({ at: null, offered: false })
  expect(did).toEqual(['open', 'overview', 'open', ...STOPS])
})

test('it can be left at every stop', async () => {
  const { tour } = touring()
  await tour.start()
  tour.by(1)
  tour.leave()
  tour.by(1)
  expect(tour.store.get().at).toBe(null)
})

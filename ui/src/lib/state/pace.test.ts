import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { Pace } from './pace'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** Takes as many as may go in two seconds, each of which keeps the page busy for `busy` milliseconds. */
async function taken(busy: number): Promise<number> {
  const painted = () => new Promise<void>((done) => setTimeout(done, 34 + busy))
  const pace = new Pace(80, 500, { now: () => Date.now(), painted })
  let n = 0
  let over = false
  const run = async () => {
    for (;;) {
      await pace.turn()
      if (over) return
      pace.take(() => (n += 1))
    }
  }
  void run()
  await vi.advanceTimersByTimeAsync(2000)
  over = true
  await vi.advanceTimersByTimeAsync(1000)
  return n
}

test.each([
  ['what costs nothing is taken as often as it may', 0, 24, 26],
  ['what costs more is taken less often', 15, 5, 7],
  ['what costs very much is still taken', 400, 4, 6],
])('%s', async (_, busy, least, most) => {
  const n = await taken(busy)
  expect(n).toBeGreaterThanOrEqual(least)
  expect(n).toBeLessThanOrEqual(most)
})

test('the first one after a pause goes at once', async () => {
  const pace = new Pace(80, 500, { now: () => Date.now(), painted: () => Promise.resolve() })
  let went = 0
  await pace.turn()
  await vi.advanceTimersByTimeAsync(600)
  void pace.turn().then(() => (went += 1))
  await vi.advanceTimersByTimeAsync(0)
  expect(went).toBe(1)
})

test('only a page with much to do waits between reading an answer and taking it over', async () => {
  const pace = new Pace(80, 500, {
    now: () => Date.now(),
    painted: () => new Promise((done) => setTimeout(done, 50)),
  })
  const goneBy = async (after: number) => {
    let went = false
    void pace.breath().then(() => (went = true))
    await vi.advanceTimersByTimeAsync(after)
    return went
  }
  expect(await goneBy(0)).toBe(true)
  pace.take(() => undefined)
  await vi.advanceTimersByTimeAsync(100)
  expect(await goneBy(40)).toBe(false)
  expect(await goneBy(60)).toBe(true)
})

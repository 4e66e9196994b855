import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { Pace } from './pace'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** Counts the updates that a pace lets through in two seconds if each update loses the page `nLost` frames. */
async function taken(nLost: number): Promise<number> {
  const lostFrames = () => new Promise<number>((done) => setTimeout(() => done(nLost), 17 * (nLost + 2)))
  const pace = new Pace(80, 1000, { now: () => Date.now(), lostFrames })
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
  ['no frame: as often as it may', 0, 24, 26],
  ['one frame: one in thirty', 1, 4, 5],
  ['eight frames: at least once a second', 8, 2, 3],
])('taken in two seconds where each loses %s', async (_, nLost, least, most) => {
  const n = await taken(nLost)
  expect(n).toBeGreaterThanOrEqual(least)
  expect(n).toBeLessThanOrEqual(most)
})

test('the first one after a pause goes at once', async () => {
  const pace = new Pace(80, 1000, { now: () => Date.now(), lostFrames: () => Promise.resolve(1) })
  let went = 0
  await pace.turn()
  await vi.advanceTimersByTimeAsync(600)
  void pace.turn().then(() => (went += 1))
  await vi.advanceTimersByTimeAsync(0)
  expect(went).toBe(1)
})

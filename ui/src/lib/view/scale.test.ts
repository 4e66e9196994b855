import { expect, test } from 'vitest'

import { LEAST_TURN, TURNS, TokenAxis, axisOf, scaleOf, type Axis } from './scale'

/** Numbers from 0 to 1 that look random and are the same every time. */
function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** A history of a hundred shapes: nothing, a trickle, a flood. */
function history(seed: number): number[] {
  const next = chance(seed)
  return Array.from({ length: 1 + Math.floor(next() * 300) }, () => {
    const kind = next()
    if (kind < 0.2) return 0
    return Math.floor(next() * (kind < 0.5 ? 40 : 9000))
  })
}

const axes: Axis[] = [TURNS, ...Array.from({ length: 60 }, (_, seed) => new TokenAxis(history(seed + 1)))]

test('a turn to pixels and back is the same turn, at any zoom', () => {
  axes.forEach((axis, seed) => {
    const next = chance(seed + 99)
    for (let n = 0; n < 40; n += 1) {
      const x0 = axis.place(next() * 300 - 5)
      const scale = scaleOf({ axis, x0, x1: x0 + axis.least * 3 ** (next() * 9) }, 300 + next() * 1600)
      const turn = next() * 320 - 10
      expect(scale.turn(scale.px(turn))).toBeCloseTo(turn, 6)
      const px = next() * scale.width
      expect(scale.px(scale.turn(px))).toBeCloseTo(px, 4)
      expect(axis.turn(scale.place(px))).toBe(scale.turn(px))
    }
  })
})

test('later is further right, between turns too', () => {
  for (const axis of axes) {
    const places = Array.from({ length: 1288 }, (_, at) => axis.place(at / 4 - 2))
    expect(places.slice(1).every((place, at) => place > (places[at] ?? place))).toBe(true)
  }
})

test('a turn is as wide as the tokens that came in, and one without is narrow but there', () => {
  const axis = new TokenAxis([5000, 0, 120, 30_000, 3])
  const widths = [1, 2, 3, 4, 5].map((turn) => axis.place(turn) - axis.place(turn - 1))
  expect(widths).toEqual([5000, LEAST_TURN, 120, 30_000, LEAST_TURN])
  const closest = scaleOf({ axis, x0: axis.place(1), x1: axis.place(1) + axis.least }, 1300)
  expect(closest.px(2) - closest.px(1)).toBeGreaterThan(20)
})

test('labels of turns are whole turns, and few enough', () => {
  for (const [x0, x1, width, most] of [
    [0.2, 6.4, 1300, 14],
    [0, 8100, 400, 8],
  ] as const) {
    const ticks = scaleOf({ axis: TURNS, x0, x1 }, width).ticks()
    expect(ticks.length).toBeLessThanOrEqual(most)
    expect(ticks.every(({ turn }) => Number.isInteger(turn) && turn >= 1)).toBe(true)
  }
  expect(scaleOf({ axis: TURNS, x0: 0, x1: 3000 }, 500).ticks().at(-1)?.label).toBe('3,000')
})

test('labels of tokens are round, all different, and stand where that many had come in', () => {
  const full = [12_000, 40_000, 40_000, 900_000, 4_400_000]
  const axis = new TokenAxis(full.map((tokens, at) => tokens - (full[at - 1] ?? 0)))
  for (const [from, to] of [
    [0, 4_400_000],
    [39_000, 45_000],
    [880_000, 1_200_000],
    [880_000, 881_000],
    [3_000_000, 3_000_400],
  ] as const) {
    const ticks = scaleOf({ axis, x0: from, x1: to }, 1300).ticks()
    const labels = ticks.map(({ label }) => label)
    expect(new Set(labels).size).toBe(labels.length)
    expect(labels.length).toBeGreaterThan(2)
    for (const { turn, label } of ticks) {
      const factor = label.endsWith('M') ? 1e6 : label.endsWith('k') ? 1e3 : 1
      const tokens = Number(label.replace(/[,kM]/g, '')) * factor
      const known = [0, ...full]
      const before = Math.min(Math.floor(turn), known.length - 2)
      const [low, high] = [known[before] ?? 0, known[before + 1] ?? 0]
      expect(low + (turn - before) * (high - low)).toBeCloseTo(tokens, 3)
    }
  }
  const labels = (x1: number) =>
    scaleOf({ axis, x0: 0, x1 }, 900)
      .ticks()
      .map((tick) => tick.label)
  expect(labels(400_100)).toEqual(['0', '50k', '100k', '150k', '200k', '250k', '300k', '350k', '400k'])
  expect(labels(4_000_000).slice(0, 3)).toEqual(['0', '500k', '1M'])
  expect(axis.label(2)).toBe('40k')
  expect(axis.label(4)).toBe('900k')
})

test('a log without a token still has an axis', () => {
  for (const cameIn of [[], [0], [0, 0, 0]]) {
    const axis = new TokenAxis(cameIn)
    const scale = scaleOf({ axis, x0: 0, x1: axis.least }, 1000)
    expect(scale.turn(scale.px(1))).toBeCloseTo(1)
    for (const tick of scale.ticks()) expect(Number.isFinite(tick.turn)).toBe(true)
    expect(axis.label(1)).toBe('0')
  }
})

test('an axis stays the same object while its history is the same', () => {
  const axis = axisOf('tokens', [10, 20, 30], TURNS)
  expect(axisOf('tokens', [10, 20, 30], axis)).toBe(axis)
  expect(axisOf('tokens', [10, 20, 31], axis)).not.toBe(axis)
  expect(axisOf('turns', [10, 20, 30], axis)).toBe(TURNS)
  expect(axisOf('tokens', null, axis)).toBe(TURNS)
})

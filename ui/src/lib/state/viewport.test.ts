import { expect, test } from 'vitest'

import { TURNS, TokenAxis, type Axis } from '../view/scale'
import {
  arrange,
  fit,
  openAt,
  panBy,
  reveal,
  revealTurn,
  show,
  viewport,
  zoomAt,
  zoomCentre,
} from './viewport'

/** The tokens that came in: small turns first, then large ones. */
const cameIn = (nTurns: number, more = 0) =>
  Array.from({ length: nTurns }, (_, at) => (at < nTurns / 2 ? 100 : 4000) + (at === 0 ? more : 0))

const middle = () => {
  const { axis, x0, x1 } = viewport.get()
  return axis.turn((x0 + x1) / 2)
}
const seen = () => {
  const { axis, x0, x1 } = viewport.get()
  return [axis.turn(x0), axis.turn(x1)] as const
}

test('a session opens as a whole, a long one at its end', () => {
  for (const axisFor of [() => TURNS, (nTurns: number) => new TokenAxis(cameIn(nTurns))]) {
    openAt(axisFor(300), 300, 1300)
    expect(viewport.get()).toMatchObject({ x0: 0, x1: viewport.get().end })
    openAt(axisFor(4000), 4000, 1200)
    const [first, last] = seen()
    expect(last).toBeCloseTo(4004)
    expect(last - first).toBeCloseTo(500)
  }
})

test('a short session is seen as a whole, also by who draws all of it, and stays so while it grows', () => {
  for (const axisFor of [() => TURNS, (nTurns: number) => new TokenAxis(cameIn(nTurns))]) {
    openAt(axisFor(1), 1, 1300)
    for (const nTurns of [1, 2, 3, 4, 9]) {
      arrange(axisFor(nTurns), nTurns, true)
      const { axis, x0, x1, end } = viewport.get()
      expect([x0, x1]).toEqual([0, end])
      expect(end).toBeGreaterThanOrEqual(axis.least)
      expect(axis.turn(end)).toBeGreaterThan(nTurns)
    }
  }
})

test('on the other axis the turn in the middle stays in the middle, and back again is where one was', () => {
  const tokens = new TokenAxis(cameIn(300))
  for (const [from, to] of [
    [100, 120],
    [140, 160],
    [200, 290],
  ] as const) {
    openAt(TURNS, 300, 1300)
    show(from, to)
    const before = viewport.get()
    const at = middle()
    arrange(tokens, 300, true)
    expect(viewport.get().axis).toBe(tokens)
    expect(middle()).toBeCloseTo(at, 6)
    arrange(TURNS, 300, true)
    expect(viewport.get()).toEqual(before)
    arrange(tokens, 300, true)
    zoomCentre(0.5)
    arrange(TURNS, 300, true)
    expect(middle()).toBeCloseTo(at, 6)
    expect(viewport.get()).not.toEqual(before)
  }
})

test('the whole stays the whole on the other axis', () => {
  openAt(TURNS, 300, 1300)
  arrange(new TokenAxis(cameIn(300)), 300, false)
  expect(viewport.get()).toMatchObject({ x0: 0, x1: viewport.get().end })
  expect(seen()[1]).toBeGreaterThan(300)
})

test('what is in view stays while turns come, unless the cut is on now or the whole is shown', () => {
  const grown = (axis: (nTurns: number) => Axis) => {
    openAt(axis(300), 300, 1300)
    const [from, to] = [viewport.get().axis.place(100), viewport.get().axis.place(130)]
    show(from, to)
    const before = viewport.get()
    arrange(axis(320), 320, false)
    expect(viewport.get()).toMatchObject({ x0: before.x0, x1: before.x1 })
    arrange(axis(340), 340, true)
    expect(viewport.get().x1).toBe(viewport.get().end)
    expect(viewport.get().x1 - viewport.get().x0).toBeCloseTo(to - from, 6)
    fit()
    arrange(axis(350), 350, false)
    expect(viewport.get()).toMatchObject({ x0: 0, x1: viewport.get().end })
    expect(seen()[1]).toBeGreaterThan(350)
  }
  grown(() => TURNS)
  const all = cameIn(400)
  grown((nTurns) => new TokenAxis(all.slice(0, nTurns)))
})

test('tokens that are counted anew leave the same turns in view', () => {
  const axis = new TokenAxis(cameIn(300))
  openAt(axis, 300, 1300)
  show(axis.place(120), axis.place(170))
  arrange(new TokenAxis(cameIn(300, 7000).map((tokens) => tokens * 1.3)), 300, true)
  const [first, last] = seen()
  expect(first).toBeCloseTo(120, 6)
  expect(last).toBeCloseTo(170, 6)
})

test('zoom keeps the place under the pointer, never leaves the session and stops at the narrowest view', () => {
  for (const axis of [TURNS, new TokenAxis(cameIn(300))]) {
    openAt(axis, 300, 1300)
    const at = axis.place(180)
    for (let n = 0; n < 30; n += 1) {
      const { x0, x1 } = viewport.get()
      const share = (at - x0) / (x1 - x0)
      zoomAt(at, 0.7)
      const now = viewport.get()
      expect((at - now.x0) / (now.x1 - now.x0)).toBeCloseTo(share, 6)
    }
    expect(viewport.get().x1 - viewport.get().x0).toBeCloseTo(axis.least, 6)
    panBy(-axis.place(500))
    expect(viewport.get().x0).toBe(0)
    panBy(axis.place(500))
    expect(viewport.get().x1).toBeCloseTo(viewport.get().end, 6)
    zoomCentre(1e9)
    expect(viewport.get()).toMatchObject({ x0: 0, x1: viewport.get().end })
  }
})

test('a turn comes into view with no more movement than is needed', () => {
  for (const axis of [TURNS, new TokenAxis(cameIn(300))]) {
    openAt(axis, 300, 1300)
    show(axis.place(100), axis.place(140))
    const still = viewport.get()
    reveal(110.5, 111.5)
    revealTurn(115)
    expect(viewport.get()).toBe(still)
    for (const [from, to] of [
      [20, 25],
      [130, 141],
      [135, 145],
    ] as const) {
      reveal(from, to)
      const [first, last] = seen()
      expect(first).toBeLessThanOrEqual(from)
      expect(last).toBeGreaterThanOrEqual(to)
    }
    // A turn may be wider than what is in view: its own place is what counts.
    for (const turn of [280, 3, 200, 300]) {
      revealTurn(turn)
      const [first, last] = seen()
      expect(first).toBeLessThan(turn)
      expect(last).toBeGreaterThan(turn)
    }
  }
})

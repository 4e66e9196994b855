import { expect, test } from 'vitest'

import { TURNS } from '../view/scale'
import { HEAD, sourceLabel, timelineChange, tokensToY, yToTokens, type TimelineFrame } from './timeline'

const STACK = { names: [], tops: [], nTurns: 100, mostAfter: 1, mostFull: 1, mostReported: 1 }
const SCALE = { top: 10, most: 10 }
const VIEW = { axis: TURNS, x0: 0, x1: 100 }
const [HISTORY, REPLAY] = [{}, {}] as never[]
const PASSES: number[] = []
const AGAIN: number[] = []

/** A frame of a hundred turns, one pixel each. */
function frame(turn: number, change: Partial<TimelineFrame['look']> = {}): TimelineFrame {
  const look = {
    view: VIEW,
    turn,
    hovered: null,
    tokens: SCALE,
    limit: 8,
    passes: PASSES,
    range: null,
    again: AGAIN,
    source: 'declared' as const,
    inForce: null,
    window: null,
    sent: null,
    ...change,
  }
  return { history: HISTORY as never, replay: REPLAY as never, stack: STACK, look }
}

test('a move of the cut changes what is between its places', () => {
  expect(timelineChange(frame(50), frame(40), 100)).toEqual([31.5, 58.5])
  expect(timelineChange(frame(40), frame(50), 100)).toEqual([31.5, 58.5])
  expect(timelineChange(frame(40), frame(40), 100)).toEqual([0, 0])
  expect(timelineChange(frame(40), frame(40, { sent: 9 }), 100)).toEqual([31.5, 48.5])
})

test.each<[string, TimelineFrame | null]>([
  ['there was none before', null],
  ['the view', frame(40, { view: { ...VIEW, x1: 90 } })],
  ['the pointer', frame(40, { hovered: 3 })],
  ['the scale', frame(40, { tokens: { top: 20, most: 20 } })],
  ['what happened in the place of a simulation', frame(40, { limit: null })],
  ['what was read again', frame(40, { again: [3] })],
  ['the window of the model', frame(40, { window: 9 })],
  ['the selected turns', frame(40, { range: { from: 1, to: 2 } })],
  ['the bands', { ...frame(40), stack: { ...STACK } }],
])('anything may change with %s', (_, before) => {
  expect(timelineChange(before, frame(40), 100)).toBeNull()
})

test.each([
  ['whole', { top: 1000, most: 1000 }],
  ['broken', { top: 1000, most: 9000 }],
])('heights of a scale that is %s are in the picture, and lead back', (_, scale) => {
  let last = Infinity
  for (const tokens of [0, 1, 400, 999, 1000, 1001, 5000, 9000].filter((one) => one <= scale.most)) {
    const y = tokensToY(tokens, scale, 200)
    expect(y).toBeGreaterThanOrEqual(HEAD - 1)
    expect(y).toBeLessThan(last)
    expect(yToTokens(y, scale, 200)).toBeCloseTo(tokens, 6)
    last = y
  }
})

test.each([
  ['without a window', null, HEAD + 8],
  ['with a window far below', 5, HEAD + 8],
  ['with a window at its place', 10, HEAD - 1 + 15],
  ['with a window beyond the scale', 99, HEAD / 2 + 2 + 15],
])('the label of the source of marks overlaps no other, %s', (_, window, expected) => {
  expect(sourceLabel(window, SCALE, 200)).toBe(expected)
})

import { expect, test } from 'vitest'

import { layoutOf, type LayoutWishes } from './layout'

const FREE: LayoutWishes = { graph: null, timeline: null, below: null }
test.each([
  [600, true, 'folded'],
  [640, true, 'open'],
  [720, true, 'open'],
  [768, true, 'open'],
  [900, false, 'open'],
  [1080, false, 'open'],
  [1440, false, 'open'],
])(
  'a window of %i pixels has a graph of a third (a quarter of a low one), a timeline and a list',
  (tall, compact, timeline) => {
    const layout = layoutOf(tall, 1, FREE, {})
    expect(layout.compact).toBe(compact)
    expect(layout.timeline).toBe(timeline)
    expect(layout.graph).toBe('open')
    const [bars, legend] = compact ? [80, 32] : [88, 32]
    const timelineHeight = timeline === 'open' ? Math.max(84, 0.117 * tall) : 25
    const graph = tall - bars - legend - timelineHeight - layout.below
    const [least, most] = compact ? [0.22, 0.3] : [0.31, 0.35]
    expect(graph / tall).toBeGreaterThan(least)
    expect(graph / tall).toBeLessThan(most)
    expect(layout.below).toBeGreaterThanOrEqual(240)
  },
)

test('a wish stands above the room there is, and the room above a height', () => {
  expect(layoutOf(720, 1, { ...FREE, timeline: true }, {}).timeline).toBe('open')
  expect(layoutOf(1080, 1, { ...FREE, graph: false }, {}).graph).toBe('folded')
  const pressed = layoutOf(1080, 1, { ...FREE, below: 5000 }, {})
  expect(pressed.below).toBe(pressed.most)
  expect(layoutOf(1080, 1, { ...FREE, below: 200 }, {}).below).toBe(200)
})

test('with both panes folded the list has the rest', () => {
  const layout = layoutOf(900, 1, { ...FREE, graph: false, timeline: false }, {})
  expect(layout.below).toBe(layout.most)
  expect(layout.most).toBeGreaterThan(700)
})

test('bars of several lines take of the list, then of the graph', () => {
  const graphOf = (room: number) => room - layoutOf(800, 1, FREE, {}, room).below - 32 - 94
  expect(graphOf(700)).toBeCloseTo(0.23 * 800, -1)
  expect(layoutOf(800, 1, FREE, {}, 700).below).toBeGreaterThan(280)
  expect(graphOf(540)).toBeLessThan(0.23 * 800)
  expect(layoutOf(800, 1, FREE, {}, 540).below).toBe(240)
  const low = layoutOf(800, 1, FREE, {}, 514)
  expect(low.below).toBe(low.most)
})

test('larger text and trouble with the store take of the room, and something is always left', () => {
  const usual = layoutOf(900, 1, FREE, {})
  expect(layoutOf(900, 1.5, FREE, {}).compact).toBe(true)
  expect(layoutOf(900, 1, FREE, { trouble: true }).most).toBe(usual.most - 44)
  expect(layoutOf(900, 1, FREE, { steered: true }).most).toBe(usual.most - 37)
  expect(layoutOf(300, 1.5, FREE, { trouble: true }).below).toBeGreaterThanOrEqual(160)
})

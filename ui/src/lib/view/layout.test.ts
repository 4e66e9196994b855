import { expect, test } from 'vitest'

import { layoutOf, type LayoutWishes } from './layout'

const FREE: LayoutWishes = { graph: null, timeline: null, below: null }
/** The bar of a tab and the line of tabs, above the list itself. */
const HEADS = { usual: 38 + 36, compact: 34 + 33 }

test.each([
  [600, true, 'folded', 260],
  [720, true, 'open', 320],
  [768, true, 'open', 360],
  [900, false, 'open', 380],
  [1080, false, 'open', 380],
  [1440, false, 'open', 380],
])('a window of %i pixels has a timeline and a list', (tall, compact, timeline, list) => {
  const layout = layoutOf(tall, 1, FREE, {})
  expect(layout.compact).toBe(compact)
  expect(layout.timeline).toBe(timeline)
  expect(layout.graph).toBe('open')
  expect(layout.below - (compact ? HEADS.compact : HEADS.usual)).toBeGreaterThanOrEqual(list)
})

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

test('larger text and trouble with the store take of the room, and something is always left', () => {
  const usual = layoutOf(900, 1, FREE, {})
  expect(layoutOf(900, 1.5, FREE, {}).compact).toBe(true)
  expect(layoutOf(900, 1, FREE, { trouble: true }).most).toBe(usual.most - 44)
  expect(layoutOf(900, 1, FREE, { steered: true }).most).toBe(usual.most - 37)
  expect(layoutOf(300, 1.5, FREE, { trouble: true }).below).toBeGreaterThanOrEqual(160)
})

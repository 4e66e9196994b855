import { expect, test } from 'vitest'

import { layoutOf, type LayoutWishes } from './layout'

const FREE: LayoutWishes = { graph: null, timeline: null, below: null }
/** The bar of a tab and the line of tabs, above the list itself. */
const HEADS = { usual: 38 + 36, compact: 34 + 33 }

test.each([
  [720, true],
  [768, true],
  [900, false],
  [1080, false],
  [1440, false],
])('a window of %i pixels has a list of 380 or more', (tall, compact) => {
  const layout = layoutOf(tall, 1, FREE, false)
  expect(layout.compact).toBe(compact)
  expect(layout.timeline).toBe(compact ? 'folded' : 'open')
  expect(layout.graph).toBe('open')
  expect(layout.below - (compact ? HEADS.compact : HEADS.usual)).toBeGreaterThanOrEqual(380)
})

test('a wish stands above the room there is, and the room above a height', () => {
  expect(layoutOf(720, 1, { ...FREE, timeline: true }, false).timeline).toBe('open')
  expect(layoutOf(1080, 1, { ...FREE, graph: false }, false).graph).toBe('folded')
  const pressed = layoutOf(1080, 1, { ...FREE, below: 5000 }, false)
  expect(pressed.below).toBe(pressed.most)
  expect(layoutOf(1080, 1, { ...FREE, below: 200 }, false).below).toBe(200)
})

test('with both panes folded the list has the rest', () => {
  const layout = layoutOf(900, 1, { ...FREE, graph: false, timeline: false }, false)
  expect(layout.below).toBe(layout.most)
  expect(layout.most).toBeGreaterThan(700)
})

test('larger text and trouble with the store take of the room, and something is always left', () => {
  const usual = layoutOf(900, 1, FREE, false)
  expect(layoutOf(900, 1.5, FREE, false).compact).toBe(true)
  expect(layoutOf(900, 1, FREE, true).most).toBe(usual.most - 44)
  expect(layoutOf(300, 1.5, FREE, true).below).toBeGreaterThanOrEqual(160)
})

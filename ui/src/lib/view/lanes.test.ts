import { expect, test } from 'vitest'

import type { EpisodeNode } from '../ipc/generated/EpisodeNode'
import type { EpisodeKind } from '../ipc/generated/EpisodeKind'
import {
  ACT,
  EXPLORE,
  LOOSE,
  NAME_ROW,
  firstEndingAfter,
  hit,
  isActive,
  keptShare,
  layOut,
  outlineHeight,
  rowsOf,
} from './lanes'
import { TURNS, TokenAxis, scaleOf } from './scale'
import { OWN } from './testing'

const episode = (
  kind: EpisodeKind,
  first: number,
  last: number,
  more: Partial<EpisodeNode> = {},
): EpisodeNode => ({
  name: `${kind}-${first}`,
  kind,
  open: false,
  first_turn: first,
  last_turn: last,
  tokens: 1000,
  kept_at: [1000, 800, 400, 100, 20],
  problems: [],
  line: first,
  ...OWN,
  ...more,
})

test('episodes stand in their lanes from the reply that began them to the request that holds them', () => {
  const lanes = layOut([episode('expl', 2, 5), episode('act', 6, 9), episode('unannotated', 10, 10)])
  expect(lanes.boxes.map(({ lane, x0, x1 }) => [lane, x0, x1])).toEqual([
    [EXPLORE, 1, 5],
    [ACT, 5, 9],
    [LOOSE, 9, 10],
  ])
  expect(lanes.byLane).toEqual([[2], [0], [1]])
})

test('neighbours that share a message do not cover each other', () => {
  const lanes = layOut([
    episode('expl', 2, 5),
    episode('expl', 5, 7),
    episode('expl', 7, 7),
    episode('expl', 7, 8),
  ])
  const [a, b, c, d] = lanes.boxes
  for (const box of [a, b, c, d]) expect((box?.x1 ?? 0) - (box?.x0 ?? 0)).toBeGreaterThan(0.1)
  for (const [left, right] of [
    [a, b],
    [b, c],
    [c, d],
  ]) {
    expect(right?.x0 ?? 0).toBeGreaterThanOrEqual((left?.x1 ?? 0) - 1e-9)
  }
})

test('odd numbers lay out to something that can be drawn', () => {
  const lanes = layOut([
    episode('expl', 0, 0, { tokens: 0 }),
    episode('act', 9, 2),
    episode('unannotated', 3, 4),
  ])
  for (const box of lanes.boxes) expect(box.x1).toBeGreaterThan(box.x0)
  expect(outlineHeight(-5, lanes.most, 80)).toBe(5)
})

test('the pointer finds the box under it, the nearest within reach, and nothing else', () => {
  const lanes = layOut([episode('expl', 2, 5), episode('act', 6, 9), episode('expl', 20, 25)])
  const scale = scaleOf({ axis: TURNS, x0: 0, x1: 30 }, 300)
  expect(hit(lanes, EXPLORE, scale, 30, 0)).toBe(0)
  expect(hit(lanes, ACT, scale, 30, 0)).toBeNull()
  expect(hit(lanes, EXPLORE, scale, 185, 10)).toBe(2)
  expect(hit(lanes, EXPLORE, scale, 55, 10)).toBe(0)
  expect(hit(lanes, EXPLORE, scale, 120, 10)).toBeNull()
  expect(firstEndingAfter(lanes, lanes.byLane[EXPLORE], 5)).toBe(1)
})

test('a hit is found among many as a search through all would', () => {
  const many = layOut(
    Array.from({ length: 3000 }, (_, at) => episode(at % 3 === 0 ? 'act' : 'expl', 1 + at * 3, 3 + at * 3)),
  )
  const tokens = new TokenAxis(Array.from({ length: 9003 }, (_, at) => (at * 7919) % 4001))
  for (const axis of [TURNS, tokens]) {
    const scale = scaleOf({ axis, x0: 0, x1: axis.place(9010) }, 9000)
    for (let px = 0; px < 9000; px += 17.3) {
      const x = scale.turn(px)
      for (const lane of [EXPLORE, ACT]) {
        const slow = many.boxes.find((box) => box.lane === lane && box.x0 <= x && x <= box.x1)
        const found = hit(many, lane, scale, px, 0)
        expect(found === null ? null : many.boxes[found]?.lane).toBe(slow ? lane : null)
      }
    }
  }
})

test('marks of what was read again stand clear of boxes, names and edges', () => {
  for (let height = 130; height < 900; height += 7) {
    const rows = rowsOf(height)
    const foot = rows.actNames + rows.nameRows * NAME_ROW
    expect(rows.againAbove).toBeGreaterThan(rows.loose + rows.looseHeight)
    expect(rows.againAbove).toBeLessThan(rows.exploreNames)
    if (height < 170) expect(rows.againBelow).toBe(rows.againAbove)
    else {
      expect(rows.againBelow - 6).toBeGreaterThanOrEqual(foot - 4)
      expect(rows.againBelow + 6).toBeLessThanOrEqual(rows.axis - 11)
    }
  }
})

test('rows keep their order and stay on the canvas at any height', () => {
  for (let height = 130; height < 900; height += 7) {
    const rows = rowsOf(height)
    const order = [
      rows.problems,
      rows.loose,
      rows.exploreNames,
      rows.exploreTop,
      rows.exploreFoot,
      rows.actTop,
      rows.actFoot,
      rows.axis,
      height,
    ]
    expect(order).toEqual([...order].sort((a, b) => a - b))
  }
})

test('what is kept is a share, and an empty episode is whole until it is removed', () => {
  expect([0, 1, 2, 3, 4].map((level) => keptShare(episode('expl', 1, 2), level))).toEqual([
    1, 0.8, 0.4, 0.1, 0.02,
  ])
  expect(keptShare(episode('act', 1, 2, { tokens: 0 }), 0)).toBe(1)
  expect(keptShare(episode('act', 1, 2, { tokens: 0 }), 4)).toBe(0)
  // A description may be longer than what it stands for.
  expect(keptShare(episode('expl', 1, 2, { tokens: 10, kept_at: [10, 10, 10, 10, 40] }), 4)).toBe(1)
})

test('an episode is active from its first turn until it is closed', () => {
  const closed = episode('expl', 3, 6)
  expect([2, 3, 5, 6].map((turn) => isActive(closed, turn))).toEqual([false, true, true, false])
  expect(isActive(episode('act', 3, 4, { open: true }), 99)).toBe(true)
})

import type { EpisodeNode } from '../ipc/generated/EpisodeNode'
import type { EpisodeKind } from '../ipc/generated/EpisodeKind'
import type { Axis, Scale } from './scale'

/** The lanes, top to bottom. */
export const LOOSE = 0
export const EXPLORE = 1
export const ACT = 2

/** Where an episode stands on the time axis. */
export interface Box {
  idx: number
  lane: number
  /** In turns: from the reply that began it to the request that holds all of it. */
  x0: number
  x1: number
}

/** All episodes on the time axis. Linear in their number. */
export interface Lanes {
  boxes: Box[]
  /** Places of the boxes of each lane, by rising `x0`. */
  byLane: [number[], number[], number[]]
  /** The largest episode, tokens. */
  most: number
}

const LANE_OF: Record<EpisodeKind, number> = { expl: EXPLORE, act: ACT, unannotated: LOOSE }

/** The lane of a kind of episode. */
export const laneOf = (kind: EpisodeKind): number => LANE_OF[kind]

/** Lays episodes out. Neighbours of a lane that share a message meet in its middle, so that none hides another. */
export function layOut(episodes: readonly EpisodeNode[]): Lanes {
  const byLane: Lanes['byLane'] = [[], [], []]
  const boxes: Box[] = []
  let most = 1
  episodes.forEach((episode, idx) => {
    const lane = LANE_OF[episode.kind]
    const x0 = Math.max(0, episode.first_turn - 1)
    const box = { idx, lane, x0, x1: Math.max(x0 + 1, episode.last_turn) }
    const before = boxes[byLane[lane as 0 | 1 | 2].at(-1) ?? -1]
    if (before && before.x1 > box.x0) {
      const middle = (Math.max(before.x0, box.x0 - 1) + Math.min(before.x1, box.x1)) / 2
      const meet = Math.max(middle, before.x0 + 0.2)
      before.x1 = Math.min(before.x1, meet)
      box.x0 = Math.max(box.x0, before.x1)
      box.x1 = Math.max(box.x1, box.x0 + 0.2)
    }
    boxes.push(box)
    byLane[lane as 0 | 1 | 2].push(idx)
    most = Math.max(most, episode.tokens)
  })
  return { boxes, byLane, most }
}

/** The mean width of the boxes of each lane, places. */
export function meanWidths({ boxes, byLane }: Lanes, axis: Axis): number[] {
  const widthOf = (box: Box | undefined) => (box ? axis.place(box.x1) - axis.place(box.x0) : 0)
  return byLane.map(
    (lane) => lane.reduce((sum, idx) => sum + widthOf(boxes[idx]), 0) / Math.max(1, lane.length),
  )
}

/** The heights of the graph's rows for a canvas of a given height, pixels. */
export interface Rows {
  problems: number
  loose: number
  looseHeight: number
  /** Names of explorations stand from here, one row per line. */
  exploreNames: number
  nameRows: number
  /** The lane of explorations: boxes grow up from `exploreFoot`. */
  exploreTop: number
  exploreFoot: number
  /** The lane of acts: boxes hang down from `actTop`. */
  actTop: number
  actFoot: number
  actNames: number
  /** Heights of the marks of re-reads: above the lane of explorations, and below that of acts. */
  againAbove: number
  againBelow: number
  axis: number
  height: number
}

export const NAME_ROW = 14
const AGAIN_ROW = 13

export function rowsOf(height: number): Rows {
  const nameRows = height >= 216 ? 2 : height >= 148 ? 1 : 0
  const problems = 4
  const loose = problems + 18
  const looseHeight = 8
  // Between them there is room for the marks of what was read again.
  const againAbove = loose + looseHeight + AGAIN_ROW / 2
  const exploreNames = loose + looseHeight + AGAIN_ROW
  const exploreTop = exploreNames + nameRows * NAME_ROW + 2
  const axis = height - 20
  // Below the names there is room for the marks of human turns, and in a higher graph for those of what was read again.
  const againHeight = height >= 170 ? AGAIN_ROW : 0
  const actNamesHeight = nameRows * NAME_ROW + againHeight + 12
  const room = Math.max(30, axis - actNamesHeight - exploreTop)
  const lane = Math.max(12, Math.min(110, room * 0.37))
  const exploreFoot = exploreTop + lane
  const actTop = axis - actNamesHeight - lane
  return {
    problems,
    loose,
    looseHeight,
    exploreNames,
    nameRows,
    exploreTop,
    exploreFoot,
    actTop,
    actFoot: actTop + lane,
    actNames: actTop + lane + 3,
    againAbove,
    againBelow: againHeight > 0 ? axis - 12 - againHeight / 2 : againAbove,
    axis,
    height,
  }
}

/** The height of an outline: its area is felt, so the root of the tokens. */
export function outlineHeight(tokens: number, most: number, lane: number): number {
  return Math.max(5, Math.sqrt(Math.max(0, tokens) / Math.max(1, most)) * lane)
}

/**
 * Returns the tokens that are left of an episode: the host's answer, or the size at its level for an episode that the host
 * has not answered for yet.
 */
export function leftOf(episode: EpisodeNode, level: number, left: number | undefined): number {
  return left ?? episode.kept_at[level as 0 | 1 | 2 | 3 | 4] ?? 0
}

/** The share of an episode that the model receives, 0 to 1. */
export function keptShare(episode: EpisodeNode, level: number, left?: number): number {
  if (episode.tokens <= 0) return level >= 4 ? 0 : 1
  return Math.min(1, Math.max(0, leftOf(episode, level, left) / episode.tokens))
}

/** The place in `lane` of the first box that ends after `x`. */
export function firstEndingAfter(lanes: Lanes, lane: readonly number[], x: number): number {
  let low = 0
  let high = lane.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((lanes.boxes[lane[middle] ?? -1]?.x1 ?? 0) <= x) low = middle + 1
    else high = middle
  }
  return low
}

/** The episode of a lane under a pixel, or the nearest within `slack` pixels of it. */
export function hit(lanes: Lanes, lane: number, scale: Scale, px: number, slack: number): number | null {
  const row = lanes.byLane[lane as 0 | 1 | 2]
  if (!row) return null
  const turn = scale.turn(px)
  const last = scale.turn(px + slack)
  let best: number | null = null
  let bestDistance = slack
  for (let at = firstEndingAfter(lanes, row, scale.turn(px - slack)); at < row.length; at += 1) {
    const box = lanes.boxes[row[at] ?? -1]
    if (!box || box.x0 > last) break
    if (box.x0 <= turn && turn <= box.x1) return box.idx
    const distance = turn < box.x0 ? scale.px(box.x0) - px : px - scale.px(box.x1)
    if (distance <= bestDistance) {
      best = box.idx
      bestDistance = distance
    }
  }
  return best
}

/** True when the agent works on an episode at a turn. */
export function isActive(episode: EpisodeNode, turn: number): boolean {
  return episode.first_turn <= turn && (episode.open || turn < episode.last_turn)
}

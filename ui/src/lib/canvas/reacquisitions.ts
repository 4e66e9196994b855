import { crowdsOf, drawCount, type Crowd, type Marked } from './crowd'
import type { GraphFrame } from './graph'
import type { Pen } from './pen'
import { stampAt } from './stamps'
import { ACT } from '../view/lanes'
import type { Scale } from '../view/scale'

/** Marks that would stand closer are one with a count, pixels. */
const APART_PX = 11
const RADIUS = 3.5
/** How far from the middle of a mark a press still means it, pixels. */
const REACH_PX = 8
/** How high the middle of a mark stands on the timeline, pixels: above the diamonds and the marks of missed caches. */
const FOOT_PX = 32

interface ReacquisitionMark extends Crowd {
  idx: number
  y: number
}

type Seen = Pick<GraphFrame, 'scene' | 'look' | 'rows' | 'scale'> & { width: number }

/** The drawn marks of episodes with re-read content, gathered at the outer border of each lane. */
function marksOf({ scene, look, rows, scale, width }: Seen): ReacquisitionMark[] {
  const rowsOfMarks = new Map<number, { idx: number; x: number }[]>()
  for (const [idx, { gone_turn: gone }] of look.reacquisitions) {
    const box = scene.lanes.boxes[idx]
    if (!box || gone > look.turn) continue
    // No box, name or edge stands there.
    const y = box.lane === ACT ? rows.againBelow : rows.againAbove
    const found = rowsOfMarks.get(y) ?? []
    rowsOfMarks.set(y, found)
    found.push({ idx, x: Math.round(scale.px((box.x0 + box.x1) / 2)) })
  }
  return [...rowsOfMarks].flatMap(([y, found]) => {
    found.sort((a, b) => a.x - b.x)
    const crowds = crowdsOf(
      found.map(({ x }) => x),
      APART_PX,
      width,
    )
    return crowds.map((crowd): ReacquisitionMark => ({ idx: found[crowd.first]?.idx ?? 0, y, ...crowd }))
  })
}

/** How far up and down from its middle a mark reaches, pixels. */
export const AGAIN_REACH = 8

/** Draws a turned arrow at every episode in a row of marks whose evicted content was read again. */
export function drawReacquisitions(frame: GraphFrame, row: number): void {
  const { sheet, related } = frame
  for (const mark of marksOf({ ...frame, width: sheet.width })) {
    if (mark.y !== row) continue
    sheet.ctx.globalAlpha = related && !related.has(mark.idx) ? 0.4 : 1
    drawArrow(sheet, mark.x, mark.y)
    drawCount(sheet, mark, mark.y, 6)
  }
  sheet.ctx.globalAlpha = 1
}

/** The episode whose mark is at a place of the graph. */
export function reacquiredAt(seen: Seen, x: number, y: number): number | null {
  const near = (mark: ReacquisitionMark) =>
    Math.abs(mark.x - x) <= REACH_PX && Math.abs(mark.y - y) <= REACH_PX
  return marksOf(seen).find(near)?.idx ?? null
}

/** The marks of the turns on the timeline. */
const turnsShown = (turns: readonly number[], scale: Scale): Crowd[] =>
  crowdsOf(
    turns.map((turn) => Math.round(scale.px(turn))),
    APART_PX,
    scale.width,
  )

/** Draws a turned arrow at the foot of the timeline where the reply to a turn read again what had been evicted. */
export function drawTurnsAgain(
  sheet: Marked & { height: number },
  turns: readonly number[],
  scale: Scale,
): void {
  for (const crowd of turnsShown(turns, scale)) {
    drawArrow(sheet, crowd.x, sheet.height - FOOT_PX)
    drawCount(sheet, crowd, sheet.height - FOOT_PX, 6)
  }
}

/** The turn whose mark is at a place of the timeline; of a crowd the first. */
export function turnAgainAt(
  turns: readonly number[],
  scale: Scale,
  height: number,
  x: number,
  y: number,
): number | null {
  if (Math.abs(y - (height - FOOT_PX)) > REACH_PX) return null
  const crowd = turnsShown(turns, scale).find((mark) => Math.abs(mark.x - x) <= REACH_PX)
  return crowd ? (turns[crowd.first] ?? null) : null
}

function drawArrow(sheet: Marked, x: number, y: number): void {
  const { palette } = sheet
  const draw = (pen: Pen) => {
    pen.fillStyle = palette.bg
    pen.beginPath()
    pen.arc(0, 0, RADIUS + 2.5, 0, 2 * Math.PI)
    pen.fill()
    pen.strokeStyle = palette.text
    pen.fillStyle = palette.text
    pen.lineWidth = 1.4
    pen.beginPath()
    pen.arc(0, 0, RADIUS, -0.25 * Math.PI, 1.35 * Math.PI)
    pen.stroke()
    pen.beginPath()
    pen.moveTo(0.2, -RADIUS - 2.4)
    pen.lineTo(4.6, -RADIUS + 1)
    pen.lineTo(0.2, -RADIUS + 2.6)
    pen.closePath()
    pen.fill()
  }
  const reach = RADIUS + 3
  stampAt(sheet, { key: 'again', left: reach, right: reach, up: reach, down: reach, draw }, x, y)
}

import { crowdsOf, drawCount, type Crowd } from './crowd'
import type { Pen } from './pen'
import { stampAt } from './stamps'
import type { FillBar } from './raster'
import type { Sheet } from './surface'
import type { HistoryAnswer } from '../ipc/generated/HistoryAnswer'
import type { ReplayAnswer } from '../ipc/generated/ReplayAnswer'
import type { TurnRange } from '../view/link'
import type { Scale } from '../view/scale'

/** How high the middle of a mark of the harness's own pass stands, pixels: the cut's handle is at the head. */
const HARNESS_MARK = 8
/** How high the middle of a mark of a missed cache stands, pixels: above the diamonds. */
const MISS_MARK = 19

/** Where a pass took something: a hairline from the total after it up to the total before it. */
export function drawPasses(
  fill: FillBar,
  { palette }: Sheet,
  replay: ReplayAnswer,
  scale: Scale,
  y: (tokens: number) => number,
): void {
  const ink = scale.unit > 3 ? 0.6 : 0.35
  const first = Math.max(0, Math.floor(scale.x0) - 1)
  const last = Math.min(replay.n_steps.length, Math.ceil(scale.x1) + 1)
  const wide = Math.max(1, Math.min(3, scale.unit * 0.3))
  // Passes that share a pixel are one line, as strong as all of them on top of each other.
  const apart = scale.unit < 0.5 ? 1 : 0
  let line: { x: number; high: number; low: number; n: number } | null = null
  const draw = () => {
    if (!line) return
    const alpha = 1 - (1 - ink) ** line.n
    fill(line.x - wide / 2, line.high, wide, Math.max(1, line.low - line.high), palette.error, alpha)
  }
  for (let turn = first; turn < last; turn += 1) {
    if ((replay.n_steps[turn] ?? 0) === 0) continue
    const x = scale.px(turn + 1)
    const high = y(replay.before[turn] ?? 0)
    const low = y(replay.after[turn] ?? 0)
    if (line && x - line.x < apart) {
      line = { x: line.x, high: Math.min(line.high, high), low: Math.max(line.low, low), n: line.n + 1 }
    } else {
      draw()
      line = { x, high, low, n: 1 }
    }
  }
  draw()
}

/** Where τ could not be met: a veil over what is above it, and a bar at the head. */
export function drawOverBudget(
  fill: FillBar,
  { palette, width }: Sheet,
  replay: ReplayAnswer,
  scale: Scale,
  y: (tokens: number) => number,
): void {
  const line = y(replay.budget)
  let end = -1
  for (let at = 0; at < replay.over_budget.length; at += 1) {
    const turn = replay.over_budget[at] ?? 0
    // Turns that share a pixel are one there: two veils would be twice as strong.
    const left = scale.unit < 1 ? Math.floor(scale.px(turn)) : scale.px(turn - 0.5)
    const x = Math.max(left, end)
    const right = scale.unit < 1 ? left + 1 : Math.max(left + 1, scale.px(turn + 0.5) + 0.5)
    if (right < 0 || x > width || right <= x) continue
    end = right
    const high = y(replay.after[turn - 1] ?? 0)
    // A breath of colour and an edge: the bands stay to be seen.
    if (line > high) fill(x, high, right - x, line - high, palette.error, 0.1)
    fill(x, high - 1, right - x, 1, palette.error)
    fill(x, 2, right - x, 3, palette.error)
  }
}

export function drawReported(
  sheet: Sheet,
  history: HistoryAnswer,
  scale: Scale,
  y: (tokens: number) => number,
): void {
  const { palette, width } = sheet
  const draw = (pen: Pen) => {
    pen.fillStyle = palette.text
    pen.strokeStyle = palette.bg
    pen.lineWidth = 1
    pen.beginPath()
    pen.arc(0, 0, DOT_PX, 0, 2 * Math.PI)
    pen.fill()
    pen.stroke()
  }
  const reach = DOT_PX + 0.9
  const dot = { key: 'reported', left: reach, right: reach, up: reach, down: reach, draw }
  let last = -9
  const apart = 5
  for (let turn = Math.max(0, Math.floor(scale.x0) - 1); turn < history.reported.length; turn += 1) {
    const tokens = history.reported[turn]
    const x = scale.px(turn + 1)
    if (x > width + 3) break
    if (tokens === null || tokens === undefined || x - last < apart) continue
    last = x
    stampAt(sheet, dot, x, y(tokens))
  }
}

/** The radius of the dot of a reported size, pixels. */
const DOT_PX = 2.1

export function drawCompactions({ ctx, palette, height }: Sheet, history: HistoryAnswer, scale: Scale): void {
  ctx.fillStyle = palette.muted
  ctx.strokeStyle = palette.muted
  ctx.lineWidth = 1
  for (const turn of history.compactions) {
    const x = Math.round(scale.px(turn - 0.5)) + 0.5
    ctx.setLineDash([1, 2])
    ctx.beginPath()
    ctx.moveTo(x, 10)
    ctx.lineTo(x, height)
    ctx.stroke()
    ctx.setLineDash([])
    // Two arrows that meet: content was pressed together here.
    ctx.beginPath()
    ctx.moveTo(x - 6, 2)
    ctx.lineTo(x - 1, 6)
    ctx.lineTo(x - 6, 10)
    ctx.moveTo(x + 6, 2)
    ctx.lineTo(x + 1, 6)
    ctx.lineTo(x + 6, 10)
    ctx.stroke()
  }
}

/** Marks that would stand closer than this are one with a count, pixels. */
const MARKS_APART = 8

/** The marks of some turns, those that would touch as one. */
export function marksAt(turns: readonly number[], scale: Scale, offset: number): Crowd[] {
  return crowdsOf(
    turns.map((turn) => scale.px(turn + offset)),
    MARKS_APART,
    scale.width,
  )
}

/** A sheet that is struck out: what stood there was cleared, and nothing was written for it. */
export function drawClearings(sheet: Sheet, history: HistoryAnswer, scale: Scale): void {
  const { ctx, palette, height } = sheet
  ctx.strokeStyle = palette.muted
  ctx.lineWidth = 1
  for (const crowd of marksAt(history.clearings, scale, -0.5)) {
    const x = Math.round(crowd.x) + 0.5
    ctx.globalAlpha = 0.7
    ctx.setLineDash([1, 4])
    ctx.beginPath()
    ctx.moveTo(x, 10)
    ctx.lineTo(x, height)
    ctx.stroke()
    ctx.setLineDash([])
    ctx.globalAlpha = 1
    // Above the line of τ, which may stand at the head.
    ctx.strokeRect(x - 3, 1.5, 6, 7)
    ctx.beginPath()
    ctx.moveTo(x - 5, 9)
    ctx.lineTo(x + 5, 1)
    ctx.stroke()
    drawCount(sheet, crowd, 6, 6)
  }
}

/** A frame with a gap: from here on fewer tokens were sent than the log accounts for. */
export function drawLosses(sheet: Sheet, history: HistoryAnswer, scale: Scale): void {
  const { ctx, palette, height } = sheet
  ctx.strokeStyle = palette.text
  ctx.lineWidth = 1.25
  const turns = history.losses.map((loss) => loss.from)
  for (const crowd of marksAt(turns, scale, -0.5)) {
    const x = Math.round(crowd.x) + 0.5
    ctx.globalAlpha = 0.7
    ctx.setLineDash([3, 3])
    ctx.beginPath()
    ctx.moveTo(x, 12)
    ctx.lineTo(x, height)
    ctx.stroke()
    ctx.setLineDash([])
    ctx.globalAlpha = 1
    ctx.beginPath()
    ctx.moveTo(x - 1.5, 1.5)
    ctx.lineTo(x - 4, 1.5)
    ctx.lineTo(x - 4, 9.5)
    ctx.lineTo(x - 1.5, 9.5)
    ctx.moveTo(x + 1.5, 1.5)
    ctx.lineTo(x + 4, 1.5)
    ctx.lineTo(x + 4, 9.5)
    ctx.lineTo(x + 1.5, 9.5)
    ctx.stroke()
    drawCount(sheet, crowd, 6, 6)
  }
}

/** A cross on the ground: this request did not read from the prompt cache what it should have read. */
export function drawMisses(sheet: Sheet, turns: readonly number[], scale: Scale): void {
  const { palette } = sheet
  const y = sheet.height - MISS_MARK
  const draw = (pen: Pen) => {
    for (const [colour, width] of [
      [palette.bg, 4],
      [palette.text, 1.5],
    ] as const) {
      pen.strokeStyle = colour
      pen.lineWidth = width
      pen.beginPath()
      pen.moveTo(-2.5, -2.5)
      pen.lineTo(2.5, 2.5)
      pen.moveTo(2.5, -2.5)
      pen.lineTo(-2.5, 2.5)
      pen.stroke()
    }
  }
  for (const crowd of marksAt(turns, scale, 0)) {
    stampAt(sheet, { key: 'miss', left: 5, right: 5, up: 5, down: 5, draw }, crowd.x, y)
    drawCount(sheet, crowd, y, 4)
  }
}

/** A diamond on the ground: here the harness itself ran a pass. */
export function drawHarnessPasses(sheet: Sheet, turns: readonly number[], scale: Scale): void {
  const { palette } = sheet
  const y = sheet.height - HARNESS_MARK
  const draw = (pen: Pen) => {
    pen.fillStyle = palette.text
    pen.strokeStyle = palette.bg
    pen.lineWidth = 1.5
    pen.beginPath()
    pen.moveTo(0, -5)
    pen.lineTo(5, 0)
    pen.lineTo(0, 5)
    pen.lineTo(-5, 0)
    pen.closePath()
    pen.stroke()
    pen.fill()
  }
  for (const crowd of marksAt(turns, scale, 0)) {
    stampAt(sheet, { key: 'pass', left: 7, right: 7, up: 7, down: 7, draw }, crowd.x, y)
    drawCount(sheet, crowd, y, 6)
  }
}

/** The selected turns: a veil of the cut's colour with an edge at either end. */
export function drawRange(
  { ctx, palette, width }: Sheet,
  range: TurnRange | null,
  scale: Scale,
  top: number,
  height: number,
): void {
  if (range === null) return
  const from = Math.max(-2, scale.px(range.from - 0.5))
  const to = Math.min(width + 2, scale.px(range.to + 0.5))
  if (to < 0 || from > width) return
  ctx.fillStyle = palette.selection
  ctx.globalAlpha = 0.09
  ctx.fillRect(from, top, to - from, height)
  ctx.globalAlpha = 0.7
  ctx.fillRect(Math.round(from), top, 1, height)
  ctx.fillRect(Math.round(to), top, 1, height)
  ctx.globalAlpha = 1
}

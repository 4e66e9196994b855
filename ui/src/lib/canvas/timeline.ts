import type { AnnotationSource } from '../ipc/generated/AnnotationSource'
import type { Band } from '../ipc/generated/Band'
import { drawPlayhead } from './graph'
import { drawBudget, drawFall, drawInForce, drawWindow } from './limits'
import {
  drawClearings,
  drawCompactions,
  drawHarnessPasses,
  drawLosses,
  drawMisses,
  drawOverBudget,
  drawPasses,
  drawRange,
  drawReported,
} from './marks'
import type { Pen } from './pen'
import type { FillBar, Raster } from './raster'
import { drawTurnsAgain } from './reacquisitions'
import { drawSource } from './source'
import { FONT, drawBars, keepPart, type Sheet } from './surface'
import type { HistoryAnswer } from '../ipc/generated/HistoryAnswer'
import type { ReplayAnswer } from '../ipc/generated/ReplayAnswer'
import { text } from '../text'
import { mean, ticks, type Stack } from '../view/bands'
import { short } from '../view/format'
import type { TurnRange } from '../view/link'
import { isBroken, type TokenScale } from '../view/tokenScale'
import { scaleOf, type Scale, type View } from '../view/scale'
import { missTurns } from '../view/series'

/** The look of the timeline, besides its stack. */
export interface TimelineLook {
  view: View
  turn: number
  hovered: number | null
  tokens: TokenScale
  /** The τ to which requests are held, if any is. */
  limit: number | null
  /** Turns before which the harness itself ran a pass, in order, as its trace says. */
  passes: readonly number[]
  /** The turns that are selected. */
  range: TurnRange | null
  /** The turns whose replies read again what had been evicted. */
  again: readonly number[]
  /** Whose marks the bands of episodes go by. */
  source: AnnotationSource
  /** τ that the running agent goes by, tokens. */
  inForce: number | null
  /** The window of the model, tokens. */
  window: number | null
  /** The size of the request at the step of the cut, tokens; `null` while it is not known. */
  sent: number | null
}

/** The room above the bands: marks of over-budget turns and compactions. */
export const HEAD = 14

/** A timeline that is no higher is folded to a line: bands, τ and cut alone. */
const LINE = 48
/** The room above the bands of a line. */
const LINE_HEAD = 3

const isLine = (height: number) => height <= LINE
const headOf = (height: number) => (isLine(height) ? LINE_HEAD : HEAD)

/** A smaller change of a height is none, pixels. */
const SEEN_PX = 0.1
/** The line between two bands, pixels. */
const LINE_PX = 0.5
/** A band that is no higher than this has no line above it, and a step that is no higher none beside it, pixels. */
const THIN_PX = 2
/** A column that is narrower has no line at its step, pixels. */
const STEP_PX = 3

/** The height of the band for what is above the linear part, and the room in it over the largest value, pixels. */
const BREAK_PX = 24
const BREAK_HEAD_PX = 4

/** The upper end of the linear part of a scale, pixels. A line has no room for a band. */
const breakOf = (scale: TokenScale, height: number): number =>
  headOf(height) - 1 + (isBroken(scale) && !isLine(height) ? BREAK_PX : 0)

/** Tokens to pixels. */
export function tokensToY(tokens: number, scale: TokenScale, height: number): number {
  const end = breakOf(scale, height)
  if (tokens <= scale.top || !isBroken(scale) || isLine(height))
    return height - 1 - (tokens / scale.top) * (height - 1 - end)
  const share = (tokens - scale.top) / (scale.most - scale.top)
  return end - share * (BREAK_PX - BREAK_HEAD_PX)
}

/** The middle of the label of the model's window, pixels: at its line, or below the upper edge. */
export const windowLabel = (window: number, scale: TokenScale, height: number): number =>
  window > scale.most ? HEAD / 2 + 2 : tokensToY(window, scale, height)

/** The height of a label, pixels. */
const LABEL_PX = 15

/** The middle of the label that tells whose marks are drawn, pixels: below the upper edge, or below the label of the model's window. */
export function sourceLabel(window: number | null, scale: TokenScale, height: number): number {
  const middle = HEAD + 8
  const above = window === null ? -Infinity : windowLabel(window, scale, height)
  return Math.abs(middle - above) < LABEL_PX ? above + LABEL_PX : middle
}

export function yToTokens(y: number, scale: TokenScale, height: number): number {
  const end = breakOf(scale, height)
  if (y >= end || !isBroken(scale)) return ((height - 1 - y) / (height - 1 - end)) * scale.top
  return scale.top + ((end - y) / (BREAK_PX - BREAK_HEAD_PX)) * (scale.most - scale.top)
}

/** Everything that a frame of the timeline shows. */
export interface TimelineFrame {
  history: HistoryAnswer
  replay: ReplayAnswer
  stack: Stack
  look: TimelineLook
}

/** How far behind the cut the veil over later turns begins, turns. */
const VEIL = 0.5

/** How far the handle of the cut reaches to either side, pixels. */
const HANDLE_PX = 8

/**
 * Tells the columns in which two frames differ, pixels: `null` where they may differ anywhere, and two equal numbers where
 * they are the same.
 */
export function timelineChange(
  before: TimelineFrame | null,
  now: TimelineFrame | null,
  width: number,
): readonly [number, number] | null {
  if (!before || !now) return null
  const parts = ({ history, replay, stack, look }: TimelineFrame) => {
    const { view, hovered, tokens, limit, passes, range, again, inForce, window } = look
    const { axis, x0, x1 } = view
    return [
      history,
      replay,
      stack,
      axis,
      x0,
      x1,
      hovered,
      tokens,
      limit,
      passes,
      range,
      again,
      inForce,
      window,
    ]
  }
  const known = parts(before)
  if (parts(now).some((part, at) => !Object.is(part, known[at]))) return null
  const scale = scaleOf(now.look.view, width)
  const [a, b] = [before.look.turn, now.look.turn]
  if (a === b && before.look.sent === now.look.sent) return [0, 0]
  // The part that a pass still has to take stands in the columns of both turns.
  return [scale.px(Math.min(a, b) - VEIL) - HANDLE_PX, scale.px(Math.max(a, b) + VEIL) + HANDLE_PX]
}

/** Draws what each request is made of, with τ, the full history and what the provider reported. */
export function drawTimeline(sheet: Sheet, { history, replay, stack, look }: TimelineFrame): void {
  const { ctx, palette, width, height } = sheet
  const scale = scaleOf(look.view, width)
  const y = (tokens: number) => tokensToY(tokens, look.tokens, height)
  ctx.save()
  ctx.beginPath()
  ctx.rect(0, 0, width, height)
  ctx.clip()
  const ground = (sheet: Sheet) => drawGround(sheet, history, replay, stack, look, scale)
  const { axis, x0, x1 } = look.view
  // A drag of the cut changes nothing of it.
  const key = [
    history,
    replay,
    stack,
    axis,
    x0,
    x1,
    look.tokens,
    look.limit,
    look.passes,
    look.again,
    palette,
  ]
  keepPart(sheet, 'ground', key, ground)
  if (look.turn < stack.nTurns) {
    ctx.globalAlpha = 0.5
    ctx.fillStyle = palette.bg
    const x = Math.max(0, scale.px(look.turn + VEIL))
    ctx.fillRect(x, 0, width - x, height)
    ctx.globalAlpha = 1
  }
  drawRange(sheet, look.range, scale, 0, height)
  if (!isLine(height)) {
    drawBandNames(sheet, stack, scale, y)
    // Beside the labels of the axis. What a block is does not depend on marks.
    if (stack.names.includes('expl'))
      drawSource(sheet, look.source, 48, sourceLabel(look.window, look.tokens, height))
  }
  if (look.window !== null && !isLine(height)) drawWindow(sheet, look.window, look.tokens, y)
  if (look.sent !== null && !isLine(height)) drawFall(sheet, replay, look.turn, look.sent, scale, y)
  if (look.inForce !== null) drawInForce(sheet, look.inForce, headOf(height), y)
  if (look.limit !== null) drawBudget(sheet, look.limit, headOf(height), isLine(height) ? 1 : 2, y)
  if (look.hovered !== null) {
    ctx.fillStyle = palette.muted
    ctx.fillRect(Math.round(scale.px(look.hovered)), headOf(height), 1, height)
  }
  drawPlayhead(ctx, scale.px(look.turn), 0, height, palette.selection)
  if (!isLine(height)) drawHandle(ctx, scale.px(look.turn), palette.selection)
  ctx.restore()
}

/** Draws what each request is made of: everything that does not depend on the cut. */
function drawGround(
  sheet: Sheet,
  history: HistoryAnswer,
  replay: ReplayAnswer,
  stack: Stack,
  look: TimelineLook,
  scale: Scale,
): void {
  const { palette, height } = sheet
  const y = (tokens: number) => tokensToY(tokens, look.tokens, height)
  if (!isLine(height)) drawGrid(sheet, look.tokens, y)
  const columns = columnsOf(scale, stack.nTurns)
  const fills = stack.names.map((name) => palette.band(name))
  const drawPolicy = (fill: FillBar) => {
    if (isLine(height) || look.limit === null) return
    drawPasses(fill, sheet, replay, scale, y)
    drawOverBudget(fill, sheet, replay, scale, y)
  }
  if (sheet.pixels)
    // In one picture: in a long session there are as many marks of the policy as columns.
    sheet.pixels(0, height, (raster) => {
      drawColumns(raster, columns, stack, y, fills, sheet)
      drawPolicy(raster.bar)
    })
  else {
    // From the top one down: each is drawn to the ground, and the next one over it.
    for (let band = fills.length - 1; band >= 0; band -= 1)
      drawBand(sheet, columns, stack.tops[band + 1] as Float64Array, y, fills[band] ?? '')
    drawBars(sheet, 0, height, drawPolicy)
  }
  if (isLine(height)) return
  const { axis, x0, x1 } = look.view
  // A drag of τ leaves it as it is.
  const key = [history, axis, x0, x1, look.tokens, look.passes, look.again, palette]
  keepPart(sheet, 'recorded', key, (sheet) => {
    drawLine(sheet.ctx, columns, history.full, y, palette.muted)
    drawReported(sheet, history, scale, y)
    drawClearings(sheet, history, scale)
    drawLosses(sheet, history, scale)
    drawCompactions(sheet, history, scale)
    drawMisses(sheet, missTurns(history), scale)
    drawHarnessPasses(sheet, look.passes, scale)
    drawTurnsAgain(sheet, look.again, scale)
  })
}

/** The x edges of what is drawn, and which turns (from 0) each stands for. */
interface Columns {
  edges: number[]
  /** Where on x the value of a column belongs: at its turn, which need not be in the middle. */
  at: number[]
  from: number[]
  to: number[]
}

/** One column per turn where there is room for all in view, else one per pixel with the mean of its turns. */
export function columnsOf(scale: Scale, nTurns: number): Columns {
  const columns: Columns = { edges: [], at: [], from: [], to: [] }
  // From a turn that is out of view, so that a line comes in from the edge.
  const first = Math.max(0, Math.floor(scale.x0 - 0.5) - 1)
  const last = Math.min(nTurns, Math.ceil(scale.x1 + 0.5))
  if (scale.unit >= 1) {
    for (let turn = first; turn < last; turn += 1) {
      columns.edges.push(scale.px(turn + 0.5))
      columns.at.push(scale.px(turn + 1))
      columns.from.push(turn)
      columns.to.push(turn + 1)
    }
    columns.edges.push(scale.px(last + 0.5))
  } else {
    const start = Math.max(0, Math.floor(scale.px(0.5)))
    const end = Math.min(Math.ceil(scale.width), Math.ceil(scale.px(nTurns + 0.5)))
    const before = Math.floor(scale.turn(start) - 0.5) - 1
    if (before >= 0) {
      columns.edges.push(scale.px(before + 0.5))
      columns.at.push(scale.px(before + 1))
      columns.from.push(before)
      columns.to.push(before + 1)
    }
    for (let x = start; x < end; x += 1) {
      const from = Math.floor(scale.turn(x) - 0.5)
      const to = Math.max(from + 1, Math.floor(scale.turn(x + 1) - 0.5))
      // A turn that is wider than a pixel among many that are not is one column too.
      if (columns.from.at(-1) === from && columns.to.at(-1) === to) continue
      columns.edges.push(x)
      columns.at.push(to - from > 1 ? x + 0.5 : scale.px(from + 1))
      columns.from.push(from)
      columns.to.push(to)
    }
    columns.edges.push(Math.max(start, end))
  }
  return columns
}

function drawBand(
  { ctx, path, palette, height }: Sheet,
  { edges, from, to }: Columns,
  top: Float64Array,
  y: (tokens: number) => number,
  fill: string,
): void {
  const foot = edges.at(-1)
  if (from.length === 0 || foot === undefined) return
  const area = path()
  let level = height + 1
  area.moveTo(edges[0] ?? 0, level)
  for (let at = 0; at < from.length; at += 1) {
    const next = y(mean(top, from[at] ?? 0, to[at] ?? 1))
    // Most turns change most bands by less than can be seen.
    if (Math.abs(next - level) < SEEN_PX) continue
    const x = edges[at] ?? 0
    area.lineTo(x, level)
    area.lineTo(x, next)
    level = next
  }
  area.lineTo(foot, level)
  area.lineTo(foot, height + 1)
  area.closePath()
  ctx.fillStyle = fill
  ctx.fill(area)
  ctx.strokeStyle = palette.bg
  ctx.lineWidth = 1
  ctx.stroke(area)
}

/**
 * Draws the bands of columns pixel by pixel, each from the top of the one below to its own, with a line on its top and, where
 * a column has room for one, at its steps. A path as high as the timeline takes a canvas many times as long.
 */
function drawColumns(
  raster: Raster,
  { edges, from, to }: Columns,
  stack: Stack,
  y: (tokens: number) => number,
  fills: readonly string[],
  { palette, height }: Sheet,
): void {
  const nBands = fills.length
  const inks = fills.map((fill) => raster.ink(fill))
  const line = raster.ink(palette.bg)
  const before = new Float64Array(nBands).fill(height)
  const tops = new Float64Array(nBands)
  for (let at = 0; at < from.length; at += 1) {
    const left = edges[at] ?? 0
    const width = (edges[at + 1] ?? left) - left
    const first = from[at] ?? 0
    const end = to[at] ?? 1
    let foot = height
    for (let band = 0; band < nBands; band += 1) {
      const top = y(mean(stack.tops[band + 1] ?? [], first, end))
      tops[band] = top
      if (foot - top < SEEN_PX) continue
      raster.fill(left, top, width, foot - top, inks[band] ?? 0)
      if (foot - top > THIN_PX) raster.fill(left, top, width, LINE_PX, line)
      foot = top
    }
    if (width >= STEP_PX)
      for (let band = 0; band < nBands; band += 1) {
        const [now = 0, then = 0] = [tops[band], before[band]]
        const step = Math.abs(now - then)
        if (step > THIN_PX) raster.fill(left, Math.min(now, then), LINE_PX, step, line)
      }
    before.set(tops)
  }
}

function drawGrid(
  { ctx, palette, width, height }: Sheet,
  scale: TokenScale,
  y: (tokens: number) => number,
): void {
  for (const tokens of ticks(scale.top, height > 120 ? 4 : 2)) {
    ctx.fillStyle = palette.line
    ctx.fillRect(0, Math.round(y(tokens)), width, 1)
  }
  if (isBroken(scale)) drawBreak({ ctx, palette, width, height }, breakOf(scale, height))
}

/** The teeth of the line at which the scale breaks, pixels. */
const TOOTH_PX = 6

/** Draws the jagged line above which the scale is another one, and a ground for what is there. */
function drawBreak(
  { ctx, palette, width, height }: Pick<Sheet, 'ctx' | 'palette' | 'width' | 'height'>,
  end: number,
): void {
  ctx.fillStyle = palette.line
  ctx.globalAlpha = 0.35
  ctx.fillRect(0, headOf(height), width, end - headOf(height))
  ctx.globalAlpha = 1
  ctx.strokeStyle = palette.muted
  ctx.lineWidth = 1
  ctx.beginPath()
  for (let x = 0; x <= width + TOOTH_PX; x += TOOTH_PX) {
    const y = end + (Math.round(x / TOOTH_PX) % 2 === 0 ? -1.5 : 1.5)
    if (x === 0) ctx.moveTo(x, y)
    else ctx.lineTo(x, y)
  }
  ctx.stroke()
}

function drawLine(
  ctx: Pen,
  columns: Columns,
  values: ArrayLike<number>,
  y: (tokens: number) => number,
  colour: string,
): void {
  ctx.strokeStyle = colour
  ctx.lineWidth = 1.25
  ctx.setLineDash([4, 3])
  ctx.beginPath()
  const { from, to } = columns
  for (let at = 0; at < from.length; at += 1) {
    const x = columns.at[at] ?? 0
    const level = y(mean(values, from[at] ?? 0, to[at] ?? 1))
    if (at === 0) ctx.moveTo(x, level)
    else ctx.lineTo(x, level)
  }
  ctx.stroke()
  ctx.setLineDash([])
}

/** A band as people call it. */
export const bandName = (band: Band): string => text.bands[band]

/** Names each band once, where it is thickest among what is visible. */
function drawBandNames(
  { ctx, palette, width }: Sheet,
  stack: Stack,
  scale: Scale,
  y: (tokens: number) => number,
): void {
  ctx.font = `600 11px ${FONT}`
  ctx.textBaseline = 'middle'
  const boxes: { x: number; y: number; w: number }[] = []
  stack.names.forEach((name, band) => {
    const text = bandName(name)
    const wide = ctx.measureText(text).width + 10
    let best: { x: number; y: number; tall: number } | null = null
    const start = Math.max(60, scale.px(0.5) + 5) + wide / 2
    for (let x = start; x < width - 120; x += 24) {
      const turn = Math.round(scale.turn(x)) - 1
      if (turn < 0 || turn >= stack.nTurns) continue
      const low = y(stack.tops[band]?.[turn] ?? 0)
      const high = y(stack.tops[band + 1]?.[turn] ?? 0)
      const middle = (low + high) / 2
      const free = boxes.every(
        (other) => Math.abs(other.y - middle) > 17 || Math.abs(other.x - x) > (other.w + wide) / 2 + 4,
      )
      if (free && low - high > 14 && low - high > (best?.tall ?? 0) * 1.04)
        best = { x, y: middle, tall: low - high }
    }
    if (!best) return
    boxes.push({ x: best.x, y: best.y, w: wide })
    ctx.globalAlpha = 0.86
    ctx.fillStyle = palette.bg
    ctx.beginPath()
    ctx.roundRect(best.x - wide / 2, best.y - 8, wide, 16, 3)
    ctx.fill()
    ctx.globalAlpha = 1
    ctx.fillStyle = palette.text
    ctx.textAlign = 'center'
    ctx.fillText(text, best.x, best.y + 0.5)
  })
  ctx.textAlign = 'left'
  ctx.textBaseline = 'alphabetic'
}

function drawHandle(ctx: Pen, x: number, colour: string): void {
  ctx.fillStyle = colour
  ctx.beginPath()
  ctx.moveTo(x - 6, 0)
  ctx.lineTo(x + 6, 0)
  ctx.lineTo(x + 6, 4)
  ctx.lineTo(x, 11)
  ctx.lineTo(x - 6, 4)
  ctx.closePath()
  ctx.fill()
}

/** The labels of the token scale are page text beside the canvas: value and place. */
export function scaleLabels(scale: TokenScale, height: number): { text: string; y: number }[] {
  const values = ticks(scale.top, height > 120 ? 4 : 2)
  // The largest value names the band.
  if (isBroken(scale)) values.push(scale.most)
  return values.map((tokens) => ({ text: short(tokens), y: tokensToY(tokens, scale, height) }))
}

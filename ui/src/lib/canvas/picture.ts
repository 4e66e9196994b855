import { drawBall } from './ball'
import { drawGraph, type GraphLook } from './graph'
import type { Pen } from './pen'
import type { Scene } from './scene'
import { FONT, type Sheet } from './surface'
import { drawTimeline, scaleLabels, tokensToY, windowLabel, HEAD, type TimelineLook } from './timeline'
import type { HistoryAnswer } from '../ipc/generated/HistoryAnswer'
import type { ReplayAnswer } from '../ipc/generated/ReplayAnswer'
import { text } from '../text'
import type { Stack } from '../view/bands'
import { count, short } from '../view/format'
import { revealed } from '../view/hidden'
import { rowsOf } from '../view/lanes'
import { LEVELS } from '../view/levels'
import { lastOf } from '../view/series'

/** The content of a saved picture: graph and timeline as they are on the screen, and the words about them. */
export interface Picture {
  title: string
  /** Lines below the title: turn, policy, τ, who counted. */
  caption: string[]
  /** How large a pixel of the drawing is in the file. */
  scale: number
  /** The width of the plots, and their heights, pixels of the drawing; 0 for one that is not shown. */
  width: number
  graphHeight: number
  timelineHeight: number
  scene: Scene
  graphLook: GraphLook
  history: HistoryAnswer | null
  replay: ReplayAnswer | null
  stack: Stack | null
  timelineLook: Omit<TimelineLook, 'view' | 'turn'>
  /** How many episodes stand at each level. */
  atLevel: readonly number[]
}

const PAD = 16
const GUTTER = 104
const TITLE = 24
const LINE = 17
const LEGEND_ROW = 20
/** From the middle of a line of this size to its ground line. */
const DROP = 4

/** The size of a picture, pixels of the drawing. */
export function sizeOf(picture: Picture): { width: number; height: number } {
  const { width, graphHeight, timelineHeight } = picture
  const head = TITLE + picture.caption.length * LINE + 8
  return {
    width: 2 * PAD + GUTTER + width,
    height: 2 * PAD + head + graphHeight + timelineHeight + 8 + legendRows(width) * LEGEND_ROW,
  }
}

/** The legend has eight marks in columns. */
const legendRows = (width: number) => Math.max(1, Math.ceil((LEVELS.length + 3) / columnsOf(width)))
const columnsOf = (width: number) => Math.max(2, Math.floor((GUTTER + width) / LEGEND_WIDE))
const LEGEND_WIDE = 176

/** Draws the whole picture on a sheet of the size that `sizeOf` says. */
export function drawPicture(sheet: Sheet, picture: Picture): void {
  const { ctx, palette, width, height } = sheet
  ctx.fillStyle = palette.bg
  ctx.fillRect(0, 0, width, height)
  write(ctx, picture.title, PAD, PAD + 15, `650 15px ${FONT}`, palette.text)
  let y = PAD + TITLE
  for (const line of picture.caption) {
    write(ctx, line, PAD, y + 12, `400 12px ${FONT}`, palette.muted)
    y += LINE
  }
  y += 8
  if (picture.graphHeight > 0) {
    drawRowNames(sheet, picture, PAD, y)
    inside(sheet, PAD + GUTTER, y, picture.width, picture.graphHeight, (plot) =>
      drawGraph(plot, picture.scene, picture.graphLook, 0, true),
    )
    y += picture.graphHeight
  }
  const { history, replay, stack } = picture
  if (picture.timelineHeight > 0 && history && replay && stack) {
    ctx.fillStyle = palette.line
    ctx.fillRect(PAD, y, width - 2 * PAD, 1)
    drawTimelineNames(sheet, PAD, y, picture.timelineHeight)
    const { view, turn } = picture.graphLook
    const look = { ...picture.timelineLook, view, turn }
    inside(sheet, PAD + GUTTER, y, picture.width, picture.timelineHeight, (plot) => {
      drawTimeline(plot, { history, replay, stack, look })
      drawScale(plot, history, look)
    })
    y += picture.timelineHeight
  }
  ctx.fillStyle = palette.line
  ctx.fillRect(PAD, y, width - 2 * PAD, 1)
  drawLegend(sheet, picture, PAD, y + 8)
}

/** Draws on a part of a sheet as if it were a sheet of its own. */
function inside(
  sheet: Sheet,
  x: number,
  y: number,
  width: number,
  height: number,
  draw: (plot: Sheet) => void,
): void {
  const { ctx } = sheet
  ctx.save()
  ctx.beginPath()
  ctx.rect(x, y, width, height)
  ctx.clip()
  ctx.translate(x, y)
  draw({ ...sheet, width, height })
  ctx.restore()
}

function write(ctx: Pen, words: string, x: number, y: number, font: string, colour: string): void {
  ctx.font = font
  ctx.fillStyle = colour
  ctx.fillText(revealed(words), x, y)
}

/** The names of the lanes, as they stand beside the graph. */
function drawRowNames({ ctx, palette }: Sheet, { graphHeight, graphLook }: Picture, x: number, y: number) {
  const rows = rowsOf(graphHeight)
  const row = (words: string, from: number, to: number, swatch?: string) => {
    const middle = y + (from + to) / 2
    if (swatch !== undefined) {
      ctx.fillStyle = swatch
      ctx.fillRect(x, middle - 4.5, 9, 9)
    }
    const strong = swatch !== undefined
    const font = strong ? `650 12.5px ${FONT}` : `400 11px ${FONT}`
    write(ctx, words, x + (strong ? 15 : 0), middle + DROP, font, strong ? palette.text : palette.muted)
  }
  row(text.graph.problems, rows.problems, rows.problems + 14)
  row(text.graph.loose, rows.loose, rows.loose + rows.looseHeight)
  row(text.graph.explore, rows.exploreTop, rows.exploreFoot, palette.lanes[1]?.solid)
  row(text.graph.feeds, rows.exploreFoot, rows.actTop)
  row(text.graph.act, rows.actTop, rows.actFoot, palette.lanes[2]?.solid)
  const kind = graphLook.view.axis.kind
  row(`${text.axis.x} ${text.axis.kind[kind]}`, rows.axis, graphHeight)
}

function drawTimelineNames({ ctx, palette }: Sheet, x: number, y: number, height: number): void {
  write(ctx, text.timeline.title, x, y + 20, `650 12.5px ${FONT}`, palette.text)
  write(ctx, text.timeline.sub, x, y + 36, `400 11px ${FONT}`, palette.muted)
  if (height < 84) return
  const keys = y + height - 26
  ctx.strokeStyle = palette.muted
  ctx.lineWidth = 1.5
  ctx.setLineDash([4, 3])
  ctx.beginPath()
  ctx.moveTo(x, keys)
  ctx.lineTo(x + 16, keys)
  ctx.stroke()
  ctx.setLineDash([])
  write(ctx, text.timeline.full, x + 22, keys + DROP, `400 11px ${FONT}`, palette.muted)
  ctx.fillStyle = palette.text
  ctx.beginPath()
  ctx.arc(x + 8, keys + 16, 2.5, 0, 2 * Math.PI)
  ctx.fill()
  write(ctx, text.timeline.reported, x + 22, keys + 16 + DROP, `400 11px ${FONT}`, palette.muted)
}

/** Draws the texts that the page lays over the timeline: its scale, τ, and the size of the full history. */
function drawScale(
  { ctx, palette, width, height }: Sheet,
  history: HistoryAnswer,
  { limit, window, tokens: scale }: Pick<TimelineLook, 'limit' | 'window' | 'tokens'>,
): void {
  const plate = (words: string, x: number, y: number, font: string, ground: string, ink: string) => {
    ctx.font = font
    const wide = ctx.measureText(words).width + 8
    const left = x < 0 ? width + x - wide : x
    ctx.globalAlpha = ground === palette.bg ? 0.78 : 1
    ctx.fillStyle = ground
    ctx.beginPath()
    ctx.roundRect(left, y - 8, wide, 16, 3)
    ctx.fill()
    ctx.globalAlpha = 1
    write(ctx, words, left + 4, y + DROP, font, ink)
  }
  for (const label of scaleLabels(scale, height))
    plate(label.text, 4, label.y, `400 11px ${FONT}`, palette.bg, palette.text)
  const full = lastOf(history.full)
  if (full > scale.top)
    plate(text.timeline.fullAt(short(full)), -12, 11, `400 11px ${FONT}`, palette.bg, palette.muted)
  if (window !== null) {
    const words = text.timeline.window(short(window), window > scale.most)
    plate(words, 48, windowLabel(window, scale, height), `400 11px ${FONT}`, palette.bg, palette.text)
  }
  if (limit === null) return
  const line = Math.max(HEAD - 4, tokensToY(limit, scale, height))
  const tau = text.timeline.budget(short(limit))
  plate(tau, -1, line + 1, `700 11.5px ${FONT}`, palette.error, palette.bg)
}

function drawLegend({ ctx, palette }: Sheet, picture: Picture, x: number, y: number): void {
  const font = `400 12px ${FONT}`
  const columns = columnsOf(picture.width)
  let at = 0
  const next = (words: string, mark: (x: number, y: number) => void) => {
    const left = x + (at % columns) * LEGEND_WIDE
    const middle = y + Math.floor(at / columns) * LEGEND_ROW + LEGEND_ROW / 2
    mark(left, middle)
    write(ctx, words, left + 20, middle + DROP, font, palette.text)
    at += 1
  }
  LEVELS.forEach((name, level) =>
    next(`${name} ${count(picture.atLevel[level] ?? 0)}`, (left, middle) =>
      drawBall(ctx, left + 7, middle, 5, level, palette.text),
    ),
  )
  next(text.legend.marks.stripped.word, (left, middle) => {
    ctx.strokeStyle = palette.edge
    ctx.lineWidth = 1.5
    ctx.setLineDash([3, 3])
    ctx.beginPath()
    ctx.moveTo(left, middle)
    ctx.lineTo(left + 15, middle)
    ctx.stroke()
    ctx.setLineDash([])
  })
  next(text.legend.marks.human.word, (left, middle) => {
    ctx.fillStyle = palette.human
    ctx.beginPath()
    ctx.moveTo(left + 7, middle + 4)
    ctx.lineTo(left + 2.5, middle - 3)
    ctx.lineTo(left + 11.5, middle - 3)
    ctx.closePath()
    ctx.fill()
  })
  next(text.legend.marks.pass.word, (left, middle) => {
    ctx.globalAlpha = 0.6
    ctx.fillStyle = palette.error
    ctx.fillRect(left + 6, middle - 6, 2, 12)
    ctx.globalAlpha = 1
  })
}

import type { Severity } from '../ipc/generated/Severity'
import type { ReacquisitionRow } from '../ipc/generated/ReacquisitionRow'
import { drawAxis } from './axis'
import { drawEdges } from './edges'
import { drawRange } from './marks'
import { drawNames } from './names'
import type { Pen } from './pen'
import { drawPending } from './pending'
import { drawProblems } from './problems'
import { AGAIN_REACH, drawReacquisitions } from './reacquisitions'
import type { Scene } from './scene'
import { reducedMotion } from './scene'
import { DOTTED, GAP_PX, drawSource, strengthOf } from './source'
import type { FillBar } from './raster'
import { FONT, Widths, drawBars, keepPart, type Sheet } from './surface'
import { text } from '../text'
import {
  ACT,
  EXPLORE,
  LOOSE,
  firstEndingAfter,
  isActive,
  outlineHeight,
  rowsOf,
  type Rows,
} from '../view/lanes'
import type { TurnRange } from '../view/link'
import type { Pending } from '../view/marking'
import { scaleOf, type Scale, type View } from '../view/scale'

/** The look of the graph, besides its scene. */
export interface GraphLook {
  view: View
  turn: number
  selected: number | null
  hovered: number | null
  focused: number | null
  /** The episode that the step at the cut took something from. */
  touched: number | null
  /** Problems per episode: the worst severity. */
  severity: Map<number, Severity>
  /** The turns that are selected. */
  range: TurnRange | null
  /** The change of marks that a drag would make; none without one. */
  pending?: Pending | null
  /** The episodes whose content was read again after its eviction, by place. */
  reacquisitions: ReadonlyMap<number, ReacquisitionRow>
}

/** One frame of the graph, as all its parts see it. */
export interface GraphFrame {
  sheet: Sheet
  scene: Scene
  look: GraphLook
  rows: Rows
  scale: Scale
  related: Set<number> | null
}

/** Narrower boxes than this, on the average, are drawn as plain columns. */
const FAR_PX = 3.2
/** A box that is narrower than this has no room for a line around it. */
const BOX_PX = 4
/** The strength of a plain column of an episode that the agent did not mark. */
const NOT_OWN = 0.7
const widths = new Widths()

/** Draws the graph; true while boxes are still moving. `still` brings them to where they belong at once. */
export function drawGraph(
  sheet: Sheet,
  scene: Scene,
  look: GraphLook,
  now: number,
  still = reducedMotion(),
): boolean {
  const rows = rowsOf(sheet.height)
  const scale = scaleOf(look.view, sheet.width)
  const frame: GraphFrame = { sheet, scene, look, rows, scale, related: scene.related(look.selected) }
  const moving = scene.advance(now, still)
  drawGround(frame)
  drawEdges(frame)
  drawSource(sheet, scene.graph?.from.source, 4, (rows.exploreFoot + rows.actTop) / 2)
  drawLanes(frame)
  drawAgain(frame)
  drawNames(frame, widths)
  drawProblems(frame)
  drawRange(sheet, look.range, scale, 0, rows.axis)
  drawAxis(frame)
  drawPlayhead(sheet.ctx, scale.px(look.turn), 0, sheet.height - 20, sheet.palette.selection)
  drawPending(frame, look.pending ?? null)
  return moving
}

/** Draws the marks of reacquisitions, which a drag of τ leaves as they are. */
function drawAgain(frame: GraphFrame): void {
  const { sheet, scene, look, rows } = frame
  const { axis, x0, x1 } = look.view
  const key = [scene.graph, look.reacquisitions, look.turn, look.selected, axis, x0, x1, sheet.palette]
  for (const [name, y] of [
    ['reacquisitions', rows.againAbove],
    ['reacquisitions below', rows.againBelow],
  ] as const) {
    if (name !== 'reacquisitions' && y === rows.againAbove) continue
    keepPart(sheet, name, key, (own) => drawReacquisitions({ ...frame, sheet: own }, y), [
      y - AGAIN_REACH,
      y + AGAIN_REACH,
    ])
  }
}

function drawGround({ sheet, rows, scene, scale, look }: GraphFrame): void {
  const { ctx, palette, width } = sheet
  ctx.fillStyle = palette.panel
  ctx.fillRect(0, rows.exploreTop - 2, width, rows.exploreFoot - rows.exploreTop + 2)
  ctx.fillRect(0, rows.actTop, width, rows.actFoot - rows.actTop + 2)
  ctx.fillStyle = palette.line
  ctx.fillRect(0, rows.exploreFoot, width, 1)
  ctx.fillRect(0, rows.actTop - 1, width, 1)
  const prologue = scene.graph?.prologue_ends
  if (prologue !== null && prologue !== undefined && prologue > 1) {
    const end = Math.min(width, scale.px(prologue - 1))
    if (end > 0) {
      ctx.fillStyle = sheet.hatches.fill(ctx, palette.panel2, palette.bg, 1, sheet.ratio)
      ctx.fillRect(0, rows.exploreTop - 2, end, rows.actFoot - rows.exploreTop + 4)
      if (end > 66) {
        ctx.fillStyle = palette.muted
        ctx.font = `400 11px ${FONT}`
        ctx.textAlign = 'center'
        ctx.fillText(text.bands.prologue, end / 2, (rows.exploreFoot + rows.actTop) / 2 + 4)
        ctx.textAlign = 'left'
      }
    }
  }
  const cut = scale.px(look.turn)
  if (scene.graph && look.turn < scene.graph.n_turns && cut < width) {
    ctx.globalAlpha = 0.35
    ctx.fillStyle = palette.panel2
    ctx.fillRect(Math.max(0, cut), 0, width, rows.axis)
    ctx.globalAlpha = 1
  }
}

type LaneNo = typeof LOOSE | typeof EXPLORE | typeof ACT

/** An episode in view, with its outline. */
interface Outline {
  idx: number
  lane: LaneNo
  x: number
  y: number
  width: number
  height: number
  /** True where there is no room for more than a plain column. */
  isBar: boolean
}

function drawLanes(frame: GraphFrame): void {
  const { sheet, scene, scale, look, rows } = frame
  const isFar = (lane: number) => scene.meanWidth(lane, look.view.axis) * scale.density < FAR_PX
  const lanes = [LOOSE, EXPLORE, ACT] as const
  const outlines = lanes.flatMap((lane) => outlinesOf(frame, lane, isFar(lane)))
  const bars = outlines.filter((outline) => outline.isBar)
  if (bars.length > 0)
    drawBars(sheet, rows.loose, rows.actFoot, (fill) => bars.forEach((bar) => drawBar(frame, bar, fill)))
  for (const outline of outlines) if (!outline.isBar) drawBox(frame, outline)
  for (const outline of outlines) drawRing(frame, outline)
}

/** The outlines of a lane. Those that are seen from afar have no gap between them. */
function outlinesOf({ scene, scale, rows }: GraphFrame, lane: LaneNo, isFar: boolean): Outline[] {
  const outlines: Outline[] = []
  const row = scene.lanes.byLane[lane]
  const laneHeight = lane === LOOSE ? rows.looseHeight : rows.exploreFoot - rows.exploreTop
  for (let at = firstEndingAfter(scene.lanes, row, scale.x0 - 1); at < row.length; at += 1) {
    const idx = row[at] ?? 0
    const box = scene.lanes.boxes[idx]
    const episode = scene.graph?.episodes[idx]
    if (!box || !episode || box.x0 > scale.x1 + 1) break
    const x = scale.px(box.x0)
    const width = Math.max(1, scale.px(box.x1) - x - (isFar ? 0 : 1))
    const height = lane === LOOSE ? laneHeight : outlineHeight(episode.tokens, scene.lanes.most, laneHeight)
    const y = lane === LOOSE ? rows.loose : lane === ACT ? rows.actTop : rows.exploreFoot - height
    outlines.push({ idx, lane, x, y, width, height, isBar: isFar || width < BOX_PX })
  }
  return outlines
}

/** The state of an episode at the cut, as all its drawings show it. */
function shownOf({ scene, look, related }: GraphFrame, { idx, lane, y, height }: Outline) {
  const ahead = (scene.graph?.episodes[idx]?.first_turn ?? 0) > look.turn
  const share = ahead ? 0 : (scene.shares[idx] ?? 1)
  const fillHeight = share * height
  return {
    level: scene.levelOf(idx),
    ahead,
    share,
    fillHeight,
    fillY: lane === ACT ? y : y + height - fillHeight,
    faint: ahead ? 0.3 : related && !related.has(idx) ? 0.38 : 1,
  }
}

/** An episode as a plain column: what is left of it over what it was. */
function drawBar(frame: GraphFrame, outline: Outline, fill: FillBar): void {
  const tones = frame.sheet.palette.lanes[outline.lane]
  if (!tones) return
  const { x, y, width, height } = outline
  const { level, fillHeight, fillY, faint } = shownOf(frame, outline)
  const episode = frame.scene.graph?.episodes[outline.idx]
  fill(x, y, width, height, tones.ghost, faint)
  // A column has no room for an outline: one that the agent did not mark is fainter.
  const strength = episode?.source === 'declared' ? faint : faint * NOT_OWN
  if (fillHeight > 0.3)
    fill(x, fillY, width, Math.max(1, fillHeight), level <= 1 ? tones.solid : tones.tone1, strength)
}

function drawBox(frame: GraphFrame, outline: Outline): void {
  const { sheet, scene } = frame
  const { ctx, palette } = sheet
  const tones = palette.lanes[outline.lane]
  const episode = scene.graph?.episodes[outline.idx]
  if (!tones || !episode) return
  const { x, y, width, height } = outline
  const { level, ahead, share, fillHeight, fillY, faint } = shownOf(frame, outline)
  ctx.globalAlpha = faint
  const gone = level >= 4 && share < 0.01
  if (!gone && !ahead) {
    ctx.fillStyle = palette.bg
    ctx.fillRect(x, y, width, height)
  }
  const isOwn = episode.source === 'declared'
  // A fill that reaches the outline would hide how that is drawn.
  const gap = isOwn ? 0 : Math.min(GAP_PX, width / 4, height / 4)
  if (fillHeight > 0.3) {
    const tone = level === 0 ? tones.solid : level === 1 ? tones.tone1 : tones.tone2
    ctx.fillStyle =
      level === 0 ? tone : sheet.hatches.fill(ctx, tones.solid, tone, Math.min(3, level), sheet.ratio)
    const top = Math.max(fillY, y + gap)
    const foot = Math.min(fillY + Math.max(1, fillHeight), y + height - gap)
    ctx.fillRect(x + gap, top, width - 2 * gap, Math.max(1, foot - top))
  }
  ctx.strokeStyle = tones.solid
  ctx.lineWidth = 1
  if (episode.source === 'inferred') {
    ctx.globalAlpha = faint * strengthOf(episode.confidence)
    ctx.setLineDash(DOTTED)
  } else if (level >= 4 || ahead) ctx.setLineDash([3, 2.5])
  ctx.strokeRect(x + 0.5, y + 0.5, Math.max(0, width - 1), Math.max(0, height - 1))
  ctx.setLineDash([])
  if (episode.confidence !== null && width > 3 * GAP_PX) {
    // The edge with which it begins is as strong as it is sure.
    ctx.fillStyle = tones.ink
    ctx.globalAlpha = faint * episode.confidence
    ctx.fillRect(x, y, 1.5, height)
  }
  ctx.globalAlpha = 1
}

/** Draws a ring around the episode that is selected, pointed at, changed by the step at the cut, or active there. */
function drawRing({ sheet, scene, look }: GraphFrame, { idx, x, y, width, height }: Outline): void {
  const { ctx, palette } = sheet
  const episode = scene.graph?.episodes[idx]
  const ring = (colour: string, line: number, gap: number) => {
    ctx.strokeStyle = colour
    ctx.lineWidth = line
    ctx.strokeRect(x - gap, y - gap, width + 2 * gap, height + 2 * gap)
  }
  if (idx === look.selected) ring(palette.selection, 2, 2)
  else if (idx === look.hovered || idx === look.focused) ring(palette.selection, 1.25, 2)
  else if (idx === look.touched) ring(palette.error, 2, 1.5)
  else if (episode && episode.first_turn <= look.turn && isActive(episode, look.turn))
    ring(palette.active, 2, 1)
}

/** Draws the line of the cut. */
export function drawPlayhead(ctx: Pen, x: number, top: number, foot: number, colour: string): void {
  ctx.save()
  ctx.strokeStyle = colour
  ctx.lineWidth = 1
  ctx.setLineDash([4, 3])
  ctx.beginPath()
  ctx.moveTo(Math.round(x) + 0.5, top)
  ctx.lineTo(Math.round(x) + 0.5, foot)
  ctx.stroke()
  ctx.restore()
}

/** The place of an episode's box on the canvas, pixels; for overlays of the page. */
export function boxOnCanvas(scene: Scene, view: View, width: number, height: number, idx: number) {
  const box = scene.lanes.boxes[idx]
  const episode = scene.graph?.episodes[idx]
  if (!box || !episode) return null
  const rows = rowsOf(height)
  const scale = scaleOf(view, width)
  const lane = rows.exploreFoot - rows.exploreTop
  const tall = box.lane === LOOSE ? rows.looseHeight : outlineHeight(episode.tokens, scene.lanes.most, lane)
  const y = box.lane === LOOSE ? rows.loose : box.lane === ACT ? rows.actTop : rows.exploreFoot - tall
  const x = scale.px(box.x0)
  return { x, y, width: Math.max(1, scale.px(box.x1) - x), height: tall, lane: box.lane }
}

/** The lane at a height of the canvas. */
export function laneAt(height: number, y: number): number {
  const rows = rowsOf(height)
  if (y < rows.loose + rows.looseHeight + 4) return LOOSE
  return y < (rows.exploreFoot + rows.actTop) / 2 ? EXPLORE : ACT
}

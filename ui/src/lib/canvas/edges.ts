import type { GraphFrame } from './graph'
import type { Pen, Trail } from './pen'
import { EXPLORE, LOOSE } from '../view/lanes'

/** Narrower turns than this, pixels, are seen from afar. */
const AFAR = 0.6

/** Draws the edges: all of them faintly, those of the selection in full ink, implicit ones apart. */
export function drawEdges(frame: GraphFrame): void {
  const { sheet, scene, look, scale } = frame
  const { ctx, palette } = sheet
  // From afar no edge depends on levels, so that frames of a drag of τ share all of them.
  const isShared = scale.unit <= AFAR && sheet.keep !== undefined
  if (isShared) {
    const { axis, x0, x1 } = look.view
    const key = [scene.graph, axis, x0, x1, look.turn, look.selected, palette]
    sheet.keep?.(key, (pen) => drawFaint(frame, pen))
  } else drawFaint(frame, ctx)
  drawImplicit(frame)
  ctx.setLineDash([])
  ctx.globalAlpha = 1
  if (look.selected === null) return
  ctx.strokeStyle = palette.selection
  ctx.fillStyle = palette.selection
  ctx.lineWidth = 1.75
  for (const from of scene.links.needs[look.selected] ?? []) drawStrong(frame, from, look.selected)
  for (const to of scene.links.feeds[look.selected] ?? []) drawStrong(frame, look.selected, to)
  ctx.setLineDash([])
}

function drawFaint(frame: GraphFrame, ctx: Pen): void {
  const { sheet, scene, look, scale } = frame
  const { palette } = sheet
  const graph = scene.graph
  if (!graph) return
  const solid = frame.sheet.path()
  const dashed = frame.sheet.path()
  let drawn = 0
  for (const [from, to] of graph.edges) {
    if (from === look.selected || to === look.selected) continue
    if ((graph.episodes[to]?.first_turn ?? 0) > look.turn) continue
    if (!trace(frame, from, to, null)) continue
    drawn += 1
    // Dashes of many edges at once make a pattern of their own, so from afar all are solid.
    trace(frame, from, to, scene.levelOf(from) > 0 && scale.unit > AFAR ? dashed : solid)
  }
  const crowd = Math.min(1, 60 / Math.max(1, drawn))
  const base = Math.max(0.1, Math.min(0.55, 0.1 + 0.45 * crowd + Math.min(0.15, scale.unit / 200)))
  ctx.strokeStyle = palette.edge
  ctx.lineWidth = 1
  ctx.globalAlpha = frame.related ? base * 0.4 : base
  ctx.stroke(solid)
  ctx.setLineDash([3, 3])
  ctx.stroke(dashed)
  ctx.setLineDash([])
  ctx.globalAlpha = 1
}

function drawImplicit(frame: GraphFrame): void {
  const { sheet, scene, look } = frame
  const implicit = scene.implicit(look.selected)
  if (implicit.length === 0) return
  const { ctx, palette } = sheet
  const path = frame.sheet.path()
  for (const [from, to] of implicit) trace(frame, from, to, path)
  ctx.setLineDash([1, 4])
  ctx.strokeStyle = palette.muted
  ctx.globalAlpha = Math.max(0.25, Math.min(0.8, 30 / implicit.length))
  ctx.stroke(path)
}

function drawStrong(frame: GraphFrame, from: number, to: number): void {
  const { ctx } = frame.sheet
  const path = frame.sheet.path()
  const end = trace(frame, from, to, path)
  if (!end) return
  ctx.setLineDash(frame.scene.levelOf(from) > 0 ? [5, 3] : [])
  ctx.stroke(path)
  ctx.setLineDash([])
  ctx.beginPath()
  ctx.moveTo(end.x, end.y)
  ctx.lineTo(end.x - 4, end.y - 7)
  ctx.lineTo(end.x + 4, end.y - 7)
  ctx.closePath()
  ctx.fill()
}

/** Adds one edge to a path; answers its end, or `null` when it is out of view. */
function trace(
  frame: GraphFrame,
  from: number,
  to: number,
  path: Trail | null,
): { x: number; y: number } | null {
  const { scene, scale, rows, sheet } = frame
  const source = scene.lanes.boxes[from]
  const target = scene.lanes.boxes[to]
  if (!source || !target) return null
  const x0 = scale.px((source.x0 + source.x1) / 2)
  const x1 = scale.px((target.x0 + target.x1) / 2)
  if ((x0 < -4 && x1 < -4) || (x0 > sheet.width + 4 && x1 > sheet.width + 4)) return null
  const y0 =
    source.lane === LOOSE
      ? rows.loose + rows.looseHeight
      : source.lane === EXPLORE
        ? rows.exploreFoot + 1
        : rows.actTop
  const y1 = target.lane === EXPLORE ? rows.exploreFoot : rows.actTop - 1
  if (path) {
    const bend = (y1 - y0) * 0.62
    path.moveTo(x0, y0)
    path.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1)
  }
  return { x: x1, y: y1 }
}

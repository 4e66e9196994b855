import type { GraphFrame } from './graph'
import type { Trail } from './pen'
import { BEND } from './raster'
import type { Sheet } from './surface'
import { EXPLORE, LOOSE } from '../view/lanes'

/** Narrower turns than this, pixels, are seen from afar. */
const AFAR = 0.6
/** The widths of edges, pixels: the larger the exploration, the wider. From afar all are as thin as a pixel. */
const WIDTHS = [1, 1.75, 2.5] as const

/** How much wider an edge of the selection is, pixels. */
const STRONGER = 0.75

/** Draws the edges: all of them faintly, those of the selection in full ink, implicit ones apart. */
export function drawEdges(frame: GraphFrame): void {
  const { sheet, scene, look, scale } = frame
  const { ctx, palette } = sheet
  if (scale.unit <= AFAR && sheet.keep) {
    // From afar no edge depends on levels, so that frames of a drag of τ share all of them.
    const { axis, x0, x1 } = look.view
    const key = [scene.graph, axis, x0, x1, look.turn, look.selected, palette]
    const { loose, actTop } = frame.rows
    sheet.keep('edges', key, (own) => drawAfar(frame, own), [loose, actTop])
  } else drawFaint(frame)
  drawImplicit(frame)
  ctx.setLineDash([])
  ctx.globalAlpha = 1
  if (look.selected === null) return
  ctx.strokeStyle = palette.selection
  ctx.fillStyle = palette.selection
  for (const from of scene.links.needs[look.selected] ?? []) drawStrong(frame, from, look.selected)
  for (const to of scene.links.feeds[look.selected] ?? []) drawStrong(frame, look.selected, to)
  ctx.setLineDash([])
}

/** An edge as it runs over the picture. */
interface Course {
  from: number
  x0: number
  y0: number
  x1: number
  y1: number
}

/** The edges in view up to the cut, but for those of the selection. */
function faintOf(frame: GraphFrame): Course[] {
  const { scene, look } = frame
  const courses: Course[] = []
  for (const [from, to] of scene.graph?.edges ?? []) {
    if (from === look.selected || to === look.selected) continue
    if ((scene.graph?.episodes[to]?.first_turn ?? 0) > look.turn) continue
    const course = courseOf(frame, from, to)
    if (course) courses.push(course)
  }
  return courses
}

/** Returns the opacity of faint edges: the more of them there are, the fainter each is. */
function inkOf({ scale, related }: GraphFrame, n: number): number {
  const crowd = Math.min(1, 60 / Math.max(1, n))
  const base = Math.max(0.1, Math.min(0.55, 0.1 + 0.45 * crowd + Math.min(0.15, scale.unit / 200)))
  return related ? base * 0.4 : base
}

/** Draws faint edges pixel by pixel. Dashes of many edges at once make a pattern of their own, so all are solid. */
function drawAfar(frame: GraphFrame, sheet: Sheet): void {
  const { rows } = frame
  const courses = faintOf(frame)
  sheet.pixels?.(rows.loose, rows.actTop, (raster) => {
    const ink = raster.ink(sheet.palette.edge, inkOf(frame, courses.length))
    for (const { x0, y0, x1, y1 } of courses) raster.bend(x0, y0, x1, y1, ink)
  })
}

function drawFaint(frame: GraphFrame): void {
  const { sheet, scene } = frame
  const { ctx, palette } = sheet
  const courses = faintOf(frame)
  const [solid, dashed] = [WIDTHS.map(() => sheet.path()), WIDTHS.map(() => sheet.path())]
  const used = new Set<Trail>()
  for (const course of courses) {
    const paths = scene.levelOf(course.from) > 0 && frame.scale.unit > AFAR ? dashed : solid
    const path = paths[weightOf(frame, course.from)] as Trail
    used.add(path)
    trace(course, path)
  }
  ctx.strokeStyle = palette.edge
  ctx.globalAlpha = inkOf(frame, courses.length)
  for (const [paths, dashes] of [
    [solid, []],
    [dashed, [3, 3]],
  ] as const) {
    ctx.setLineDash(dashes)
    paths.forEach((path, weight) => {
      if (!used.has(path)) return
      ctx.lineWidth = WIDTHS[weight] ?? 1
      ctx.stroke(path)
    })
  }
  ctx.setLineDash([])
  ctx.lineWidth = 1
  ctx.globalAlpha = 1
}

/** Returns the place of an edge in `WIDTHS`: the root of the tokens of its exploration, as the height of a box. */
function weightOf({ scene }: GraphFrame, from: number): number {
  const tokens = scene.graph?.episodes[from]?.tokens ?? 0
  const share = Math.sqrt(Math.max(0, tokens) / scene.lanes.most)
  return Math.min(WIDTHS.length - 1, Math.floor(share * WIDTHS.length))
}

function drawImplicit(frame: GraphFrame): void {
  const { sheet, scene, look } = frame
  const implicit = scene.implicit(look.selected)
  if (implicit.length === 0) return
  const { ctx, palette } = sheet
  const path = frame.sheet.path()
  for (const [from, to] of implicit) {
    const course = courseOf(frame, from, to)
    if (course) trace(course, path)
  }
  ctx.setLineDash([1, 4])
  ctx.strokeStyle = palette.muted
  ctx.globalAlpha = Math.max(0.25, Math.min(0.8, 30 / implicit.length))
  ctx.stroke(path)
}

function drawStrong(frame: GraphFrame, from: number, to: number): void {
  const { ctx } = frame.sheet
  const course = courseOf(frame, from, to)
  if (!course) return
  const path = frame.sheet.path()
  trace(course, path)
  ctx.lineWidth = STRONGER + (WIDTHS[weightOf(frame, from)] ?? 1)
  ctx.setLineDash(frame.scene.levelOf(from) > 0 ? [5, 3] : [])
  ctx.stroke(path)
  ctx.setLineDash([])
  ctx.beginPath()
  ctx.moveTo(course.x1, course.y1)
  ctx.lineTo(course.x1 - 4, course.y1 - 7)
  ctx.lineTo(course.x1 + 4, course.y1 - 7)
  ctx.closePath()
  ctx.fill()
}

/** Returns the course of an edge; `null` when it is out of view. */
function courseOf({ scene, scale, rows, sheet }: GraphFrame, from: number, to: number): Course | null {
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
  return { from, x0, y0, x1, y1 }
}

function trace({ x0, y0, x1, y1 }: Course, path: Trail): void {
  const bend = (y1 - y0) * BEND
  path.moveTo(x0, y0)
  path.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1)
}

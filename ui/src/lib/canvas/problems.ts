import type { Severity } from '../ipc/generated/Severity'
import type { GraphFrame } from './graph'
import type { Pen } from './pen'
import { FONT } from './surface'

/** Marks that are closer than this are one, pixels. */
const APART_PX = 18
/** How far from the middle of a mark a press still means it, pixels. */
const REACH_PX = 9

/** A mark where the annotation is odd. */
interface ProblemMark {
  x: number
  y: number
  severity: Severity
  /** The episodes that it stands for, by place. */
  episodes: number[]
}

type Seen = Pick<GraphFrame, 'scene' | 'look' | 'rows' | 'scale'> & { width: number }

/** The marks in view, as they are drawn; those that would touch are one. */
function problemMarks({ scene, look, rows, scale, width }: Seen): ProblemMark[] {
  const marks: ProblemMark[] = []
  for (const [idx, severity] of [...look.severity].sort((a, b) => a[0] - b[0])) {
    const box = scene.lanes.boxes[idx]
    if (!box) continue
    const x = scale.px((box.x0 + box.x1) / 2)
    if (x < -8 || x > width + 8) continue
    const before = marks.at(-1)
    if (before && x - before.x < APART_PX) {
      before.episodes.push(idx)
      before.severity = worst(before.severity, severity)
    } else marks.push({ x, y: rows.problems + 7, severity, episodes: [idx] })
  }
  return marks
}

/** Draws where the annotation is odd: shape and glyph by severity; those that would touch become a count. */
export function drawProblems(frame: GraphFrame): void {
  const { sheet } = frame
  for (const mark of problemMarks({ ...frame, width: sheet.width })) drawMark(sheet.ctx, mark, sheet.palette)
  sheet.ctx.textAlign = 'left'
}

/** The episodes whose mark is at a place of the graph; `null` where there is none. */
export function problemsAt(seen: Seen, x: number, y: number): readonly number[] | null {
  const near = (mark: ProblemMark) => Math.abs(mark.x - x) <= REACH_PX && Math.abs(mark.y - y) <= REACH_PX
  return problemMarks(seen).find(near)?.episodes ?? null
}

const RANK: readonly Severity[] = ['info', 'warning', 'error']

/** The graver of two severities. */
export const worst = (a: Severity, b: Severity): Severity => (RANK.indexOf(a) >= RANK.indexOf(b) ? a : b)

function drawMark(
  ctx: Pen,
  { x, y, severity, episodes: { length: n } }: ProblemMark,
  palette: GraphFrame['sheet']['palette'],
): void {
  const glyph = n > 1 ? (n > 9 ? '+' : String(n)) : severity === 'info' ? 'i' : '!'
  ctx.beginPath()
  if (severity === 'error') {
    ctx.moveTo(x, y - 7)
    ctx.lineTo(x + 7, y)
    ctx.lineTo(x, y + 7)
    ctx.lineTo(x - 7, y)
  } else if (severity === 'warning') {
    ctx.moveTo(x, y - 7)
    ctx.lineTo(x + 7.5, y + 6)
    ctx.lineTo(x - 7.5, y + 6)
  } else ctx.arc(x, y, 6, 0, 2 * Math.PI)
  ctx.closePath()
  ctx.fillStyle = severity === 'error' ? palette.error : severity === 'warning' ? palette.warn : palette.info
  ctx.fill()
  if (severity === 'warning') {
    ctx.strokeStyle = palette.warnInk
    ctx.lineWidth = 1
    ctx.stroke()
  }
  ctx.fillStyle = severity === 'warning' ? palette.warnInk : palette.bg
  ctx.font = `700 9px ${FONT}`
  ctx.textAlign = 'center'
  ctx.fillText(glyph, x, y + (severity === 'warning' ? 4.5 : 3.2))
}

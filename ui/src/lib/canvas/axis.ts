import type { SeverityDto } from '../ipc/generated/SeverityDto'
import type { GraphFrame } from './graph'
import type { Pen } from './pen'
import { FONT } from './surface'
import type { Scale } from '../view/scale'

/** Draws the labels of the time axis and the places where a human spoke. */
export function drawAxis({ sheet, scene, scale, rows, look }: GraphFrame): void {
  const { ctx, palette, width } = sheet
  const y = rows.axis
  ctx.fillStyle = palette.line
  ctx.fillRect(0, y, width, 1)
  ctx.textAlign = 'center'
  const cut = scale.px(look.turn)
  const badge = badgeOf(ctx, scale.label(look.turn), cut, width)
  ctx.font = `400 11px ${FONT}`
  ctx.fillStyle = palette.muted
  if (look.view.axis.kind === 'tokens') drawTurns(ctx, scale, y, scene.graph?.n_turns ?? 0)
  for (const { turn, label } of scale.ticks()) {
    const x = scale.px(turn)
    ctx.fillRect(Math.round(x), y, 1, 4)
    const half = ctx.measureText(label).width / 2
    const free = badge === null || Math.abs(x - badge.x) > half + badge.half + 5
    if (free && x > half && x < width - half) ctx.fillText(label, x, y + 15)
  }
  ctx.fillStyle = palette.human
  let last = -99
  for (const human of scene.graph?.human_turns ?? []) {
    const x = scale.px(human.turn)
    if (x < -6 || x > width + 6 || x - last < 9) continue
    last = x
    ctx.beginPath()
    ctx.moveTo(x, y + 1)
    ctx.lineTo(x - 4.5, y - 6)
    ctx.lineTo(x + 4.5, y - 6)
    ctx.closePath()
    ctx.fill()
  }
  if (badge) {
    ctx.fillStyle = palette.selection
    ctx.beginPath()
    ctx.roundRect(badge.x - badge.half, y + 3, badge.half * 2, 16, 4)
    ctx.fill()
    ctx.fillStyle = palette.bg
    ctx.font = BADGE_FONT
    ctx.fillText(badge.text, badge.x, y + 15)
  }
  ctx.textAlign = 'left'
}

const BADGE_FONT = `600 11px ${FONT}`

/** The label of the cut, kept inside of the axis; nothing where the cut is out of view. */
function badgeOf(ctx: Pen, text: string, cut: number, width: number) {
  if (cut < 0 || cut > width) return null
  ctx.font = BADGE_FONT
  const half = Math.max(13, ctx.measureText(text).width / 2 + 6)
  return { text, half, x: Math.min(Math.max(half, cut), width - half) }
}

/** Fewer pixels than this per turn, on the average, are too few for a mark of each. */
const TURN_MARK_PX = 5

/** Marks each turn where the labels are of tokens. */
function drawTurns(ctx: Pen, scale: Scale, y: number, nTurns: number): void {
  if (scale.unit < TURN_MARK_PX) return
  for (let turn = Math.max(1, Math.ceil(scale.x0)); turn <= Math.min(scale.x1, nTurns); turn += 1)
    ctx.fillRect(Math.round(scale.px(turn)), y - 2, 1, 2)
}

const APART_PX = 18

/** Draws where the annotation is odd: shape and glyph by severity; those that would touch become a count. */
export function drawProblems({ sheet, scene, scale, rows, look }: GraphFrame): void {
  const { ctx } = sheet
  const y = rows.problems + 7
  const marks: { x: number; severity: SeverityDto; n: number }[] = []
  for (const [idx, severity] of [...look.severity].sort((a, b) => a[0] - b[0])) {
    const box = scene.lanes.boxes[idx]
    if (!box) continue
    const x = scale.px((box.x0 + box.x1) / 2)
    if (x < -8 || x > sheet.width + 8) continue
    const before = marks.at(-1)
    if (before && x - before.x < APART_PX) {
      before.n += 1
      before.severity = worst(before.severity, severity)
    } else marks.push({ x, severity, n: 1 })
  }
  for (const mark of marks) drawMark(sheet.ctx, mark, y, sheet.palette)
  ctx.textAlign = 'left'
}

const RANK: readonly SeverityDto[] = ['info', 'warning', 'error']

/** The graver of two severities. */
export const worst = (a: SeverityDto, b: SeverityDto): SeverityDto =>
  RANK.indexOf(a) >= RANK.indexOf(b) ? a : b

function drawMark(
  ctx: Pen,
  { x, severity, n }: { x: number; severity: SeverityDto; n: number },
  y: number,
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

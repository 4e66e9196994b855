import type { GraphFrame } from './graph'
import { crowdsOf, drawCount, type Marked } from './crowd'
import type { Pen } from './pen'
import { stampAt } from './stamps'
import { FONT, Widths } from './surface'
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
  ctx.font = LABEL_FONT
  ctx.fillStyle = palette.muted
  if (look.view.axis.kind === 'tokens') drawTurns(ctx, scale, y, scene.graph?.n_turns ?? 0)
  for (const { turn, label } of scale.ticks()) {
    const x = scale.px(turn)
    ctx.fillRect(Math.round(x), y, 1, 4)
    const half = widths.of(ctx, LABEL_FONT, label) / 2
    const free = badge === null || Math.abs(x - badge.x) > half + badge.half + 5
    if (free && x > half && x < width - half) ctx.fillText(label, x, y + 15)
  }
  const humans = (scene.graph?.human_turns ?? []).map(({ turn }) => scale.px(turn))
  for (const crowd of crowdsOf(humans, HUMANS_APART, width)) {
    drawHuman(sheet, crowd.x, y)
    drawCount(sheet, crowd, y - 5, 5)
  }
  ctx.textAlign = 'center'
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

/** A triangle that points down to the axis. */
function drawHuman(sheet: Marked, x: number, y: number): void {
  const draw = (pen: Pen) => {
    pen.fillStyle = sheet.palette.human
    pen.beginPath()
    pen.moveTo(0, 1)
    pen.lineTo(-4.5, -6)
    pen.lineTo(4.5, -6)
    pen.closePath()
    pen.fill()
  }
  stampAt(sheet, { key: 'human', left: 5, right: 5, up: 6, down: 1, draw }, x, y)
}

/** Marks of what humans said that would stand closer are one with a count, pixels. */
const HUMANS_APART = 9

const LABEL_FONT = `400 11px ${FONT}`
const BADGE_FONT = `600 11px ${FONT}`

const widths = new Widths()

/** The label of the cut, kept inside of the axis; nothing where the cut is out of view. */
function badgeOf(ctx: Pen, text: string, cut: number, width: number) {
  if (cut < 0 || cut > width) return null
  const half = Math.max(13, widths.of(ctx, BADGE_FONT, text) / 2 + 6)
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

import type { ReplayAnswer } from '../ipc/generated/ReplayAnswer'
import type { Sheet } from './surface'
import type { Scale } from '../view/scale'
import type { TokenScale } from '../view/tokenScale'

const HALF_TURN = 0.5

/** Draws τ in force as a dashed line, which the line of τ covers where both are one. */
export function drawInForce(
  { ctx, palette, width }: Sheet,
  budget: number,
  head: number,
  y: (tokens: number) => number,
): void {
  const line = Math.round(Math.max(0, head - 4, y(budget))) + 0.5
  ctx.strokeStyle = palette.text
  ctx.lineWidth = 1
  ctx.setLineDash([8, 4])
  ctx.beginPath()
  ctx.moveTo(0, line)
  ctx.lineTo(width, line)
  ctx.stroke()
  ctx.setLineDash([])
}

/** Draws the model's window as a dotted line; at the upper edge if it is above the scale. */
export function drawWindow(
  { ctx, palette, width }: Sheet,
  window: number,
  scale: TokenScale,
  y: (tokens: number) => number,
): void {
  const line = (window > scale.most ? 0 : Math.round(y(window))) + 0.5
  ctx.strokeStyle = palette.text
  ctx.lineWidth = 1
  ctx.setLineDash([2, 3])
  ctx.beginPath()
  ctx.moveTo(0, line)
  ctx.lineTo(width, line)
  ctx.stroke()
  ctx.setLineDash([])
}

/** The least width of the column of the cut, pixels. */
const FALL_PX = 3

/** Draws what the pass at the cut has not taken yet, from the size after it up to the size at the step. */
export function drawFall(
  { ctx, palette }: Sheet,
  replay: ReplayAnswer,
  turn: number,
  sent: number,
  scale: Scale,
  y: (tokens: number) => number,
): void {
  const [high, low] = [y(sent), y(replay.after[turn - 1] ?? 0)]
  if (low - high < 1) return
  const wide = Math.max(FALL_PX, scale.px(turn + HALF_TURN) - scale.px(turn - HALF_TURN))
  const x = scale.px(turn) - wide / 2
  ctx.fillStyle = palette.error
  ctx.globalAlpha = 0.3
  ctx.fillRect(x, high, wide, low - high)
  ctx.globalAlpha = 1
  ctx.fillRect(x, high, wide, 2)
}

export function drawBudget(
  { ctx, palette, width }: Sheet,
  budget: number,
  head: number,
  thick: number,
  y: (tokens: number) => number,
): void {
  const line = Math.round(Math.max(0, head - 4, y(budget)))
  ctx.fillStyle = palette.error
  ctx.fillRect(0, line, width, thick)
}

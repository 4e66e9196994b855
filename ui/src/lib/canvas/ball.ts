import type { Pen } from './pen'

/** Draws the Harvey ball of a level: full, three quarters, half, one quarter, a dashed empty ring. */
export function drawBall(
  ctx: Pen,
  x: number,
  y: number,
  radius: number,
  level: number,
  colour: string,
): void {
  ctx.save()
  ctx.strokeStyle = colour
  ctx.fillStyle = colour
  ctx.lineWidth = 1
  if (level >= 4) ctx.setLineDash([1.6, 1.6])
  ctx.beginPath()
  ctx.arc(x, y, radius, 0, 2 * Math.PI)
  ctx.stroke()
  if (level < 4) {
    const turn = ([1, 0.75, 0.5, 0.25][level] ?? 1) * 2 * Math.PI
    ctx.beginPath()
    ctx.moveTo(x, y)
    ctx.arc(x, y, radius, -Math.PI / 2, -Math.PI / 2 + turn)
    ctx.fill()
  }
  ctx.restore()
}

import type { GraphFrame } from './graph'
import { ACT, LOOSE } from '../view/lanes'

/** Marks that are closer than this are one, pixels. */
const APART_PX = 11
const RADIUS = 3.5

/** Draws a turned arrow at every episode of which something was read again after it had been evicted. */
export function drawRegrets({ sheet, scene, look, rows, scale, related }: GraphFrame): void {
  const { ctx, palette } = sheet
  let last = -Infinity
  for (const [idx, { gone_turn: gone }] of look.regrets) {
    const box = scene.lanes.boxes[idx]
    if (!box || gone > look.turn) continue
    const x = Math.round(scale.px((box.x0 + box.x1) / 2))
    if (x < 0 || x > sheet.width || x - last < APART_PX) continue
    last = x
    // On the side of the edges, where no name stands.
    const y =
      box.lane === ACT
        ? rows.actTop - 8
        : box.lane === LOOSE
          ? rows.loose + rows.looseHeight + 6.5
          : rows.exploreFoot + 8
    ctx.globalAlpha = related && !related.has(idx) ? 0.4 : 1
    ctx.fillStyle = palette.bg
    ctx.beginPath()
    ctx.arc(x, y, RADIUS + 2.5, 0, 2 * Math.PI)
    ctx.fill()
    ctx.strokeStyle = palette.text
    ctx.fillStyle = palette.text
    ctx.lineWidth = 1.4
    ctx.beginPath()
    ctx.arc(x, y, RADIUS, -0.25 * Math.PI, 1.35 * Math.PI)
    ctx.stroke()
    ctx.beginPath()
    ctx.moveTo(x + 0.2, y - RADIUS - 2.4)
    ctx.lineTo(x + 4.6, y - RADIUS + 1)
    ctx.lineTo(x + 0.2, y - RADIUS + 2.6)
    ctx.closePath()
    ctx.fill()
  }
  ctx.globalAlpha = 1
}

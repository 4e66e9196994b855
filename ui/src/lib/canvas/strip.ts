import { drawRange } from './marks'
import type { Scene } from './scene'
import type { Sheet } from './surface'
import { ACT, LOOSE, outlineHeight } from '../view/lanes'
import type { TurnRange } from '../view/link'
import { scaleOf, type View } from '../view/scale'

/** Draws the whole session small, kept over ghost, with the brush of what graph and timeline show. */
export function drawStrip(
  sheet: Sheet,
  scene: Scene,
  view: View & { end: number },
  turn: number,
  range: TurnRange | null,
): void {
  const { ctx, width, height, palette } = sheet
  const scale = scaleOf({ axis: view.axis, x0: 0, x1: view.end }, width)
  const middle = Math.round(height / 2)
  const half = middle - 4
  ctx.fillStyle = palette.line
  ctx.fillRect(0, middle, width, 1)
  const episodes = scene.graph?.episodes ?? []
  for (const box of scene.lanes.boxes) {
    const episode = episodes[box.idx]
    const tones = palette.lanes[box.lane]
    if (!episode || !tones) continue
    const x = scale.px(box.x0)
    const wide = Math.max(1, scale.px(box.x1) - x - (scale.unit > 3 ? 1 : 0))
    const tall = box.lane === LOOSE ? 2 : outlineHeight(episode.tokens, scene.lanes.most, half)
    const ahead = episode.first_turn > turn
    const share = ahead ? 0 : (scene.shares[box.idx] ?? 1)
    ctx.globalAlpha = ahead ? 0.4 : 1
    const down = box.lane === ACT
    ctx.fillStyle = tones.ghost
    ctx.fillRect(x, down ? middle + 1 : middle - tall, wide, tall)
    ctx.fillStyle = tones.solid
    const kept = tall * share
    if (kept > 0.4) ctx.fillRect(x, down ? middle + 1 : middle - kept, wide, kept)
  }
  ctx.globalAlpha = 1
  drawRange(sheet, range, scale, 0, height)
  const from = view.x0 * scale.density
  const to = view.x1 * scale.density
  ctx.fillStyle = palette.bg
  ctx.globalAlpha = 0.55
  ctx.fillRect(0, 0, Math.max(0, from), height)
  ctx.fillRect(to, 0, Math.max(0, width - to), height)
  ctx.globalAlpha = 1
  ctx.strokeStyle = palette.selection
  ctx.lineWidth = 1.5
  ctx.strokeRect(
    Math.max(0.75, from),
    1,
    Math.max(3, Math.min(width - 0.75, to) - Math.max(0.75, from)),
    height - 2,
  )
  ctx.fillStyle = palette.selection
  ctx.fillRect(Math.round(scale.px(turn)), 0, 1, height)
}

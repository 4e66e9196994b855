import { drawRange } from './marks'
import type { Scene } from './scene'
import { drawSource } from './source'
import { drawBars, type Sheet } from './surface'
import { ACT, LOOSE, outlineHeight } from '../view/lanes'
import type { TurnRange } from '../view/link'
import { scaleOf, type Scale, type View } from '../view/scale'

/** The strength of bars of episodes that the agent did not mark. */
const NOT_OWN = 0.7

/** One bar of the strip, pixels. */
interface Bar {
  x: number
  wide: number
  tall: number
  kept: number
  /** True when all of it comes after the cut. */
  ahead: boolean
}

/** The bars of one lane: one per episode, and one for those that share a pixel, as tall as the tallest of them. */
export function barsOf(
  scene: Pick<Scene, 'graph' | 'lanes' | 'shares'>,
  lane: number,
  row: readonly number[],
  scale: Scale,
  half: number,
  turn: number,
): Bar[] {
  const episodes = scene.graph?.episodes ?? []
  const bars: Bar[] = []
  let last: Bar | undefined
  for (const idx of row) {
    const box = scene.lanes.boxes[idx]
    const episode = episodes[idx]
    if (!box || !episode) continue
    const x = scale.px(box.x0)
    const wide = Math.max(1, scale.px(box.x1) - x - (scale.unit > 3 ? 1 : 0))
    const tall = lane === LOOSE ? 2 : outlineHeight(episode.tokens, scene.lanes.most, half)
    const ahead = episode.first_turn > turn
    const kept = ahead ? 0 : tall * (scene.shares[idx] ?? 1)
    if (last && wide === 1 && last.wide === 1 && Math.floor(x) === Math.floor(last.x)) {
      last.tall = Math.max(last.tall, tall)
      last.kept = Math.max(last.kept, kept)
      last.ahead &&= ahead
    } else bars.push((last = { x, wide, tall, kept, ahead }))
  }
  return bars
}

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
  const own = scene.graph && scene.graph.from.source !== 'declared' ? NOT_OWN : 1
  drawBars(sheet, 0, height, (fill) =>
    scene.lanes.byLane.forEach((row, lane) => {
      const tones = palette.lanes[lane]
      if (!tones) return
      for (const { x, wide, tall, kept, ahead } of barsOf(scene, lane, row, scale, half, turn)) {
        const faint = (ahead ? 0.4 : 1) * own
        const top = (part: number) => (lane === ACT ? middle + 1 : middle - part)
        if (tall > 0.4) fill(x, top(tall), wide, tall, tones.ghost, faint)
        if (kept > 0.4) fill(x, top(kept), wide, kept, tones.solid, faint)
      }
    }),
  )
  drawSource(sheet, scene.graph?.from.source, 2, 8)
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

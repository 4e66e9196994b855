import type { GraphFrame } from './graph'
import { boxOnCanvas } from './graph'
import { FONT } from './surface'
import { text } from '../text'
import { revealed } from '../view/hidden'
import type { Pending } from '../view/marking'

/** Draws the change of marks that a drag in the graph would make. */
export function drawPending({ sheet, scene, look, scale }: GraphFrame, pending: Pending | null): void {
  if (!pending || !scene.graph) return
  const { ctx, palette, width, height } = sheet
  const boxOf = (idx: number) => boxOnCanvas(scene, look.view, width, height, idx)
  ctx.save()
  ctx.strokeStyle = palette.selection
  ctx.fillStyle = palette.selection
  ctx.lineWidth = 2
  if (pending.what === 'link') {
    const from = boxOf(pending.from)
    const to = pending.to === null ? null : boxOf(pending.to)
    if (from) {
      const [x, y] = [from.x + from.width / 2, from.y + from.height]
      const [tx, ty] = to ? [to.x + to.width / 2, to.y] : [pending.x, pending.y]
      if (!to) ctx.setLineDash([5, 4])
      ctx.beginPath()
      ctx.moveTo(x, y)
      ctx.lineTo(tx, ty)
      ctx.stroke()
      ctx.setLineDash([])
      if (to) ctx.strokeRect(to.x - 2, to.y - 2, to.width + 4, to.height + 4)
    }
    const name = (idx: number) => revealed(scene.graph?.episodes[idx]?.name ?? '')
    const says =
      pending.to === null
        ? text.marks.linkFrom(name(pending.from))
        : text.marks.linkTo(name(pending.from), name(pending.to))
    say(says, pending.x + 12, pending.y - 10)
  } else {
    const box = boxOf(pending.idx)
    const x = scale.px(pending.edge === 'begin' ? pending.turn : pending.turn + 1)
    if (box) {
      ctx.fillRect(x - 1, box.y - 6, 2, box.height + 12)
      say(text.marks.edgeAt(String(pending.turn)), x + 6, box.y - 4)
    }
  }
  ctx.restore()

  function say(words: string, x: number, y: number): void {
    ctx.font = `600 11.5px ${FONT}`
    const wide = ctx.measureText(words).width + 8
    const left = Math.max(0, Math.min(width - wide, x))
    const top = Math.max(0, y - 14)
    ctx.fillStyle = palette.bg
    ctx.fillRect(left, top, wide, 18)
    ctx.fillStyle = palette.selection
    ctx.fillText(words, left + 4, top + 13)
  }
}

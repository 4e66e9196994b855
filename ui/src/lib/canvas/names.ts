import { drawBall } from './ball'
import type { GraphFrame } from './graph'
import { FONT, type Widths } from './surface'
import { short } from '../view/format'
import { ACT, EXPLORE, NAME_ROW, firstEndingAfter, isActive, outlineHeight } from '../view/lanes'

const BALL_AT_PX = 9
const NAME_AT_PX = 20
const MOST_WIDTH = 170

/** Draws level balls, names and kept tokens where there is room; the selected and the active ones come first. */
export function drawNames(frame: GraphFrame, widths: Widths): void {
  if (frame.rows.nameRows === 0) return
  for (const lane of [EXPLORE, ACT] as const) drawNamesOf(frame, lane, widths)
}

interface Placed {
  from: number
  to: number
}

function drawNamesOf(frame: GraphFrame, lane: 1 | 2, widths: Widths): void {
  const { scene, scale, look, rows, related } = frame
  const row = scene.lanes.byLane[lane]
  const first: number[] = []
  const rest: number[] = []
  let visible = 0
  for (let at = firstEndingAfter(scene.lanes, row, look.x0); at < row.length; at += 1) {
    const idx = row[at] ?? 0
    const box = scene.lanes.boxes[idx]
    if (!box || box.x0 > scale.x1) break
    visible += 1
    const episode = scene.graph?.episodes[idx]
    if (!episode) continue
    const strong =
      idx === look.selected || idx === look.hovered || related?.has(idx) || isActive(episode, look.turn)
    ;(strong ? first : rest).push(idx)
  }
  const crowd = frame.sheet.width / Math.max(1, visible)
  const taken: Placed[][] = Array.from({ length: rows.nameRows }, () => [])
  for (const idx of first) place(frame, lane, idx, taken, widths, true)
  if (crowd < BALL_AT_PX) return
  for (const idx of rest) place(frame, lane, idx, taken, widths, crowd >= NAME_AT_PX)
}

function place(
  frame: GraphFrame,
  lane: 1 | 2,
  idx: number,
  taken: Placed[][],
  widths: Widths,
  named: boolean,
): void {
  const { sheet, scene, scale, look, rows, related } = frame
  const { ctx, palette } = sheet
  const box = scene.lanes.boxes[idx]
  const episode = scene.graph?.episodes[idx]
  const tones = palette.lanes[lane]
  if (!box || !episode || !tones) return
  const strong = idx === look.selected
  ctx.font = `${strong ? 650 : 500} 11.5px ${FONT}`
  const level = scene.levelOf(idx)
  const kept = episode.kept_at[level as 0 | 1 | 2 | 3 | 4] ?? 0
  const ahead = episode.first_turn > look.turn
  const figure = ahead ? '' : short(kept)
  const x = Math.max(2, scale.px(box.x0))
  const room = sheet.width - x - 18
  const name = named ? widths.fit(ctx, episode.name, Math.min(MOST_WIDTH, room)) : ''
  ctx.font = `${strong ? 650 : 500} 11.5px ${FONT}`
  const nameWidth = name === '' ? 0 : widths.of(ctx, name) + 5
  ctx.font = `400 11px ${FONT}`
  const figureWidth = name === '' || figure === '' ? 0 : widths.of(ctx, figure) + 4
  const full = 11 + nameWidth + figureWidth
  const options = [full, 11 + nameWidth, 11]
  for (const [at, width] of options.entries()) {
    if (at === 1 && (figureWidth === 0 || nameWidth === 0)) continue
    if (at === 2 && scale.px(box.x1) - scale.px(box.x0) < 5) continue
    const line = taken.findIndex((places) =>
      places.every((other) => x + width + 6 < other.from || x > other.to),
    )
    if (line < 0) continue
    taken[line]?.push({ from: x, to: x + width + 6 })
    const top =
      lane === EXPLORE
        ? rows.exploreNames + (rows.nameRows - 1 - line) * NAME_ROW
        : rows.actNames + line * NAME_ROW
    const y = top + NAME_ROW / 2 + 0.5
    const faint = ahead ? 0.45 : related && !related.has(idx) ? 0.4 : 1
    ctx.globalAlpha = faint
    drawLeader(frame, lane, idx, x, top)
    drawBall(ctx, x + 4.5, y, 3.6, ahead ? 4 : level, tones.ink)
    ctx.textBaseline = 'middle'
    if (at < 2 && name !== '') {
      ctx.font = `${strong ? 650 : 500} 11.5px ${FONT}`
      ctx.fillStyle = palette.text
      ctx.fillText(name, x + 12, y)
      if (at === 0 && figureWidth > 0) {
        ctx.font = `400 11px ${FONT}`
        ctx.fillStyle = tones.ink
        ctx.fillText(figure, x + 12 + nameWidth, y)
      }
    }
    ctx.textBaseline = 'alphabetic'
    ctx.globalAlpha = 1
    return
  }
}

/** A hairline from a name to its box, so that a name in the outer row still belongs to something. */
function drawLeader(frame: GraphFrame, lane: 1 | 2, idx: number, x: number, top: number): void {
  const { sheet, scene, rows } = frame
  const { ctx, palette } = sheet
  const episode = scene.graph?.episodes[idx]
  if (!episode) return
  const tall = outlineHeight(episode.tokens, scene.lanes.most, rows.exploreFoot - rows.exploreTop)
  const from = lane === EXPLORE ? top + NAME_ROW : top
  const to = lane === EXPLORE ? rows.exploreFoot - tall : rows.actTop + tall
  ctx.strokeStyle = palette.line
  ctx.lineWidth = 1
  ctx.beginPath()
  ctx.moveTo(Math.round(x) + 0.5, from)
  ctx.lineTo(Math.round(x) + 0.5, to)
  ctx.stroke()
}

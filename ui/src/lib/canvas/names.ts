import { drawBall } from './ball'
import type { GraphFrame } from './graph'
import { FONT, type Widths } from './surface'
import { short } from '../view/format'
import { revealed } from '../view/hidden'
import { ACT, EXPLORE, NAME_ROW, firstEndingAfter, isActive, leftOf, outlineHeight } from '../view/lanes'

/** From this many pixels for each episode on, those that matter are not the only ones with a name. */
const NAME_AT_PX = 9
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

/** A name that has found its place. */
interface Label {
  idx: number
  x: number
  /** Where its box begins, pixels. */
  boxX: number
  top: number
  /** All of it, pixels. */
  width: number
  name: string
  figure: string
  figureX: number
  faint: number
  level: number
}

function drawNamesOf(frame: GraphFrame, lane: 1 | 2, widths: Widths): void {
  const { scene, scale, look, rows, related } = frame
  const row = scene.lanes.byLane[lane]
  const first: number[] = []
  const rest: number[] = []
  let visible = 0
  for (let at = firstEndingAfter(scene.lanes, row, scale.x0); at < row.length; at += 1) {
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
  const labels: Label[] = []
  for (const idx of crowd < NAME_AT_PX ? first : [...first, ...rest]) {
    const label = place(frame, lane, idx, taken, widths)
    if (label) labels.push(label)
  }
  if (labels.length === 0) return
  for (const label of labels) drawLeader(frame, lane, label)
  drawLabels(frame, lane, labels)
}

function place(frame: GraphFrame, lane: 1 | 2, idx: number, taken: Placed[][], widths: Widths): Label | null {
  const { sheet, scene, scale, look, rows, related } = frame
  const { ctx } = sheet
  const box = scene.lanes.boxes[idx]
  const episode = scene.graph?.episodes[idx]
  if (!box || !episode) return null
  const level = scene.levelOf(idx)
  const kept = leftOf(episode, level, scene.left[idx])
  const ahead = episode.first_turn > look.turn
  const figure = ahead || kept === 0 ? '' : short(kept)
  const boxX = Math.max(2, scale.px(box.x0))
  const font = nameFont(idx === look.selected)
  // A name that matters now begins before its box where the edge would cut it: a session opens at its end.
  const matters = idx === look.selected || idx === look.hovered || isActive(episode, look.turn)
  const wanted = matters
    ? widths.of(ctx, font, widths.fit(ctx, font, revealed(episode.name), MOST_WIDTH)) + 22
    : 0
  const x = Math.max(2, Math.min(boxX, sheet.width - wanted))
  const room = Math.min(MOST_WIDTH, sheet.width - x - 18)
  const name = widths.fit(ctx, font, revealed(episode.name), room)
  const nameWidth = name === '' ? 0 : widths.of(ctx, font, name) + 5
  const figureWidth = name === '' || figure === '' ? 0 : widths.of(ctx, FIGURE_FONT, figure) + 4
  const wide = [
    { width: 11 + nameWidth + figureWidth, name, figure, fits: figureWidth > 0 },
    { width: 11 + nameWidth, name, figure: '', fits: nameWidth > 0 },
    { width: 11, name: '', figure: '', fits: scale.px(box.x1) - scale.px(box.x0) >= 5 },
  ]
  for (const option of wide) {
    if (!option.fits || x + option.width > sheet.width) continue
    const line = taken.findIndex((places) =>
      places.every((other) => x + option.width + 6 < other.from || x > other.to),
    )
    if (line < 0) continue
    taken[line]?.push({ from: x, to: x + option.width + 6 })
    const row = lane === EXPLORE ? rows.nameRows - 1 - line : line
    return {
      idx,
      x,
      boxX,
      width: option.width - 1,
      top: (lane === EXPLORE ? rows.exploreNames : rows.actNames) + row * NAME_ROW,
      name: option.name,
      figure: option.figure,
      figureX: x + 12 + nameWidth,
      faint: Math.max(sheet.palette.faintest, ahead ? 0.45 : related && !related.has(idx) ? 0.4 : 1),
      level: ahead ? 4 : level,
    }
  }
  return null
}

const nameFont = (strong: boolean) => `${strong ? 650 : 500} 11.5px ${FONT}`
const FIGURE_FONT = `400 11px ${FONT}`

/** Draws all labels of a lane, what has the same font at once: to change it costs more than to write with it. */
function drawLabels({ sheet, look }: GraphFrame, lane: 1 | 2, labels: readonly Label[]): void {
  const { ctx, palette } = sheet
  const tones = palette.lanes[lane]
  if (!tones) return
  const middle = ({ top }: Label) => top + NAME_ROW / 2 + 0.5
  const write = (
    font: string,
    colour: string,
    text: (label: Label) => string,
    x: (label: Label) => number,
  ) => {
    const written = labels.filter((label) => text(label) !== '')
    if (written.length === 0) return
    ctx.font = font
    ctx.fillStyle = colour
    for (const label of written) {
      ctx.globalAlpha = label.faint
      ctx.fillText(text(label), x(label), middle(label))
    }
  }
  ctx.save()
  ctx.textBaseline = 'middle'
  // Hairlines of other names run behind it. Stroking the text would be many times slower.
  ctx.fillStyle = palette.bg
  for (const label of labels) ctx.fillRect(label.x, middle(label) - 6, label.width, 12)
  for (const label of labels) {
    ctx.globalAlpha = label.faint
    drawBall(ctx, label.x + 4.5, middle(label), 3.6, label.level, tones.ink)
  }
  const named = (strong: boolean) => (label: Label) =>
    (label.idx === look.selected) === strong ? label.name : ''
  const after = ({ x }: Label) => x + 12
  write(nameFont(false), palette.text, named(false), after)
  write(nameFont(true), palette.text, named(true), after)
  write(
    FIGURE_FONT,
    tones.ink,
    (label) => label.figure,
    (label) => label.figureX,
  )
  ctx.restore()
}

/** A hairline from a name to its box, so that a name in the outer row still belongs to something. */
function drawLeader({ sheet, scene, rows }: GraphFrame, lane: 1 | 2, { idx, boxX, top }: Label): void {
  const { ctx, palette } = sheet
  const episode = scene.graph?.episodes[idx]
  if (!episode) return
  const tall = outlineHeight(episode.tokens, scene.lanes.most, rows.exploreFoot - rows.exploreTop)
  const from = lane === EXPLORE ? top + NAME_ROW : top
  const to = lane === EXPLORE ? rows.exploreFoot - tall : rows.actTop + tall
  ctx.fillStyle = palette.line
  ctx.fillRect(Math.round(boxX), Math.min(from, to), 1, Math.abs(to - from))
}

import { drawBars, type Sheet } from './surface'
import { lightOf, type Departure } from '../view/duel'
import type { DuelNeed } from '../ipc/generated/DuelNeed'

/** The least width of a bar, pixels: of longer sessions several turns share one. */
const BAR = 3
/** Room for the arcs above the bars, pixels. */
const ARCS = 26

/** One side of a duel at one moment. */
export interface DuelPicture {
  cameIn: readonly number[]
  /** The lane of each turn's content, as in the graph. */
  lanes: readonly number[]
  left: readonly number[]
  departures: readonly Departure[]
  needs: readonly DuelNeed[]
  /** The turn, with a fraction while it plays. */
  now: number
  /** True if lights do not fade. */
  still: boolean
}

/** A bar: the content of one turn, or of several that share its place. */
export interface DuelBar {
  lane: number
  cameIn: number
  left: number
  /** How strongly it is lit because it leaves, and because it is needed again, 0 to 1. */
  leaves: number
  needed: number
}

/** How many turns share a bar in a picture of that width. */
export const turnsOfBar = (nTurns: number, width: number): number =>
  Math.max(1, Math.ceil((nTurns * BAR) / Math.max(1, width)))

/** The bars of a side up to the moment; each is lit by what leaves it, or is needed of it, just then. */
export function barsOfDuel(picture: DuelPicture, width: number): DuelBar[] {
  const { cameIn, lanes, left, now, still } = picture
  const nTurns = cameIn.length
  const share = turnsOfBar(nTurns, width)
  const bars: DuelBar[] = []
  const largest: number[] = []
  for (let at = 0; at < Math.min(nTurns, Math.floor(now)); at += 1) {
    const place = Math.floor(at / share)
    const bar = (bars[place] ??= { lane: 0, cameIn: 0, left: 0, leaves: 0, needed: 0 })
    const tokens = cameIn[at] ?? 0
    bar.cameIn += tokens
    bar.left += left[at] ?? 0
    if (tokens >= (largest[place] ?? 0)) {
      largest[place] = tokens
      bar.lane = lanes[at] ?? 0
    }
  }
  const barOf = (origin: number) => bars[Math.floor((origin - 1) / share)]
  for (const { turn, origin } of picture.departures) {
    const bar = barOf(origin)
    if (bar) bar.leaves = Math.max(bar.leaves, lightOf(turn, now, nTurns, still))
  }
  for (const { turn, origins } of picture.needs) {
    const light = lightOf(turn, now, nTurns, still)
    for (const origin of light > 0 ? origins : []) {
      const bar = barOf(origin)
      if (bar) bar.needed = Math.max(bar.needed, light)
    }
  }
  return bars
}

/** Draws a side: all content as bars, what is left of it filled, what leaves and what is needed again lit, the playhead. */
export function drawDuel(sheet: Sheet, picture: DuelPicture): void {
  const { ctx, width, height, palette } = sheet
  const nTurns = picture.cameIn.length
  const share = turnsOfBar(nTurns, width)
  const wide = (width * share) / Math.max(1, nTurns)
  const bars = barsOfDuel(picture, width)
  const room = height - ARCS
  const most = mostOf(picture.cameIn, share)
  const tall = (tokens: number) => (most > 0 ? room * Math.sqrt(tokens / most) : 0)
  const gap = wide > 5 ? 1 : 0
  ctx.fillStyle = palette.line
  ctx.fillRect(0, height - 1, width, 1)
  drawBars(sheet, 0, height, (fill) =>
    bars.forEach((bar, at) => {
      const tones = palette.lanes[bar.lane]
      if (!tones || bar.cameIn === 0) return
      const [x, all, kept] = [at * wide, tall(bar.cameIn), tall(bar.left)]
      fill(x, height - all, wide - gap, all, tones.ghost)
      if (kept > 0.4) fill(x, height - kept, wide - gap, kept, tones.solid)
      if (bar.leaves > 0) fill(x, height - all, wide - gap, all, palette.warn, bar.leaves)
      if (bar.needed > 0) fill(x, height - all, wide - gap, all, palette.error, bar.needed)
    }),
  )
  const head = Math.min(width - 1, ((picture.now - 1) / Math.max(1, nTurns - 1)) * width)
  bars.forEach((bar, at) => {
    if (bar.needed > 0) drawArc(sheet, head, (at + 0.5) * wide, height - tall(bar.cameIn), bar.needed)
  })
  ctx.fillStyle = palette.selection
  ctx.fillRect(Math.round(head) - 1, 0, 2, height)
}

/** The content of the fullest bar. */
function mostOf(cameIn: readonly number[], share: number): number {
  let most = 0
  for (let from = 0; from < cameIn.length; from += share)
    most = Math.max(
      most,
      cameIn.slice(from, from + share).reduce((sum, tokens) => sum + tokens, 0),
    )
  return most
}

/** A line from the moment back to the content that it needs. */
function drawArc(sheet: Sheet, from: number, to: number, top: number, light: number): void {
  const { ctx, palette } = sheet
  ctx.globalAlpha = light
  ctx.strokeStyle = palette.error
  ctx.fillStyle = palette.error
  ctx.lineWidth = 2
  ctx.beginPath()
  ctx.moveTo(from, 2)
  ctx.lineTo(to, 2)
  ctx.lineTo(to, Math.max(2, top - 6))
  ctx.stroke()
  ctx.beginPath()
  ctx.moveTo(to - 4, top - 7)
  ctx.lineTo(to + 4, top - 7)
  ctx.lineTo(to, top - 1)
  ctx.fill()
  ctx.globalAlpha = 1
}

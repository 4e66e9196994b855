import type { Pen } from './pen'
import type { Palette } from './palette'
import { FONT } from './surface'

/** The room of a mark with a count beside it, pixels. */
const COUNTED_PX = 28
/** A larger count is not written out. */
const MOST = 99

/** Marks that stand in one place: a single one, or several with their count. */
export interface Crowd {
  /** Where the first of them stands, pixels. */
  x: number
  /** The place of the first of them in the list. */
  first: number
  n: number
}

/**
 * Gathers marks that would touch, by their places from left to right. They are gathered from the first one on, in view or
 * not, so that panning moves crowds and does not change them; those out of view are left out of the answer.
 */
export function crowdsOf(places: Iterable<number>, apart: number, width: number): Crowd[] {
  const crowds: Crowd[] = []
  let last: Crowd | undefined
  let place = -1
  for (const x of places) {
    place += 1
    if (x > width + apart) break
    if (last && x - last.x < (last.n > 1 ? COUNTED_PX : apart)) {
      last.n += 1
      continue
    }
    last = { x, first: place, n: 1 }
    crowds.push(last)
  }
  return crowds.filter(({ x, n }) => x >= (n > 1 ? -COUNTED_PX : -apart))
}

/** Writes the count of a crowd beside its mark, which reaches `reach` pixels to the right of `x`. */
export function drawCount(ctx: Pen, palette: Palette, { x, n }: Crowd, y: number, reach: number): void {
  if (n < 2) return
  const said = n > MOST ? `${MOST}+` : String(n)
  ctx.save()
  ctx.font = `600 10px ${FONT}`
  ctx.textAlign = 'left'
  ctx.textBaseline = 'middle'
  const wide = ctx.measureText(said).width
  ctx.globalAlpha = 0.8
  ctx.fillStyle = palette.bg
  ctx.beginPath()
  ctx.roundRect(x + reach, y - 6, wide + 4, 12, 3)
  ctx.fill()
  ctx.globalAlpha = 1
  ctx.fillStyle = palette.text
  ctx.fillText(said, x + reach + 2, y + 0.5)
  ctx.restore()
}

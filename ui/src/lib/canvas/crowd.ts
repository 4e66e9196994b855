import type { Pen } from './pen'
import { stampAt } from './stamps'
import { FONT, Widths, type Sheet } from './surface'

/** The part of a sheet that marks need. */
export type Marked = Pick<Sheet, 'ctx' | 'palette' | 'stamp'>

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
export function drawCount(sheet: Marked, { x, n }: Crowd, y: number, reach: number): void {
  if (n < 2) return
  const { ctx, palette } = sheet
  const said = n > MOST ? `${MOST}+` : String(n)
  const wide = widths.of(ctx, COUNT_FONT, said) + 4
  const draw = (pen: Pen) => {
    pen.font = COUNT_FONT
    pen.textAlign = 'left'
    pen.textBaseline = 'middle'
    pen.globalAlpha = 0.8
    pen.fillStyle = palette.bg
    pen.beginPath()
    pen.roundRect(0, -6, wide, 12, 3)
    pen.fill()
    pen.globalAlpha = 1
    pen.fillStyle = palette.text
    pen.fillText(said, 2, 0.5)
  }
  stampAt(sheet, { key: `count ${said}`, left: 0, right: wide, up: 6, down: 6, draw }, x + reach, y)
}

const COUNT_FONT = `600 10px ${FONT}`
const widths = new Widths()

import type { CSSProperties } from 'react'

const SHAPES = [
  'M6 1.4a4.6 4.6 0 1 0 0 9.2a4.6 4.6 0 1 0 0-9.2Z',
  'M2 2h8v8H2Z',
  'M6 1.2 11 10.4H1Z',
  'M6 0.6 11.4 6 6 11.4 0.6 6Z',
  'M6 10.8 1 1.6h10Z',
  'M4.2 1h3.6v3.2H11v3.6H7.8V11H4.2V7.8H1V4.2h3.2Z',
  'M3.4 1.2h5.2L11.4 6 8.6 10.8H3.4L0.6 6Z',
  'M1.2 6 6 1.2V4.4h4.8v3.2H6v3.2Z',
]
const N_COLOURS = 8

/**
 * The shape of a policy in the picture, drawn around (6, 6) in a box of 12. Shape and colour together tell policies apart: after
 * as many as there are colours the same colours come with other shapes.
 */
export const shapeOf = (column: number): string =>
  SHAPES[(column + Math.floor(column / N_COLOURS)) % SHAPES.length] ?? ''

/** The style that gives a policy its colour. */
export const ownColour = (column: number): CSSProperties =>
  ({ '--own': `var(--column-${column % N_COLOURS})` }) as CSSProperties

/** The mark of a column of the comparison. */
export function Mark({ column, size = 12 }: { column: number; size?: number }) {
  return (
    <svg
      className="flex-none mark"
      style={ownColour(column)}
      width={size}
      height={size}
      viewBox="0 0 12 12"
      aria-hidden="true"
    >
      <path d={shapeOf(column)} />
    </svg>
  )
}

const SHAPES = [
  'M6 1.4a4.6 4.6 0 1 0 0 9.2a4.6 4.6 0 1 0 0-9.2Z',
  'M2 2h8v8H2Z',
  'M6 1.2 11 10.4H1Z',
  'M6 0.6 11.4 6 6 11.4 0.6 6Z',
]

/** The shape of a column, drawn around (6, 6) in a box of 12: shape and colour, so that neither is alone. */
export const shapeOf = (column: number): string => SHAPES[column % SHAPES.length] ?? ''

/** The mark of a column of the comparison. */
export function Mark({ column, size = 12 }: { column: number; size?: number }) {
  return (
    <svg
      className={`mark column-${column}`}
      width={size}
      height={size}
      viewBox="0 0 12 12"
      aria-hidden="true"
    >
      <path d={shapeOf(column)} />
    </svg>
  )
}

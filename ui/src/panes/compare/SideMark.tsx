import type { Side } from '../../lib/view/sweep'

const SHAPES: Record<Side | 'rest', string> = {
  cwl: 'M6 1.4a4.6 4.6 0 1 0 0 9.2a4.6 4.6 0 1 0 0-9.2Z',
  others: 'M6 0.6 11.4 6 6 11.4 0.6 6Z',
  rest: 'M6 3.6a2.4 2.4 0 1 0 0 4.8a2.4 2.4 0 1 0 0-4.8Z',
}

/** The shape of a setting in the chart, around (6, 6) in a box of 12: by the side whose line it is on. */
export const shapeOfSide = (side: Side | null): string => SHAPES[side ?? 'rest']

/** The mark of a side of the verdict; `null` for a setting that another of its side beats. */
export function SideMark({ side, size = 11 }: { side: Side | null; size?: number }) {
  return (
    <svg
      className={`flex-none mark side-${side ?? 'rest'}`}
      width={size}
      height={size}
      viewBox="0 0 12 12"
      aria-hidden="true"
    >
      <path d={shapeOfSide(side)} />
    </svg>
  )
}

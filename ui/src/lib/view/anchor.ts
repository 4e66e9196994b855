/** A row that is to stay where it is: its place, and how far below the upper edge of the view it begins, pixels. */
export interface Anchor {
  index: number
  below: number
}

/** A row that is laid out: its place, and where it begins and ends below the upper edge of the view, pixels. */
export interface LaidOut {
  index: number
  top: number
  bottom: number
}

/** How far the list is to be scrolled so that the anchor is where it was, when its row begins at `start`. */
export const scrollFor = (anchor: Anchor, start: number): number =>
  Math.max(0, Math.round(start - anchor.below))

/** Where a row has to begin so that all of it shows; where it is when it does, or when it is too tall. */
export function intoView(row: LaidOut, height: number, margin = 8): number {
  if (row.top < 0) return margin
  if (row.bottom <= height) return row.top
  return Math.max(margin, row.top - (row.bottom - height) - margin)
}

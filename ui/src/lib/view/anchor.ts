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

/** How far a list is scrolled, how tall all of it is, and how much of it shows, pixels. */
export interface Scrolled {
  scrollTop: number
  scrollHeight: number
  clientHeight: number
}

/**
 * True where a scroll event tells of what the list itself put there (`put`), which engines do late and more than once,
 * or of a list that has become too short for it.
 */
export function isOurs(put: number | null, { scrollTop, scrollHeight, clientHeight }: Scrolled): boolean {
  if (put === null) return false
  const end = scrollHeight - clientHeight
  return Math.abs(scrollTop - put) <= 1 || (put > end && scrollTop >= end - 1)
}

/**
 * True when a list was scrolled since it stood at `seenAt` and the browser has not told it yet: the rows that were in
 * view are not those that the person wants to see. A list that became shorter moves up to its new end, and that is no
 * scrolling; nor is a move by up to `own` pixels, which the list itself makes.
 */
export function isUntold(seenAt: number, own: number, { scrollTop, scrollHeight, clientHeight }: Scrolled) {
  const isCutShort = scrollTop < seenAt && scrollTop >= scrollHeight - clientHeight - 1
  return Math.abs(scrollTop - seenAt) > own && !isCutShort
}

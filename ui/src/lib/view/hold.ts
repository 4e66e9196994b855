/** A line of a list that is in view, and how far below the upper edge it begins, pixels. */
export interface InView {
  key: string
  top: number
}

/** Tells whether lines came, went or moved, apart from lines that were only folded below one that stays. */
export type ListChange = 'moved' | 'folded'

/**
 * How far a list is to be scrolled, pixels, so that the lines in view stay where they are after it changed.
 *
 * `topOf` says how far below the upper edge a line would be now. One line that was in view may have moved on its own,
 * so most of them decide; what is folded out pushes only what is below it, so there the uppermost line decides.
 */
export function holdPlace(
  inView: readonly InView[],
  topOf: (key: string) => number | undefined,
  change: ListChange,
): number {
  const moves = inView.flatMap(({ key, top }) => {
    const now = topOf(key)
    return now === undefined ? [] : [now - top]
  })
  if (change === 'folded') return moves[0] ?? 0
  return moves.sort((a, b) => a - b)[Math.floor(moves.length / 2)] ?? 0
}

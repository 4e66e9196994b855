/** The five levels, in order; names are the engine's. */
export const LEVELS = [
  'intact',
  'reasoning stripped',
  'bulk stripped',
  'intermediate stripped',
  'removed',
] as const

export const levelName = (level: number): string => LEVELS[level] ?? `level ${level}`

/** How many episodes stand at each level; those that have not begun at `turn` are apart. */
export function countLevels(
  levels: Uint8Array,
  episodes: readonly { first_turn: number }[],
  turn: number,
): { at: number[]; ahead: number } {
  const at = [0, 0, 0, 0, 0]
  let ahead = 0
  episodes.forEach((episode, idx) => {
    if (episode.first_turn > turn) ahead += 1
    else {
      const level = Math.min(4, levels[idx] ?? 0)
      at[level] = (at[level] ?? 0) + 1
    }
  })
  return { at, ahead }
}

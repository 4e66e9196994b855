import { text } from '../text'

/** The five levels, in order. */
export const LEVELS = text.levels.names

export const levelName = (level: number): string => LEVELS[level] ?? text.levels.other(level)

/** The name of a level; policies that do not go by levels may leave an episode at level 0 and take a part of it. */
export const stateName = (level: number, left: number, tokens: number): string =>
  level === 0 && left < tokens ? text.levels.inPart : levelName(level)

/** How many episodes stand at each level; those that have not begun at `turn` are apart. */
export function countLevels(
  levels: ArrayLike<number>,
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

/** How many of the episodes that stand at level 0 have lost a part all the same. */
export function partly(
  levels: ArrayLike<number>,
  left: ArrayLike<number>,
  episodes: readonly { first_turn: number; tokens: number }[],
  turn: number,
): number {
  const lost = (idx: number, tokens: number) => levels[idx] === 0 && (left[idx] ?? tokens) < tokens
  return episodes.filter(({ first_turn, tokens }, idx) => first_turn <= turn && lost(idx, tokens)).length
}

import type { EpisodeKind } from '../ipc/generated/EpisodeKind'
import type { GraphAnswer } from '../ipc/generated/GraphAnswer'
import type { Links } from './edges'
import { leftOf } from './lanes'

export type Column = 'name' | 'kind' | 'level' | 'kept' | 'tokens' | 'turns' | 'links' | 'again' | 'problems'

/** One episode as the table shows it. */
export interface EpisodeRow {
  idx: number
  name: string
  kind: EpisodeKind
  level: number
  kept: number
  tokens: number
  first: number
  last: number
  open: boolean
  needs: number
  feeds: number
  /** How many of its blocks were read again after their eviction. */
  again: number
  problems: number
}

export function episodeRows(
  graph: GraphAnswer,
  links: Links,
  levels: ArrayLike<number>,
  left: ArrayLike<number>,
  reacquisitions: ReadonlyMap<number, { n_blocks: number }>,
): EpisodeRow[] {
  return graph.episodes.map((episode, idx) => {
    const level = Math.min(4, levels[idx] ?? 0)
    return {
      idx,
      name: episode.name,
      kind: episode.kind,
      level,
      kept: leftOf(episode, level, left[idx]),
      tokens: episode.tokens,
      first: episode.first_turn,
      last: episode.last_turn,
      open: episode.open,
      needs: links.needs[idx]?.length ?? 0,
      feeds: links.feeds[idx]?.length ?? 0,
      again: reacquisitions.get(idx)?.n_blocks ?? 0,
      problems: episode.problems.length,
    }
  })
}

const KEY: Record<Column, (row: EpisodeRow) => number | string> = {
  name: (row) => row.name.toLowerCase(),
  kind: (row) => row.kind,
  level: (row) => row.level,
  kept: (row) => row.kept,
  tokens: (row) => row.tokens,
  turns: (row) => row.idx,
  links: (row) => row.needs + row.feeds,
  again: (row) => row.again,
  problems: (row) => row.problems,
}

/** Sorts by a column; equal rows keep the order of the graph. */
export function sortRows(rows: readonly EpisodeRow[], column: Column, down: boolean): EpisodeRow[] {
  const key = KEY[column]
  const sign = down ? -1 : 1
  return [...rows].sort((a, b) => {
    const [x, y] = [key(a), key(b)]
    return x < y ? -sign : x > y ? sign : a.idx - b.idx
  })
}

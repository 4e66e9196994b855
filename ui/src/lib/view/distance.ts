import type { GraphAnswer } from '../ipc/generated/GraphAnswer'
import { implicitOf, type Links } from './edges'

/** The distances from which the graph is seen, the farthest first. */
export const DISTANCES = ['session', 'neighbourhood', 'episode'] as const
export type Distance = (typeof DISTANCES)[number]

/** Returns the next distance, nearer or farther; the same one where there is no more. */
export function distanceBeside(distance: Distance, direction: 1 | -1): Distance {
  return DISTANCES[DISTANCES.indexOf(distance) + direction] ?? distance
}

/** Reads a distance from a link; `session` where it names none. */
export const parseDistance = (text: string | null): Distance =>
  DISTANCES.find((distance) => distance === text) ?? 'session'

/** An episode beside the chosen one. */
export interface Neighbour {
  idx: number
  /** True where no act declares the dependency. */
  isImplicit: boolean
}

/** The episodes to which the chosen one has an edge, each side in the order of time. */
export interface Neighbourhood {
  /** The episodes that it draws on. */
  sources: Neighbour[]
  /** The episodes that draw on it. */
  users: Neighbour[]
}

/** Lists what an episode draws on and what draws on it, declared edges before the others. */
export function neighbourhoodOf(graph: GraphAnswer, links: Links, idx: number): Neighbourhood {
  const declared = (list: readonly number[] | undefined) =>
    [...new Set(list)].sort((a, b) => a - b).map((idx) => ({ idx, isImplicit: false }))
  const implicit = implicitOf(graph, idx)
  return {
    sources: [
      ...declared(links.needs[idx]),
      ...implicit.flatMap(([from, to]) => (to === idx ? [{ idx: from, isImplicit: true }] : [])),
    ],
    users: [
      ...declared(links.feeds[idx]),
      ...implicit.flatMap(([from, to]) => (from === idx ? [{ idx: to, isImplicit: true }] : [])),
    ],
  }
}

/** The edge by which the chosen episode was reached, so that its siblings are known. */
export interface Reached {
  from: number
  by: keyof Neighbourhood
}

/**
 * Walks along edges by keys: left to what the episode draws on, right to what draws on it, up and down among those that share
 * the edge's other end. Returns the next episode and how it was reached; `null` where the key leads nowhere.
 */
export function walkNear(
  hoodOf: (idx: number) => Neighbourhood,
  at: number,
  reached: Reached | null,
  key: string,
): { idx: number; reached: Reached } | null {
  const along = (by: keyof Neighbourhood, neighbour: Neighbour | undefined) =>
    neighbour ? { idx: neighbour.idx, reached: { from: at, by } } : null
  if (key === 'ArrowLeft')
    return along('sources', hoodOf(at).sources.filter(isDeclared).at(-1) ?? hoodOf(at).sources.at(-1))
  if (key === 'ArrowRight') return along('users', hoodOf(at).users[0])
  if ((key !== 'ArrowUp' && key !== 'ArrowDown') || reached === null) return null
  const siblings = hoodOf(reached.from)[reached.by]
  const place = siblings.findIndex(({ idx }) => idx === at)
  const next = place < 0 ? undefined : siblings[place + (key === 'ArrowUp' ? -1 : 1)]
  return next ? { idx: next.idx, reached } : null
}

const isDeclared = ({ isImplicit }: Neighbour) => !isImplicit

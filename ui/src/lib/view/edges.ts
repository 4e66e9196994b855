import type { GraphAnswer } from '../ipc/generated/GraphAnswer'

/** The needs and feeds of each episode, by its place in the graph. */
export interface Links {
  /** Explorations that an act declared. */
  needs: number[][]
  /** Acts that declared an exploration. */
  feeds: number[][]
}

export function linksOf(graph: GraphAnswer): Links {
  const needs: number[][] = graph.episodes.map(() => [])
  const feeds: number[][] = graph.episodes.map(() => [])
  for (const [from, to] of graph.edges) {
    if (!feeds[from] || !needs[to]) continue
    feeds[from].push(to)
    needs[to].push(from)
  }
  return { needs, feeds }
}

/** Lists the edges of an episode that no act declares, from stretch to act. The graph has the acts of a stretch as a range. */
export function implicitOf(graph: GraphAnswer, idx: number): [number, number][] {
  const isAct = (at: number) => graph.episodes[at]?.kind === 'act'
  return graph.implicit.flatMap(([stretch, first, last]): [number, number][] => {
    if (stretch !== idx) return isAct(idx) && first <= idx && idx <= last ? [[stretch, idx]] : []
    const range = Array.from({ length: last - first + 1 }, (_, at) => first + at)
    return range.filter(isAct).map((act) => [stretch, act])
  })
}

/** Walks the graph by keys: left and right in time, up to what is needed, down to what it feeds. */
export function walk(graph: GraphAnswer, links: Links, from: number | null, key: string): number | null {
  const last = graph.episodes.length - 1
  if (last < 0) return null
  if (key === 'Home') return 0
  if (key === 'End') return last
  if (from === null) return /^(Arrow|Page)/.test(key) ? last : null
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, from - 1)
    case 'ArrowRight':
      return Math.min(last, from + 1)
    case 'ArrowUp':
      return links.needs[from]?.at(-1) ?? from
    case 'ArrowDown':
      return links.feeds[from]?.[0] ?? from
    case 'PageUp':
      return Math.max(0, from - PAGE)
    case 'PageDown':
      return Math.min(last, from + PAGE)
    default:
      return null
  }
}

/** How far PageUp and PageDown go, episodes. */
const PAGE = 10

/**
 * The episode that is meant by the beginning of a name: the next one that begins so, or else has a word that does. More
 * letters of the same word may stay where they are; the same letter alone goes on to the next.
 */
export function named(graph: GraphAnswer, from: number | null, typed: string): number | null {
  const wanted = typed.toLowerCase()
  const n = graph.episodes.length
  if (wanted === '' || n === 0) return null
  const start = (from ?? -1) + (wanted.length === 1 ? 1 : 0)
  const fits = [
    (name: string) => name.startsWith(wanted),
    (name: string) => name.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(wanted)),
  ]
  for (const fit of fits) {
    for (let step = 0; step < n; step += 1) {
      const idx = (Math.max(0, start) + step) % n
      if (fit(graph.episodes[idx]?.name.toLowerCase() ?? '')) return idx
    }
  }
  return null
}

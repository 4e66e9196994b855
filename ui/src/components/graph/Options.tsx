import { memo } from 'react'

import type { GraphAnswer } from '../../lib/ipc/generated/GraphAnswer'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { leftOf } from '../../lib/view/lanes'
import { stateName } from '../../lib/view/levels'

/** How many episodes around the focus stand in the accessibility tree; the Episodes table has them all. */
const AROUND = 25

interface Props {
  graph: GraphAnswer | null
  levels: ArrayLike<number>
  left: ArrayLike<number>
  centre: number | null
  selected: number | null
}

/** The episodes around the focus as options of the canvas, for those who cannot see it. */
export const Options = memo(function Options({ graph, levels, left, centre, selected }: Props) {
  const episodes = graph?.episodes ?? []
  const middle = centre ?? episodes.length - 1
  const from = Math.max(0, Math.min(middle - AROUND, episodes.length - 2 * AROUND))
  return episodes.slice(from, from + 2 * AROUND).map((episode, at) => {
    const idx = from + at
    const level = levels[idx] ?? 0
    const kept = leftOf(episode, level, left[idx])
    return (
      <div
        key={idx}
        id={`episode-${idx}`}
        role="option"
        aria-selected={idx === selected}
        aria-posinset={idx + 1}
        aria-setsize={episodes.length}
        aria-label={text.graph.option(
          episode.name,
          text.kind[episode.kind],
          episode.source === 'declared' ? null : text.annotation.word[episode.source],
          level,
          stateName(level, kept, episode.tokens),
          count(kept),
          count(episode.tokens),
        )}
        data-episode={episode.name}
        data-kind={episode.kind}
        data-level={level}
      />
    )
  })
})

/** The graph's numbers as data of the page. */
export function graphData(graph: GraphAnswer | null) {
  if (!graph) return {}
  return {
    'data-revision': graph.revision,
    'data-source': graph.from.source,
    'data-turns': graph.n_turns,
    'data-episodes': graph.episodes.length,
  }
}

/** All episodes as they are drawn. */
export function drawnEpisodes(graph: GraphAnswer | null, levels: ArrayLike<number>) {
  return {
    names: graph?.episodes.map((episode) => episode.name) ?? [],
    kinds: graph?.episodes.map((episode) => episode.kind) ?? [],
    edges: graph?.edges ?? [],
    levels: Array.from(levels),
  }
}

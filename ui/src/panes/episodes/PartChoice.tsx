import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { count } from '../../lib/view/format'
import { pane } from './pane'
import type { EpisodesPart } from './state'
import { words } from './words'

const PARTS: readonly EpisodesPart[] = ['all', 'blame']

/** Chooses what the Episodes tab shows. */
export function PartChoice() {
  const app = useApp()
  const shown = useStore(app.stateOf(pane).store, (view) => view.part)
  const nAgain = useStore(app.reacquisitions.store, () => app.reacquisitions.nStories)
  return (
    <div className="segments flex-wrap" role="group" aria-label={words.partsLabel}>
      {PARTS.map((part) => (
        <button
          key={part}
          type="button"
          aria-pressed={part === shown}
          className="segment"
          data-testid={`episodes-${part}`}
          onClick={() => app.stateOf(pane).show(part)}
        >
          {words.parts[part]}
          {part === 'blame' && nAgain > 0 && <span className="muted"> {count(nAgain)}</span>}
        </button>
      ))}
    </div>
  )
}

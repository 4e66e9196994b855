import type { EpisodeNode } from '../../lib/ipc/generated/EpisodeNode'
import { levelName } from '../../lib/view/levels'
import { Ball } from '../shared/Ball'

interface Props {
  episode: Pick<EpisodeNode, 'kind' | 'name'>
  level: number
  onSelect: () => void
}

/** An episode by its name, kind and level, as a button that selects it. */
export function EpisodeChip({ episode, level, onSelect }: Props) {
  return (
    <button type="button" className={`chip ${episode.kind}`} title={episode.name} onClick={onSelect}>
      <Ball level={level} size={10} label={levelName(level)} /> <span className="clip">{episode.name}</span>
    </button>
  )
}

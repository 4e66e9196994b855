import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { BlameBoard } from './BlameBoard'
import { EpisodeTable } from './EpisodeTable'
import { pane } from './pane'

/** The Episodes tab: all episodes as a table, or the blame board. */
export function EpisodesPane() {
  const app = useApp()
  const part = useStore(app.stateOf(pane).store, (view) => view.part)
  return part === 'blame' ? <BlameBoard /> : <EpisodeTable />
}

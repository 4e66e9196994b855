import { createStore } from '../../lib/state/store'

/** A part of the Episodes tab: all episodes, or those that made the agent read something again. */
export type EpisodesPart = 'all' | 'blame'

/** Keeps which part of the Episodes tab is open. */
export class EpisodesView {
  readonly store = createStore<{ part: EpisodesPart }>({ part: 'all' })

  show(part: EpisodesPart): void {
    this.store.set({ part })
  }
}

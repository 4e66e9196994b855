import { open } from '../../lib/state/command'
import type { Pane } from '../pane'
import { EpisodesView } from './state'
import { words } from './words'

export const pane: Pane<EpisodesView> = {
  title: words.tab,
  makeState: () => new EpisodesView(),
  commands: [
    open('episodes.blame', 'panes', [], words.openBlame, (app) => {
      app.stateOf(pane).show('blame')
      app.setTab('episodes')
    }),
  ],
  load: () => import('./EpisodesPane').then(({ EpisodesPane }) => ({ default: EpisodesPane })),
}

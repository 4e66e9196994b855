import { isOpen, open } from '../../lib/state/command'
import { useStore } from '../../lib/state/store'
import { Stories } from './state'
import type { Pane } from '../pane'
import { words } from './words'

export const pane: Pane<Stories> = {
  title: words.tab,
  makeState: (host, bench) => new Stories(host, bench),
  useCount: (app) => useStore(app.reacquisitions.store, () => app.reacquisitions.nStories),
  commands: [
    {
      ...open('reacquisition.here', 'panes', ['r', 'R'], words.here, (app) =>
        app.navigation.showStory(app.storyHere()),
      ),
      when: (app) => isOpen(app) && app.reacquisitions.nStories > 0,
    },
  ],
  load: () => import('./StoriesPane').then(({ StoriesPane }) => ({ default: StoriesPane })),
}

import { open } from '../../lib/state/command'
import type { Pane } from '../pane'
import { words } from './words'

export const pane: Pane = {
  title: words.tab,
  commands: [
    {
      ...open('change.next', 'panes', ['n'], words.nextCommand, (app) => app.reading.change(1)),
      when: (app) => app.reading.hasChanges,
    },
    {
      ...open('change.previous', 'panes', ['N'], words.previousCommand, (app) => app.reading.change(-1)),
      when: (app) => app.reading.hasChanges,
    },
  ],
  load: () => import('./DiffPane').then(({ DiffPane }) => ({ default: DiffPane })),
}

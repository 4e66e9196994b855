import { needing, open } from '../../lib/state/command'
import type { Pane } from '../pane'
import { words } from './words'

export const pane: Pane = {
  title: words.tab,
  isThere: (app) => app.can('page'),
  commands: [
    needing(
      'context_text',
      open('context.copy', 'panes', ['C'], words.copyAll, (app) => void app.reading.copyAll()),
    ),
  ],
  load: () => import('./ContextPane').then(({ ContextPane }) => ({ default: ContextPane })),
}

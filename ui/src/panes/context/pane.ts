import { open } from '../../lib/state/command'
import type { Pane } from '../pane'
import { words } from './words'

export const pane: Pane = {
  title: words.tab,
  commands: [open('context.copy', 'panes', ['C'], words.copyAll, (app) => void app.reading.copyAll())],
  load: () => import('./ContextPane').then(({ ContextPane }) => ({ default: ContextPane })),
}

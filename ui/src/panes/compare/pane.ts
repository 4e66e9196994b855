import { needing, open } from '../../lib/state/command'
import type { Pane } from '../pane'
import { words } from './words'

export const pane: Pane = {
  title: words.tab,
  commands: [
    needing(
      (app) => app.beside.canAsk,
      open('session.beside', 'session', [], words.withAnother, (app) => app.compareWithAnother()),
    ),
    open('compare.cost', 'policy', [], words.cost, (app) => {
      app.comparison.setPart('sweep')
      app.setTab('compare')
    }),
  ],
  load: () => import('./ComparePane').then(({ ComparePane }) => ({ default: ComparePane })),
}

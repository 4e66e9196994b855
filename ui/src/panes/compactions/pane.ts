import { Compactions } from './state'
import type { Pane } from '../pane'
import { words } from './words'

export const pane: Pane<Compactions> = {
  title: words.tab,
  makeState: (host, bench) => new Compactions(host, bench),
  load: () => import('./CompactionsPane').then(({ CompactionsPane }) => ({ default: CompactionsPane })),
}

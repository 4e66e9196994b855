import type { Pane } from '../pane'
import { words } from './words'

export const pane: Pane = {
  title: words.tab,
  load: () => import('./EvictedPane').then(({ EvictedPane }) => ({ default: EvictedPane })),
}

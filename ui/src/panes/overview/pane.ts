import type { Pane } from '../pane'
import { Overview } from './state'
import { words } from './words'

export const pane: Pane<Overview> = {
  title: words.tab,
  keys: ['u', 'U'],
  makeState: (host, bench) => new Overview(host, bench),
  load: () => import('./OverviewPane').then(({ OverviewPane }) => ({ default: OverviewPane })),
}

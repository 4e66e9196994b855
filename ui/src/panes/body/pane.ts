import { Captured } from './captured'
import { RequestBody } from './rebuilt'
import type { Pane } from '../pane'
import { words } from './words'

export const pane: Pane<{ rebuilt: RequestBody; captured: Captured }> = {
  title: words.tab,
  makeState: (host, bench) => ({
    rebuilt: new RequestBody(host, bench),
    captured: new Captured(host, bench),
  }),
  load: () => import('./BodyPane').then(({ BodyPane }) => ({ default: BodyPane })),
}

import { isOpen, open } from '../../lib/state/command'
import { useStore } from '../../lib/state/store'
import { Lint } from './lint'
import type { Pane } from '../pane'
import { words } from './words'

export const pane: Pane<Lint> = {
  title: words.tab,
  makeState: (host, bench) => new Lint(host, bench),
  useCount: (app) => useStore(app.bench.store, (bench) => bench.session?.problems.length ?? 0),
  commands: [
    {
      ...open('findings.here', 'panes', ['q', 'Q'], words.here, (app) => {
        const { selected } = app.bench.bench
        if (selected !== null) app.navigation.showFindings(selected)
      }),
      when: (app) => isOpen(app) && app.hasFindingsHere,
    },
  ],
  load: () => import('./ProblemList').then(({ ProblemList }) => ({ default: ProblemList })),
}

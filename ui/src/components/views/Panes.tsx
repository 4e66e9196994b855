import { Tabs } from '@base-ui/react/tabs'

import { useApp } from '../../lib/state/app'
import { TABS, hasTab, type Tab } from '../../lib/state/panes'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { CompactionsPane } from '../compactions/CompactionsPane'
import { ComparePane } from '../compare/ComparePane'
import { BodyPane } from '../context/BodyPane'
import { ContextPane } from '../context/ContextPane'
import { DiffPane } from '../context/DiffPane'
import { EvictedPane } from '../context/EvictedPane'
import { EpisodeTable } from '../episode/EpisodeTable'
import { ProblemList } from '../episode/ProblemList'
import { Legend } from '../graph/Legend'
import { OverviewPane } from '../overview/OverviewPane'
import { StoriesPane } from '../regrets/StoriesPane'
import { Guard } from './Guard'

const PANE: Record<Tab, () => React.ReactNode> = {
  overview: OverviewPane,
  context: ContextPane,
  evicted: EvictedPane,
  diff: DiffPane,
  body: BodyPane,
  episodes: EpisodeTable,
  problems: ProblemList,
  compare: ComparePane,
  compactions: CompactionsPane,
  regrets: StoriesPane,
}

/** The tabs below the bar of steps, with the legend in their line, and the episode pane beside what they show or under it. */
export function Panes({ side, children }: { side: 'right' | 'below'; children: React.ReactNode }) {
  const app = useApp()
  const tab = useStore(app.panes, (panes) => panes.tab)
  const session = useStore(app.bench.store, (bench) => bench.session?.session)
  const tabs = TABS.filter((name) => hasTab(app, name))
  const nStories = useStore(app.regrets.store, () => app.regrets.nStories)
  const nProblems = useStore(app.bench.store, (bench) => bench.session?.problems.length ?? 0)
  return (
    <Tabs.Root className="panes fill-stack" value={tab} onValueChange={(next) => app.setTab(next as Tab)}>
      <div className="tabs-line flex flex-none bg-panel border-b min-h-35">
        <Tabs.List className="tabs flex flex-wrap px-8 flex-shrinks" aria-label={text.tabs.label}>
          {tabs.map((name) => (
            <Tabs.Tab
              key={name}
              value={name}
              className="tab inline-row gap-6 muted bg-none border-0 nowrap cursor-default px-12 hover-text min-h-31"
              data-testid={`tab-${name}`}
            >
              {text.tabs[name]}
              {name === 'regrets' && nStories > 0 && <span className="badge">{count(nStories)}</span>}
              {name === 'problems' && nProblems > 0 && <span className="badge">{nProblems}</span>}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Legend />
      </div>
      <div className={`flex grow min-w-0 min-h-0 panes-body ${side}`}>
        {tabs.map((name) => {
          const Pane = PANE[name]
          return (
            <Tabs.Panel key={name} value={name} className="panel">
              <Guard of={session}>
                <Pane />
              </Guard>
            </Tabs.Panel>
          )
        })}
        {children}
      </div>
    </Tabs.Root>
  )
}

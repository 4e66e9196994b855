import { Tabs } from '@base-ui/react/tabs'
import { Suspense, lazy, useEffect, type ComponentType } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { PANES, TABS, type Tab } from '../../panes'
import type { Pane } from '../../panes/pane'
import { Guard } from './Guard'

/** How long after the first paint the panes that do not show are loaded, milliseconds. */
const LATER_MS = 800

const VIEWS = new Map<Tab, ComponentType>(TABS.map((tab) => [tab, lazy(PANES[tab].load)]))

/** The tabs below the bar of steps, and the episode pane beside what they show or under it. */
export function Panes({ side, children }: { side: 'right' | 'below'; children: React.ReactNode }) {
  const app = useApp()
  const tab = useStore(app.panes, (panes) => panes.tab)
  const session = useStore(app.bench.store, (bench) => bench.session?.session)
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const name of TABS) void PANES[name].load().catch(() => undefined)
    }, LATER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Tabs.Root className="panes fill-stack" value={tab} onValueChange={(next) => app.setTab(next as Tab)}>
      <div className="tabs-line flex flex-none bg-panel border-b min-h-35">
        <Tabs.List className="tabs flex flex-wrap px-8 flex-shrinks" aria-label={text.tabs.label}>
          {TABS.map((name) => (
            <Tabs.Tab
              key={name}
              value={name}
              className="tab inline-row gap-6 muted nowrap px-10 hover-text min-h-31"
              data-testid={`tab-${name}`}
            >
              {PANES[name].title}
              <Figure pane={PANES[name]} />
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </div>
      <div className={`flex grow min-w-0 min-h-0 panes-body ${side}`}>
        {TABS.map((name) => {
          const View = VIEWS.get(name)
          return (
            <Tabs.Panel key={name} value={name} className="panel">
              <Guard of={session}>
                <Suspense fallback={null}>{View && <View />}</Suspense>
              </Guard>
            </Tabs.Panel>
          )
        })}
        {children}
      </div>
    </Tabs.Root>
  )
}

const none = () => 0

/** The figure on the tab of a pane, if it has one. */
function Figure({ pane: { useCount = none } }: { pane: Pane }) {
  const n = useCount(useApp())
  return n > 0 && <span className="badge">{count(n)}</span>
}

import { Tabs } from '@base-ui/react/tabs'
import { useEffect } from 'react'

import type { ExportDto } from '../../lib/ipc/generated/ExportDto'
import { useApp, type Tab } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { EpisodeTable } from '../episode/EpisodeTable'
import { Inspector } from '../episode/Inspector'
import { ProblemList } from '../episode/ProblemList'
import { GraphPane } from '../graph/GraphPane'
import { Legend } from '../graph/Legend'
import { Strip } from '../graph/Strip'
import { Timeline } from '../graph/Timeline'
import { useScene } from '../graph/useScene'
import { Presentation } from '../present/Presentation'
import { Transport } from '../steps/Transport'
import { handleKey } from '../views/keys'
import { ExportedBar } from './ExportedBar'
import { ExportedBlocks } from './ExportedBlocks'
import { exportedCommands } from './exportedCommands'

const SHOWN: readonly Tab[] = ['context', 'evicted', 'episodes', 'problems']

/** The page of an export: the window without what needs an engine. */
export function ExportedWindow({ exported }: { exported: ExportDto }) {
  const app = useApp()
  const phase = useStore(app.bench.store, (bench) => bench.phase)
  const presenting = useStore(app.presenter.store, (presenter) => presenter.on)
  useEffect(() => {
    const commands = exportedCommands(exported)
    const hear = (event: KeyboardEvent) => handleKey(app, event, commands)
    window.addEventListener('keydown', hear)
    return () => window.removeEventListener('keydown', hear)
  }, [app, exported])
  if (phase !== 'open') return <div className="window" data-phase={phase} />
  if (presenting) return <Presentation />
  return (
    <div className="window exported" data-phase={phase}>
      <ExportedBar exported={exported} />
      <div className="main">
        <Session exported={exported} />
      </div>
    </div>
  )
}

function Session({ exported }: { exported: ExportDto }) {
  const app = useApp()
  const shared = useScene(app.bench)
  const tab = useStore(app.panes, (panes) => panes.tab)
  const shown = SHOWN.filter((name) => name !== 'problems' || exported.session.problems.length > 0)
  const hasDetails = exported.views.some((view) => view.details.length > 0)
  return (
    <main className="session">
      <section className="above">
        <Strip shared={shared} />
        <GraphPane shared={shared} />
        <Timeline />
      </section>
      <Transport />
      <Legend />
      <section className="below">
        <Tabs.Root className="panes" value={tab} onValueChange={(next) => app.setTab(next as Tab)}>
          <Tabs.List className="tabs" aria-label={text.tabs.label}>
            {shown.map((name) => (
              <Tabs.Tab key={name} value={name} className="tab" data-testid={`tab-${name}`}>
                {text.tabs[name]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {shown.map((name) => (
            <Tabs.Panel key={name} value={name} className="panel">
              {name === 'context' || name === 'evicted' ? (
                <ExportedBlocks which={name} />
              ) : name === 'episodes' ? (
                <EpisodeTable />
              ) : (
                <ProblemList />
              )}
            </Tabs.Panel>
          ))}
        </Tabs.Root>
        {hasDetails && (
          <div className="aside">
            <Inspector />
          </div>
        )}
      </section>
    </main>
  )
}

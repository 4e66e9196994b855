import { Suspense, lazy, useEffect, useState, useSyncExternalStore } from 'react'

import { useApp } from '../../lib/state/app'
import { settings } from '../../lib/state/settings'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text/en'
import { Inspector } from '../episode/Inspector'
import { GraphPane } from '../graph/GraphPane'
import { Legend } from '../graph/Legend'
import { Strip } from '../graph/Strip'
import { Timeline } from '../graph/Timeline'
import { useScene } from '../graph/useScene'
import { Presentation } from '../present/Presentation'
import { Drawer } from '../session/Drawer'
import { OpenDialog } from '../session/OpenDialog'
import { TopBar } from '../session/TopBar'
import { Welcome } from '../session/Welcome'
import { Sash } from '../shared/Sash'
import { Transport } from '../steps/Transport'
import { COMMANDS } from './commands'
import { Help } from './Help'
import { handleKey } from './keys'
import { Panes } from './Panes'
import { Toasts } from './Toasts'

/** Everything. */
export function Window() {
  const app = useApp()
  const phase = useStore(app.bench.store, (bench) => bench.phase)
  const drawer = useStore(app.panes, (panes) => panes.drawer)
  const presenting = useStore(app.presenter.store, (presenter) => presenter.on)
  useEffect(() => {
    const hear = (event: KeyboardEvent) => handleKey(app, event)
    window.addEventListener('keydown', hear)
    return () => window.removeEventListener('keydown', hear)
  }, [app])
  if (presenting && phase === 'open') return <Presentation />
  return (
    <div className="window" data-phase={phase}>
      <TopBar />
      <div className="main">
        {drawer && <Drawer />}
        {phase === 'open' ? <Session /> : <Welcome />}
      </div>
      <Toasts />
      <OpenDialog />
      <Help />
      <PaletteDoor />
    </div>
  )
}

const loadPalette = () => import('../palette/Palette')
const Palette = lazy(() => loadPalette().then((module) => ({ default: module.Palette })))
/** The palette is not needed to paint the window, but soon after. */
const PALETTE_MS = 1500

function PaletteDoor() {
  const app = useApp()
  const wanted = useStore(app.panes, (panes) => panes.dialog === 'palette')
  const [used, setUsed] = useState(false)
  if (wanted && !used) setUsed(true)
  useEffect(() => {
    const timer = setTimeout(() => void loadPalette().catch(() => undefined), PALETTE_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!used) return null
  return (
    <Suspense fallback={null}>
      <Palette commands={COMMANDS} />
    </Suspense>
  )
}

const LEAST_ABOVE = 400
const SHARE_BELOW = 0.35

function useWindowHeight(): number {
  return useSyncExternalStore(
    (listen) => {
      window.addEventListener('resize', listen)
      return () => window.removeEventListener('resize', listen)
    },
    () => window.innerHeight,
  )
}

function Session() {
  const app = useApp()
  const shared = useScene(app.bench)
  const { below, aside } = useStore(settings, (value) => value)
  const tall = useWindowHeight()
  const most = Math.max(160, tall - LEAST_ABOVE)
  const height = Math.min(below ?? Math.round(tall * SHARE_BELOW), most)
  return (
    <main className="session">
      <section className="above">
        <Strip shared={shared} />
        <GraphPane shared={shared} />
        <Timeline />
      </section>
      <Transport />
      <Legend />
      <Sash
        label={text.sash.below}
        axis="row"
        size={height}
        min={120}
        max={most}
        onSize={(size) => settings.set({ below: size })}
      />
      <section className="below" style={{ height }}>
        <Panes />
        <Sash
          label={text.sash.aside}
          axis="column"
          size={aside}
          min={220}
          max={640}
          onSize={(size) => settings.set({ aside: size })}
        />
        <div className="aside" style={{ width: aside }}>
          <Inspector />
        </div>
      </section>
    </main>
  )
}

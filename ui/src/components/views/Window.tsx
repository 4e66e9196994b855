import {
  Suspense,
  lazy,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
  type RefObject,
} from 'react'

import { textScale } from '../../lib/canvas/drawn'
import { useApp } from '../../lib/state/app'
import { settings } from '../../lib/state/settings'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { layoutOf } from '../../lib/view/layout'
import { Inspector } from '../episode/Inspector'
import { GraphPane } from '../graph/GraphPane'
import { PictureBar } from '../graph/PictureBar'
import { Strip } from '../graph/Strip'
import { Timeline } from '../graph/Timeline'
import { useScene } from '../graph/useScene'
import { ExportDialog } from '../session/ExportDialog'
import { Drawer } from '../session/Drawer'
import { DropOverlay } from '../session/DropOverlay'
import { LinkDialog } from '../session/LinkDialog'
import { LiveBar, useHasLiveBar } from '../session/LiveBar'
import { ChooseDialog } from '../session/ChooseDialog'
import { OpenDialog } from '../session/OpenDialog'
import { TopBar } from '../session/TopBar'
import { Welcome } from '../session/Welcome'
import { Sash } from '../shared/Sash'
import { Transport } from '../steps/Transport'
import { COMMANDS } from './commands'
import { Guard } from './Guard'
import { Help } from './Help'
import { handleKey } from './keys'
import { Panes } from './Panes'
import { SettingsDialog } from './SettingsDialog'
import { Skips, Spoken } from './Spoken'
import { StoreTrouble } from './StoreTrouble'
import { Tips } from './Tips'
import { Toasts } from './Toasts'

/** The whole window. */
export function Window() {
  const app = useApp()
  const phase = useStore(app.bench.store, (bench) => bench.phase)
  const target = useStore(app.bench.store, (bench) => bench.target)
  const drawer = useStore(app.panes, (panes) => panes.drawer)
  const presenting = useStore(app.presenter.store, (presenter) => presenter.on)
  const touring = useStore(app.tour.store, (tour) => tour.at)
  const duelling = useStore(app.duel.store, (duel) => duel.on)
  useEffect(() => {
    const hear = (event: KeyboardEvent) => handleKey(app, event)
    window.addEventListener('keydown', hear)
    return () => window.removeEventListener('keydown', hear)
  }, [app])
  return (
    <>
      {duelling && phase === 'open' ? (
        <Suspense fallback={null}>
          <DuelView />
        </Suspense>
      ) : presenting && phase === 'open' ? (
        <Suspense fallback={null}>
          <Presentation />
        </Suspense>
      ) : (
        <div className="window stack h-full" data-phase={phase}>
          {phase === 'open' && <Skips />}
          <TopBar />
          <StoreTrouble />
          <LiveBar />
          <div className="flex grow min-h-0 relative">
            {drawer && app.can('sessions') && <Drawer />}
            <Guard of={target}>
              <Suspense fallback={null}>
                {phase === 'open' ? <Session /> : phase === 'corpus' ? <CorpusPane /> : <Welcome />}
              </Suspense>
            </Guard>
          </div>
        </div>
      )}
      {(presenting || duelling || phase !== 'open') && <Toasts />}
      <Spoken />
      {app.can('paths') ? <OpenDialog /> : <ChooseDialog />}
      <LinkDialog />
      <ExportDialog />
      <ReaderDoor />
      <Help />
      <SettingsDialog />
      <PaletteDoor />
      <DropOverlay />
      <Tips />
      {touring !== null && (
        <Suspense fallback={null}>
          <TourCard at={touring} />
        </Suspense>
      )}
    </>
  )
}

/** Loads the dialog when it is first wanted. */
function ReaderDoor() {
  const app = useApp()
  const open = useStore(app.panes, (panes) => panes.dialog === 'reader')
  return open ? (
    <Suspense fallback={null}>
      <ReaderDialog />
    </Suspense>
  ) : null
}

const ReaderDialog = lazy(() => import('../marks/ReaderDialog'))
const CorpusPane = lazy(() =>
  import('../corpus/CorpusPane').then((module) => ({ default: module.CorpusPane })),
)
const DuelView = lazy(() => import('../duel/DuelView').then((module) => ({ default: module.DuelView })))
const TourCard = lazy(() => import('../tour/TourCard').then((module) => ({ default: module.TourCard })))
const Presentation = lazy(() =>
  import('../present/Presentation').then((module) => ({ default: module.Presentation })),
)

const loadPalette = () => import('../palette/Palette')
const Palette = lazy(() => loadPalette().then((module) => ({ default: module.Palette })))
/** How long after the first paint the palette is loaded, milliseconds. */
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

function useWindowHeight(): number {
  return useSyncExternalStore(
    (listen) => {
      window.addEventListener('resize', listen)
      return () => window.removeEventListener('resize', listen)
    },
    () => window.innerHeight,
  )
}

/** The size of text as the page has it: that of the settings and that of the browser. */
function useTextScale(): number {
  return useSyncExternalStore((listen) => {
    window.addEventListener('resize', listen)
    const leave = settings.subscribe(listen)
    return () => {
      window.removeEventListener('resize', listen)
      leave()
    }
  }, textScale)
}

/** The height of a session without its bar of steps, pixels; `null` before it is there. */
function useRoom(session: RefObject<HTMLElement | null>): number | null {
  const [room, setRoom] = useState<number | null>(null)
  useLayoutEffect(() => {
    const element = session.current
    const steps = element?.querySelector('.transport')
    if (!element || !steps) return
    const look = () => setRoom(element.clientHeight - steps.clientHeight)
    const watch = new ResizeObserver(look)
    watch.observe(element)
    watch.observe(steps)
    look()
    return () => watch.disconnect()
  }, [session])
  return room
}

function Session() {
  const app = useApp()
  const main = useRef<HTMLElement>(null)
  const room = useRoom(main)
  const shared = useScene(app.bench)
  const set = useStore(settings, (value) => value)
  const tall = useWindowHeight()
  const scale = useTextScale()
  const trouble = useStore(app.health.store, (health) => health.trouble !== null)
  const reading = useStore(app.panes, (panes) => panes.reading)
  const steered = useHasLiveBar()
  const layout = layoutOf(tall, scale, set, { trouble, steered }, room)
  const { compact, graph, timeline, below, most } = layout
  const hasAside = useHasAside() && !reading
  const isSplit = !reading && (graph === 'open' || timeline === 'open')
  return (
    <main
      ref={main}
      className={compact ? 'session compact stack grow min-w-0' : 'session stack grow min-w-0'}
      data-reading={reading}
    >
      <section
        className={`stack min-h-0 relative above graph-${graph} timeline-${timeline} ${isSplit ? 'grow' : 'flex-none'}`}
        style={{ minHeight: reading ? 0 : layout.above }}
        hidden={reading}
        aria-label={text.regions.above}
      >
        {(graph === 'open' || timeline === 'open') && <PictureBar hasGraph={graph === 'open'} />}
        <Strip shared={shared} folded={graph === 'folded'} />
        <GraphPane shared={shared} />
        <Timeline folded={timeline === 'folded'} />
      </section>
      <Transport />
      {isSplit && (
        <Sash
          label={text.sash.below}
          axis="row"
          size={below}
          min={120}
          max={most}
          onSize={(size) => settings.set({ below: size })}
        />
      )}
      <section
        className={
          isSplit ? 'below flex flex-shrinks relative min-h-185' : 'below flex grow relative min-h-185'
        }
        style={isSplit ? { height: below } : undefined}
        aria-label={text.regions.below}
      >
        <Panes side={set.inspector === 'below' ? 'below' : 'right'}>
          {hasAside && <Aside under={set.inspector === 'below'} most={below - 100} />}
        </Panes>
        <Toasts />
      </section>
    </main>
  )
}

/** Tells whether there is anything for the episode pane: without a selection it is shut. */
function useHasAside(): boolean {
  const app = useApp()
  const { inspector } = useStore(settings, (value) => value)
  const selected = useStore(app.bench.store, (bench) => bench.selected !== null)
  const annotation = useStore(app.bench.store, (bench) => bench.view.annotation)
  const marking = useStore(app.marking.store, ({ on, last }) => on || last?.name === annotation)
  return inspector !== 'hidden' && (selected || marking)
}

/** The episode pane, beside the list or under it. */
function Aside({ under, most }: { under: boolean; most: number }) {
  const app = useApp()
  const selected = useStore(app.bench.store, (bench) => bench.selected)
  // A new detail is a new try: it may be drawn even where the one before failed.
  const detail = useStore(app.detail.store, (state) => state.answer)
  const { aside, under: wanted } = useStore(settings, (value) => value)
  const max = under ? Math.max(80, most) : 640
  const size = Math.min(under ? wanted : aside, max)
  return (
    <>
      <Sash
        label={under ? text.sash.under : text.sash.aside}
        axis={under ? 'row' : 'column'}
        size={size}
        min={under ? 80 : 220}
        max={max}
        onSize={(next) => settings.set(under ? { under: next } : { aside: next })}
      />
      <div
        className="aside flex-none min-w-0 min-h-0 bg-panel"
        style={under ? { height: size } : { width: size }}
      >
        <Guard of={detail ?? selected}>
          <Inspector />
        </Guard>
      </div>
    </>
  )
}

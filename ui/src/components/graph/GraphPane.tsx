import { useCallback, useEffect, useRef, useState } from 'react'

import { boxOnCanvas, drawGraph, laneAt } from '../../lib/canvas/graph'
import { useApp } from '../../lib/state/app'
import { createStore, useStore } from '../../lib/state/store'
import { grow, openAt, panBy, reveal, viewport, zoomAt } from '../../lib/state/viewport'
import { text } from '../../lib/text/en'
import { walk } from '../../lib/view/edges'
import { hit, rowsOf } from '../../lib/view/lanes'
import { scaleOf } from '../../lib/view/scale'
import { Button } from '../shared/Button'
import { useSurface } from './useSurface'
import { GraphTip } from './GraphTip'
import { Options, graphData } from './Options'
import type { SharedScene } from './useScene'

/** The episode graph on its time lanes. */
export function GraphPane({ shared }: { shared: SharedScene }) {
  const app = useApp()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [pointer] = useState(() =>
    createStore<{
      hovered: number | null
      human: number | null
      focused: number | null
      x: number
      y: number
    }>({
      hovered: null,
      human: null,
      focused: null,
      x: 0,
      y: 0,
    }),
  )
  const graph = useStore(app.bench.store, (bench) => bench.graph)
  const levels = useStore(app.bench.store, (bench) => bench.levels)
  const selected = useStore(app.bench.store, (bench) => bench.selected)
  const session = useStore(app.bench.store, (bench) => bench.session?.session)
  const unseen = useStore(app.bench.store, (bench) => bench.unseen)
  const focused = useStore(pointer, (state) => state.focused)

  const surface = useSurface(
    canvas,
    (sheet) => {
      const { x0, x1 } = viewport.get()
      const bench = app.bench.bench
      const { hovered, focused } = pointer.get()
      const moving = drawGraph(
        sheet,
        shared.scene,
        {
          x0,
          x1,
          turn: app.bench.position().turn,
          selected: bench.selected,
          hovered,
          focused,
          touched: app.bench.touched(),
          severity: shared.severity,
        },
        performance.now(),
      )
      return moving
    },
    [app.bench.store, viewport, pointer],
  )

  const [height, setHeight] = useState(0)
  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const sizes = new ResizeObserver(() => setHeight(element.clientHeight))
    sizes.observe(element)
    return () => sizes.disconnect()
  }, [])

  // The first view of a session; later growth slides with the end only when the cursor is on it.
  const opened = useRef<number | undefined>(undefined)
  useEffect(() => {
    if (!graph || session === undefined) return
    const width = canvas.current?.clientWidth ?? 1000
    if (opened.current !== session) {
      opened.current = session
      openAt(graph.n_turns, width)
      pointer.set({ focused: null, hovered: null })
    } else grow(graph.n_turns, app.bench.bench.cut.turn === null)
  }, [graph, session, app, pointer])

  // So does the cursor, when it is moved.
  const cut = useStore(app.bench.store, (bench) => bench.cut)
  useEffect(() => {
    const { turn } = app.bench.position()
    if (cut.turn !== null) reveal(turn - 0.5, turn + 0.5)
  }, [app, cut])

  // A selection made elsewhere comes into view.
  useEffect(() => {
    const box = selected === null ? undefined : shared.scene.lanes.boxes[selected]
    if (box) reveal(box.x0, box.x1)
  }, [selected, shared])

  const pickAt = useCallback(
    (event: { clientX: number; clientY: number }) => {
      const element = canvas.current
      if (!element) return null
      const frame = element.getBoundingClientRect()
      const scale = scaleOf(viewport.get(), element.clientWidth)
      const x = event.clientX - frame.left
      const y = event.clientY - frame.top
      const idx = hit(shared.scene.lanes, laneAt(element.clientHeight, y), scale.turn(x), 4 / scale.unit)
      return { idx, x, y, turn: scale.turn(x), axis: y > element.clientHeight - 30, unit: scale.unit }
    },
    [shared],
  )

  const drag = useRef<{ x: number; moved: boolean } | null>(null)
  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const wheel = (event: WheelEvent) => {
      event.preventDefault()
      const scale = scaleOf(viewport.get(), element.clientWidth)
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        panBy((event.deltaX || event.deltaY) / scale.unit)
      } else {
        const x = event.clientX - element.getBoundingClientRect().left
        zoomAt(scale.turn(x), Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.0045))
      }
    }
    element.addEventListener('wheel', wheel, { passive: false })
    return () => element.removeEventListener('wheel', wheel)
  }, [])

  const onKeyDown = (event: React.KeyboardEvent) => {
    const state = app.bench.bench
    if (!state.graph || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    if (event.key === 'Enter') {
      if (pointer.get().focused !== null) app.bench.select(pointer.get().focused)
    } else {
      const next = walk(state.graph, shared.scene.links, pointer.get().focused ?? state.selected, event.key)
      if (next === null) return
      pointer.set({ focused: next, hovered: null, human: null })
      app.bench.select(next)
    }
    event.preventDefault()
    event.stopPropagation()
  }

  const data = graphData(graph, levels)
  return (
    <div className="graph" data-testid="graph" {...data}>
      <div className="gutter graph-gutter" aria-hidden="true">
        <RowLabels height={height} />
      </div>
      <div className="plot">
        <canvas
          ref={canvas}
          role="listbox"
          tabIndex={0}
          aria-label={text.graph.label}
          aria-describedby="graph-hint"
          aria-activedescendant={focused === null ? undefined : `episode-${focused}`}
          onKeyDown={onKeyDown}
          onFocus={() => pointer.set({ focused: app.bench.bench.selected ?? pointer.get().focused })}
          onBlur={() => pointer.set({ focused: null })}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId)
            drag.current = { x: event.clientX, moved: false }
          }}
          onPointerMove={(event) => {
            const at = pickAt(event)
            if (!at) return
            if (drag.current) {
              const by = event.clientX - drag.current.x
              if (Math.abs(by) > 3 || drag.current.moved) {
                panBy(-by / at.unit)
                drag.current = { x: event.clientX, moved: true }
              }
              return
            }
            const human = at.axis
              ? nearestHuman(app.bench.bench.graph?.human_turns ?? [], at.turn, 6 / at.unit)
              : null
            pointer.set({ hovered: at.axis ? null : at.idx, human, x: at.x, y: at.y })
          }}
          onPointerUp={(event) => {
            const moved = drag.current?.moved
            drag.current = null
            const at = pickAt(event)
            if (moved || !at) return
            if (at.axis) app.bench.moveTo({ turn: Math.round(at.turn), step: Number.MAX_SAFE_INTEGER })
            else app.bench.select(at.idx)
          }}
          onPointerLeave={() => pointer.set({ hovered: null, human: null })}
          onDoubleClick={(event) => {
            const at = pickAt(event)
            if (at?.idx !== null && at?.idx !== undefined) app.showInContext(at.idx)
          }}
        >
          <Options graph={graph} levels={levels} centre={focused ?? selected} selected={selected} />
        </canvas>
        <p id="graph-hint" className="unseen">
          {text.graph.hint}
        </p>
        <LivePulse
          shared={shared}
          surfaceSize={() => [surface.current?.width ?? 0, surface.current?.height ?? 0]}
        />
        <GraphTip shared={shared} pointer={pointer} />
        {graph && graph.episodes.length === 0 && (
          <div className="graph-empty">
            <strong>{text.graph.empty}</strong> {text.graph.emptyHint}
          </div>
        )}
        <div className="graph-tools">
          {unseen > 0 && (
            <Button look="strong" className="pill" onClick={() => app.bench.toNow()} testid="new-turns">
              {text.graph.newTurns(unseen)}
            </Button>
          )}
        </div>
      </div>
    </div>
  )
}

/** The names of the lanes, beside them. */
function RowLabels({ height }: { height: number }) {
  const rows = rowsOf(height)
  const middle = (from: number, to: number) => ({ top: (from + to) / 2 })
  return (
    <>
      <span className="quiet-row" style={middle(rows.problems, rows.problems + 14)}>
        {text.graph.problems}
      </span>
      <span className="quiet-row" style={middle(rows.loose, rows.loose + rows.looseHeight)}>
        {text.graph.loose}
      </span>
      <span className="lane-row" style={middle(rows.exploreTop, rows.exploreFoot)}>
        <i className="swatch explore" />
        {text.graph.explore}
      </span>
      <span className="quiet-row" style={middle(rows.exploreFoot, rows.actTop)}>
        {text.graph.feeds}
      </span>
      <span className="lane-row" style={middle(rows.actTop, rows.actFoot)}>
        <i className="swatch act" />
        {text.graph.act}
      </span>
      <span className="quiet-row" style={middle(rows.axis, rows.height)}>
        {text.graph.turn}
      </span>
    </>
  )
}

function nearestHuman(turns: readonly { turn: number }[], turn: number, slack: number): number | null {
  let best: number | null = null
  let distance = slack
  turns.forEach((human, idx) => {
    const gap = Math.abs(human.turn - turn)
    if (gap <= distance) {
      best = idx
      distance = gap
    }
  })
  return best
}

/** The pulse around the episode that the agent is writing now: page style, so that the canvas can rest. */
function LivePulse({ shared, surfaceSize }: { shared: SharedScene; surfaceSize: () => [number, number] }) {
  const app = useApp()
  const ring = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const place = () => {
      const element = ring.current
      if (!element) return
      const { graph, session, cut } = app.bench.bench
      const idx = graph
        ? graph.episodes.findLastIndex((episode) => episode.open && episode.kind !== 'unannotated')
        : -1
      const [width, height] = surfaceSize()
      const box =
        idx >= 0 && session?.live && cut.turn === null
          ? boxOnCanvas(shared.scene, viewport.get(), width, height, idx)
          : null
      element.hidden = box === null || box.x + box.width < 0 || box.x > width
      if (!box) return
      element.style.transform = `translate(${box.x - 3}px, ${box.y - 3}px)`
      element.style.width = `${box.width + 6}px`
      element.style.height = `${box.height + 6}px`
      element.dataset.lane = String(box.lane)
    }
    place()
    const ends = [app.bench.store.subscribe(place), viewport.subscribe(place)]
    const sizes = new ResizeObserver(() => requestAnimationFrame(place))
    if (ring.current?.parentElement) sizes.observe(ring.current.parentElement)
    return () => {
      ends.forEach((end) => end())
      sizes.disconnect()
    }
  }, [app, shared, surfaceSize])
  return (
    <div ref={ring} className="pulse" hidden aria-hidden="true">
      <span>{text.graph.live}</span>
    </div>
  )
}

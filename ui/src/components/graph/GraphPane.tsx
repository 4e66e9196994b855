import { Maximize2, ZoomIn, ZoomOut } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'

import { boxOnCanvas, drawGraph, laneAt } from '../../lib/canvas/graph'
import { useApp } from '../../lib/state/app'
import { createStore, useStore } from '../../lib/state/store'
import { fit, grow, openAt, panBy, reveal, viewport, zoomAt } from '../../lib/state/viewport'
import { text } from '../../lib/text/en'
import { walk } from '../../lib/view/edges'
import { hit } from '../../lib/view/lanes'
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
  const follow = useStore(app.bench.store, (bench) => bench.follow)
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
          severity: shared.severity,
        },
        performance.now(),
      )
      return moving
    },
    [app.bench.store, viewport, pointer],
  )

  // The first view of a session; later growth slides with the end only when the cursor is on it.
  const opened = useRef<number | undefined>(undefined)
  useEffect(() => {
    if (!graph || session === undefined) return
    const width = canvas.current?.clientWidth ?? 1000
    if (opened.current !== session) {
      opened.current = session
      openAt(graph.n_turns, width)
      pointer.set({ focused: null, hovered: null })
    } else grow(graph.n_turns, app.bench.bench.cut.turn === null && follow)
  }, [graph, session, follow, app, pointer])

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
      pointer.set({ focused: next })
      app.bench.select(next)
    }
    event.preventDefault()
    event.stopPropagation()
  }

  const data = graphData(graph, levels)
  return (
    <div className="graph" data-testid="graph" {...data}>
      <div className="gutter graph-gutter" aria-hidden="true">
        <span className="row-problems">{text.graph.problems}</span>
        <span className="row-explore">
          <i className="swatch explore" />
          {text.graph.explore}
        </span>
        <span className="row-feeds">{text.graph.feeds}</span>
        <span className="row-act">
          <i className="swatch act" />
          {text.graph.act}
        </span>
        <span className="row-turn">{text.graph.turn}</span>
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
          <Button look="quiet" label={text.graph.zoomOut} onClick={() => zoomCentre(1.5)}>
            <ZoomOut size={14} />
          </Button>
          <Button look="quiet" label={text.graph.zoomIn} onClick={() => zoomCentre(1 / 1.5)}>
            <ZoomIn size={14} />
          </Button>
          <Button look="quiet" label={text.graph.fitHint} onClick={fit}>
            <Maximize2 size={14} />
          </Button>
        </div>
      </div>
    </div>
  )
}

export function zoomCentre(factor: number): void {
  const { x0, x1 } = viewport.get()
  zoomAt((x0 + x1) / 2, factor)
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

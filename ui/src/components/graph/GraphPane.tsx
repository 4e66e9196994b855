import { Pencil } from 'lucide-react'
import { useCallback, useDeferredValue, useEffect, useRef, useState } from 'react'

import type { GraphAnswer } from '../../lib/ipc/generated/GraphAnswer'
import { drawnPoint, drawnSize, rem } from '../../lib/canvas/drawn'
import { drawGraph, laneAt, type GraphLook } from '../../lib/canvas/graph'
import { problemsAt } from '../../lib/canvas/problems'
import { reacquiredAt } from '../../lib/canvas/reacquisitions'
import { reducedMotion } from '../../lib/canvas/scene'
import { useApp } from '../../lib/state/app'
import { Spelling } from '../../lib/state/spelling'
import type { Workbench } from '../../lib/state/workbench'
import { createStore, useStore } from '../../lib/state/store'
import { moveDistance } from '../../lib/state/distance'
import { settings } from '../../lib/state/settings'
import { arrange, openAt, panBy, reveal, revealTurn, viewport } from '../../lib/state/viewport'
import { text } from '../../lib/text'
import { named, walk } from '../../lib/view/edges'
import type { Pending } from '../../lib/view/marking'
import { hit, rowsOf } from '../../lib/view/lanes'
import { axisOf, scaleOf, type Scale } from '../../lib/view/scale'
import { NearGraph } from '../near/NearGraph'
import { Button } from '../shared/Button'
import { useDrawnSize } from '../shared/useDrawnSize'
import { AxisToggle } from './AxisToggle'
import { useSurface } from './useSurface'
import { GraphTip } from './GraphTip'
import { LivePulse } from './LivePulse'
import { Options, drawnEpisodes, graphData } from './Options'
import { RowLabels } from './RowLabels'
import { SavePicture } from './SavePicture'
import { useMarkDrag } from './useMarkDrag'
import { cutOf, drawn, type SharedScene } from './useScene'
import { turnWheel } from './wheel'

/** The episode graph on its time lanes. */
export function GraphPane({ shared }: { shared: SharedScene }) {
  const app = useApp()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [pointer] = useState(() =>
    createStore<{
      hovered: number | null
      human: number | null
      problems: readonly number[] | null
      focused: number | null
      x: number
      y: number
      pending: Pending | null
    }>({
      hovered: null,
      human: null,
      problems: null,
      focused: null,
      x: 0,
      y: 0,
      pending: null,
    }),
  )
  const graph = useStore(app.bench.store, (bench) => bench.graph)
  const selected = useStore(app.bench.store, (bench) => bench.selected)
  const session = useStore(app.bench.store, (bench) => bench.session?.session)
  const unseen = useStore(app.bench.store, (bench) => bench.unseen)
  const focused = useStore(pointer, (state) => state.focused)
  const [spelled] = useState(() => new Spelling())
  const spelling = useStore(spelled.store, (state) => state.typed)

  const lookNow = (): GraphLook => {
    const bench = app.bench.bench
    const { hovered, focused, pending } = pointer.get()
    return {
      view: viewport.get(),
      turn: app.bench.position().turn,
      selected: bench.selected,
      hovered,
      focused,
      touched: app.bench.touched(),
      severity: shared.severity,
      range: bench.range,
      reacquisitions: app.reacquisitions.byEpisode,
      pending,
    }
  }
  useSurface(
    canvas,
    (sheet) => {
      const moving = drawGraph(
        sheet,
        shared.scene,
        lookNow(),
        performance.now(),
        reducedMotion() || app.bench.isMoving,
      )
      return moving
    },
    [drawn(app.bench.store), app.reacquisitions.store, viewport, pointer],
  )

  const { height } = useDrawnSize(canvas)
  const isNear = useStore(app.panes, ({ distance }) => distance !== 'session') && selected !== null

  // The first view of a session; later growth slides with the end only when the cut is on it.
  const kind = useStore(settings, (value) => value.axis)
  const cameIn = useStore(app.bench.store, (bench) => bench.history?.came_in ?? null)
  const opened = useRef<number | undefined>(undefined)
  useEffect(() => {
    if (!graph || session === undefined) return
    const width = canvas.current ? drawnSize(canvas.current).width : 1000
    const axis = axisOf(kind, cameIn, viewport.get().axis)
    if (opened.current !== session) {
      opened.current = session
      openAt(axis, graph.n_turns, width)
      revealCut(app.bench)
      pointer.set({ focused: null, hovered: null })
    } else arrange(axis, graph.n_turns, app.bench.bench.cut.turn === null)
  }, [graph, session, kind, cameIn, app, pointer])

  // The cut comes into view when it is moved. It moves with every frame of a drag, so no render depends on it.
  useEffect(() => cutOf(app.bench.store).subscribe(() => revealCut(app.bench)), [app])

  // After zooming or panning something else is at the pointer.
  useEffect(
    () => viewport.subscribe(() => pointer.set({ hovered: null, human: null, problems: null })),
    [pointer],
  )

  // A selection made elsewhere comes into view.
  useEffect(() => {
    const box = selected === null ? undefined : shared.scene.lanes.boxes[selected]
    if (box) reveal(box.x0, box.x1)
  }, [selected, shared])

  const pickAt = useCallback(
    (event: { clientX: number; clientY: number }) => {
      const element = canvas.current
      if (!element) return null
      const { width, height } = drawnSize(element)
      const scale = scaleOf(viewport.get(), width)
      const { x, y } = drawnPoint(element, event)
      const idx = hit(shared.scene.lanes, laneAt(height, y), scale, x, 4)
      return { idx, x, y, scale, axis: y > height - 30 }
    },
    [shared],
  )

  /** Everything by which the marks stand where they do. */
  const seenNow = (element: HTMLCanvasElement, scale: Scale) => {
    const { width, height } = drawnSize(element)
    return { scene: shared.scene, look: lookNow(), rows: rowsOf(height), scale, width }
  }

  /** The episode whose turned arrow is at a place. */
  const markAt = ({ x, y, scale }: { x: number; y: number; scale: Scale }): number | null =>
    canvas.current && reacquiredAt(seenNow(canvas.current, scale), x, y)

  /** The episodes whose mark of problems is at a place. */
  const oddAt = ({ x, y, scale }: { x: number; y: number; scale: Scale }): readonly number[] | null =>
    canvas.current && problemsAt(seenNow(canvas.current, scale), x, y)

  const drag = useRef<{ x: number; moved: boolean } | null>(null)
  const marking = useMarkDrag(app, shared, canvas, pointer)
  const isMarking = useStore(app.marking.store, (state) => state.on)
  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const wheel = (event: WheelEvent) => {
      event.preventDefault()
      turnWheel(element, event)
    }
    element.addEventListener('wheel', wheel, { passive: false })
    return () => element.removeEventListener('wheel', wheel)
  }, [])

  const onKeyDown = (event: React.KeyboardEvent) => {
    const state = app.bench.bench
    if (!state.graph || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.shiftKey && event.key.length > 1) return
    const go = (next: number) => {
      pointer.set({ focused: next, hovered: null, human: null, problems: null })
      app.bench.select(next)
    }
    const from = pointer.get().focused ?? state.selected
    const said = spelled.press(event.key)
    if (said !== null) {
      const next = named(state.graph, from, said)
      if (next !== null) go(next)
    } else if (event.key === 'Enter') {
      const { focused } = pointer.get()
      if (focused !== null && focused === state.selected) moveDistance(app, 1)
      else if (focused !== null) app.bench.select(focused)
    } else {
      const next = walk(state.graph, shared.scene.links, from, event.key)
      if (next === null) return
      go(next)
    }
    event.preventDefault()
    event.stopPropagation()
  }

  // A long session has 20,000 episodes, so their list is made only if a test asks for it.
  const tellEpisodes = useCallback(
    (pane: HTMLDivElement | null) => {
      const tell = () => drawnEpisodes(app.bench.bench.graph, app.bench.bench.levels)
      if (pane) Object.assign(pane, { drawnEpisodes: tell })
    },
    [app],
  )
  return (
    <div
      ref={tellEpisodes}
      className={`flex border-b select-none graph ${isMarking ? 'marking' : ''}`}
      data-testid="graph"
      {...graphData(graph)}
    >
      <div className="gutter graph-gutter flex-none text-s bg-panel border-r relative overflow-hidden">
        {!isNear && <RowLabels height={height} />}
        <SavePicture shared={shared} />
        <AxisToggle />
        {app.can('edit_marks') && (
          <Button
            look="quiet"
            label={isMarking ? text.marks.editDone : text.marks.edit}
            aria-pressed={isMarking}
            testid="graph-marks"
            className="up-half absolute right-4 small"
            style={{ top: middleOf(height) }}
            onClick={() => app.marking.setOn(!isMarking)}
          >
            <Pencil size={13} />
          </Button>
        )}
      </div>
      <div className="plot grow min-w-0 min-h-0 relative z-1">
        <canvas
          className="display-block w-full h-full absolute inset-0"
          ref={canvas}
          role="listbox"
          tabIndex={0}
          aria-label={text.graph.label}
          aria-describedby="graph-hint"
          aria-activedescendant={focused === null ? undefined : `episode-${focused}`}
          onKeyDown={onKeyDown}
          onFocus={() => pointer.set({ focused: app.bench.bench.selected ?? pointer.get().focused })}
          onBlur={() => {
            spelled.end()
            pointer.set({ focused: null })
          }}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId)
            const at = pickAt(event)
            if (at && marking.down(at)) return
            drag.current = { x: drawnPoint(event.currentTarget, event).x, moved: false }
          }}
          onPointerMove={(event) => {
            const at = pickAt(event)
            if (!at || marking.move(at)) return
            if (drag.current) {
              const by = at.x - drag.current.x
              if (Math.abs(by) > 3 || drag.current.moved) {
                panBy(-by / at.scale.density)
                drag.current = { x: at.x, moved: true }
              }
              return
            }
            const problems = at.axis ? null : oddAt(at)
            event.currentTarget.style.cursor = problems
              ? CURSORS.mark
              : CURSORS[marking.beginsAt(at)?.what ?? 'none']
            const human = at.axis
              ? nearestHuman(app.bench.bench.graph?.human_turns ?? [], at.scale, at.x, 6)
              : null
            pointer.set({ hovered: at.axis || problems ? null : at.idx, human, problems, x: at.x, y: at.y })
          }}
          onPointerUp={(event) => {
            const moved = marking.up() || drag.current?.moved
            drag.current = null
            const at = pickAt(event)
            if (moved || !at) return
            if (at.axis) {
              const turn = Math.round(at.scale.turn(at.x))
              app.bench.moveTo({ turn, step: Number.MAX_SAFE_INTEGER })
              return
            }
            const [odd] = oddAt(at) ?? []
            if (odd !== undefined) {
              app.navigation.showFindings(odd)
              return
            }
            const again = markAt(at)
            if (again === null) app.bench.select(at.idx)
            else {
              app.bench.select(again)
              app.navigation.showStory({ by: 'episode', episode: again })
            }
          }}
          onPointerLeave={() => pointer.set({ hovered: null, human: null, problems: null })}
          onDoubleClick={(event) => {
            const at = pickAt(event)
            if (at?.idx !== null && at?.idx !== undefined) app.navigation.showInContext(at.idx)
          }}
        >
          <Levels graph={graph} centre={focused ?? selected} selected={selected} />
        </canvas>
        <p id="graph-hint" className="unseen">
          {text.graph.hint}
        </p>
        <LivePulse shared={shared} canvas={canvas} />
        <NearGraph shared={shared} canvas={canvas} />
        {!isNear && <GraphTip shared={shared} pointer={pointer} />}
        {graph && graph.episodes.length === 0 && (
          <div
            className="graph-empty bg-panel border rounded-8 absolute p-8-12 pointer-none w-max"
            data-testid="graph-empty"
          >
            <strong>{text.annotation.noneTitle(graph.from.says)}</strong> {text.annotation.noneHint}
          </div>
        )}
        <div className="flex gap-2 absolute top-2 right-8">
          <span className="spelling text-s bg-panel2 rounded-6 p-2-8" role="status">
            {spelling !== null && text.graph.spelling(spelling)}
          </span>
          {unseen > 0 && (
            <Button
              look="strong"
              className="text-s rounded-full small"
              onClick={() => app.bench.toNow()}
              testid="new-turns"
            >
              {text.graph.newTurns(unseen)}
            </Button>
          )}
        </div>
      </div>
    </div>
  )
}

/** How the pointer looks over what a drag would take. */
const CURSORS = { link: 'crosshair', edge: 'col-resize', mark: 'pointer', none: '' } as const

/** Brings the cut into view, unless it is `now`. */
function revealCut(bench: Workbench): void {
  if (bench.bench.cut.turn !== null) revealTurn(bench.position().turn)
}

/** The levels of the episodes for those who do not see the canvas. */
function Levels(shown: { graph: GraphAnswer | null; centre: number | null; selected: number | null }) {
  const app = useApp()
  const levels = useDeferredValue(useStore(app.bench.calm, (bench) => bench.levels))
  const left = useDeferredValue(useStore(app.bench.calm, (bench) => bench.left))
  return <Options {...shown} levels={levels} left={left} />
}

/** The middle between the two lanes, as the page says lengths. */
function middleOf(height: number): string {
  const { exploreFoot, actTop } = rowsOf(height)
  return rem((exploreFoot + actTop) / 2)
}

/** The human turn within `slack` pixels of a pixel, the last of the nearest ones. */
function nearestHuman(
  turns: readonly { turn: number }[],
  scale: Scale,
  px: number,
  slack: number,
): number | null {
  let best: number | null = null
  let distance = slack
  turns.forEach((human, idx) => {
    const gap = Math.abs(scale.px(human.turn) - px)
    if (gap <= distance) {
      best = idx
      distance = gap
    }
  })
  return best
}

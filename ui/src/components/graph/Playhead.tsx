import { memo, useEffect, useRef, type RefObject } from 'react'

import { drawnPoint, drawnSize, rem, watchDrawn } from '../../lib/canvas/drawn'
import { useApp } from '../../lib/state/app'
import { partOf, useStore } from '../../lib/state/store'
import { viewport } from '../../lib/state/viewport'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { stretched } from '../../lib/view/range'
import { scaleOf } from '../../lib/view/scale'
import { lossesAt, missAt } from '../../lib/view/series'

/** How far PageUp and PageDown go, turns. */
const PAGE = 10
/** Half the width of the handle, pixels. */
const HALF = 6
const ALL_STEPS = Number.MAX_SAFE_INTEGER

/** The handle of the cut. A drag or the keys move it; with Shift the keys select a range of turns. */
export const Playhead = memo(function Playhead({ canvas }: { canvas: RefObject<HTMLCanvasElement | null> }) {
  const app = useApp()
  useStore(app.bench.store, (bench) => bench.cut)
  const nTurns = useStore(app.bench.store, (bench) => bench.graph?.n_turns ?? 1)
  const nSteps = useStore(app.bench.store, (bench) => bench.replay?.n_steps ?? null)
  const history = useStore(app.bench.store, (bench) => bench.history)
  const { turn, step } = app.bench.position()
  const miss = history && missAt(history, turn)
  const losses = history ? lossesAt(history, turn) : []
  const gains = history?.gains.filter((gain) => gain.turn === turn) ?? []
  const steps = nSteps?.[turn - 1] ?? 0
  const handle = useRef<HTMLDivElement>(null)
  const held = useRef(false)
  useEffect(() => {
    const place = () => {
      const [element, plot] = [handle.current, canvas.current]
      if (!element || !plot) return
      const { width } = drawnSize(plot)
      const x = scaleOf(viewport.get(), width).px(app.bench.position().turn)
      element.hidden = x < -1 || x > width + 1
      element.style.transform = `translateX(${rem(x - HALF)})`
    }
    place()
    // To ask for a size after each change of the page makes the engine lay it out again.
    const moved = partOf(app.bench.store, ({ cut, graph, replay }) => [cut, graph, replay?.n_steps.length])
    const ends = [viewport.subscribe(place), moved.subscribe(place)]
    if (canvas.current) ends.push(watchDrawn(canvas.current, { size: place, look: place }))
    return () => ends.forEach((end) => end())
  }, [app, canvas])

  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return
    const moves: Record<string, number> = {
      ArrowLeft: -1,
      ArrowDown: -1,
      ArrowRight: 1,
      ArrowUp: 1,
      PageDown: -PAGE,
      PageUp: PAGE,
      Home: -nTurns,
      End: nTurns,
    }
    const by = moves[event.key]
    if (by === undefined) return
    event.preventDefault()
    event.stopPropagation()
    const at = app.bench.position().turn
    if (event.shiftKey) {
      const next = stretched(app.bench.bench.range, at, by, nTurns)
      app.bench.brush(next.range)
      app.bench.moveTo({ turn: next.at, step: ALL_STEPS }, true)
    } else app.bench.moveTo({ turn: at + by, step: ALL_STEPS }, true)
  }
  return (
    <div
      ref={handle}
      className="playhead absolute h-full top-0 left-0 w-12"
      role="slider"
      tabIndex={0}
      aria-label={text.timeline.playhead}
      aria-valuemin={1}
      aria-valuemax={nTurns}
      aria-valuenow={turn}
      aria-valuetext={[
        text.timeline.at(count(turn), count(nTurns), count(step), count(steps)),
        ...losses.map((loss) => loss.says),
        ...gains.map((gain) => gain.says),
        ...(miss ? [miss.says] : []),
      ].join('; ')}
      data-testid="playhead"
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        held.current = true
        app.player.pause()
      }}
      onPointerMove={(event) => {
        if (!held.current || !canvas.current) return
        const scale = scaleOf(viewport.get(), drawnSize(canvas.current).width)
        const turn = Math.round(scale.turn(drawnPoint(canvas.current, event).x))
        app.bench.moveTo({ turn, step: ALL_STEPS }, true)
      }}
      onPointerUp={() => (held.current = false)}
      onPointerCancel={() => (held.current = false)}
    />
  )
})

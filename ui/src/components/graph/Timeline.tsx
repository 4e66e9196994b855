import { useEffect, useMemo, useRef, useState } from 'react'

import { drawTimeline, scaleLabels } from '../../lib/canvas/timeline'
import { useApp } from '../../lib/state/app'
import { createStore, useStore } from '../../lib/state/store'
import { panBy, viewport, zoomAt } from '../../lib/state/viewport'
import { text } from '../../lib/text'
import { scaleTop, stackOf, type Stack } from '../../lib/view/bands'
import { short } from '../../lib/view/format'
import { rangeBetween } from '../../lib/view/range'
import { passTurns } from '../../lib/view/recorded'
import { scaleOf } from '../../lib/view/scale'
import { Playhead } from './Playhead'
import { RangeBox } from './RangeBox'
import { TauGrip } from './TauGrip'
import { drawn } from './useScene'
import { useSurface } from './useSurface'
import { TimelineTip } from './TimelineTip'

/** What each request is made of, on the same x as the graph, with the line of τ and the cursor to drag; a drag elsewhere selects turns. */
export function Timeline() {
  const app = useApp()
  const canvas = useRef<HTMLCanvasElement>(null)
  const replay = useStore(app.bench.store, (bench) => bench.replay)
  const stack = useMemo<Stack | null>(() => (replay ? stackOf(replay) : null), [replay])
  const recorded = useStore(app.bench.store, (bench) => bench.session?.recorded ?? null)
  const passes = useMemo(() => passTurns(recorded), [recorded])
  const [hover] = useState(() => createStore<{ turn: number | null; x: number }>({ turn: null, x: 0 }))
  const [height, setHeight] = useState(150)
  // While τ is dragged the scale stands still, else the line would run from the pointer.
  const [held, setHeld] = useState<number | null>(null)
  const top = held ?? (stack && replay ? scaleTop(stack, replay.budget) : 1000)

  const surface = useSurface(
    canvas,
    (sheet) => {
      if (sheet.height !== height) queueMicrotask(() => setHeight(sheet.height))
      const { replay } = app.bench.bench
      if (!replay || !stack || stack.nTurns !== replay.after.length) return false
      drawTimeline(sheet, replay, stack, {
        view: viewport.get(),
        turn: app.bench.position().turn,
        hovered: hover.get().turn,
        top,
        passes,
        range: app.bench.bench.range,
      })
      return false
    },
    [drawn(app.bench), viewport, hover],
  )

  // These come with a render, not with the bench.
  useEffect(() => surface.current?.invalidate(), [surface, stack, top, passes])

  const turnAt = (event: { clientX: number; currentTarget: Element }) => {
    const frame = event.currentTarget.getBoundingClientRect()
    return Math.round(scaleOf(viewport.get(), frame.width).turn(event.clientX - frame.left))
  }
  const pressed = useRef<{ x: number; turn: number; moved: boolean } | null>(null)
  const nTurns = replay?.after.length ?? 0
  const latestFull = replay?.full.at(-1) ?? 0

  return (
    <div
      className="timeline"
      data-testid="timeline"
      data-passes={passes.join(',')}
      data-clearings={replay?.clearings.join(',')}
    >
      <div className="gutter timeline-gutter" aria-hidden="true">
        <strong>{text.timeline.title}</strong>
        <span className="muted">{text.timeline.sub}</span>
        <span className="key">
          <i className="dash" />
          {text.timeline.full}
        </span>
        <span className="key">
          <i className="dot" />
          {text.timeline.reported}
        </span>
      </div>
      <div className="plot">
        <canvas
          ref={canvas}
          aria-hidden="true"
          onWheel={(event) => {
            const scale = scaleOf(viewport.get(), event.currentTarget.clientWidth)
            if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
              panBy((event.deltaX || event.deltaY) / scale.density)
            else {
              const x = event.clientX - event.currentTarget.getBoundingClientRect().left
              zoomAt(scale.place(x), Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.0045))
            }
          }}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId)
            pressed.current = { x: event.clientX, turn: turnAt(event), moved: false }
          }}
          onPointerMove={(event) => {
            const turn = turnAt(event)
            const press = pressed.current
            if (press && nTurns > 0) {
              press.moved = press.moved || Math.abs(event.clientX - press.x) > 4
              if (press.moved) app.bench.brush(rangeBetween(press.turn, turn, nTurns))
            }
            const known = turn >= 1 && turn <= nTurns && press === null
            hover.set({
              turn: known ? turn : null,
              x: event.clientX - event.currentTarget.getBoundingClientRect().left,
            })
          }}
          onPointerUp={(event) => {
            const press = pressed.current
            pressed.current = null
            if (!press || press.moved) return
            app.player.pause()
            app.bench.moveTo({ turn: turnAt(event), step: Number.MAX_SAFE_INTEGER })
          }}
          onPointerCancel={() => (pressed.current = null)}
          onPointerLeave={() => hover.set({ turn: null })}
        />
        {scaleLabels(top, height).map((label) => (
          <span key={label.text} className="scale-label" style={{ top: label.y }}>
            {label.text}
          </span>
        ))}
        {latestFull > top && <span className="full-label">{text.timeline.fullAt(short(latestFull))}</span>}
        <TauGrip canvas={canvas} top={top} height={height} hold={setHeld} />
        <Playhead canvas={canvas} />
        <RangeBox />
        <TimelineTip hover={hover} />
      </div>
    </div>
  )
}

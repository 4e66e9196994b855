import { useEffect, useMemo, useRef, useState } from 'react'

import { FallingSize } from '../../lib/canvas/falling'
import { drawnPoint, drawnSize, rem } from '../../lib/canvas/drawn'
import { reducedMotion } from '../../lib/canvas/scene'
import { turnAgainAt } from '../../lib/canvas/reacquisitions'
import {
  HEAD,
  drawTimeline,
  scaleLabels,
  timelineChange,
  tokensToY,
  windowLabel,
  type TimelineFrame,
} from '../../lib/canvas/timeline'
import { useApp } from '../../lib/state/app'
import { settings } from '../../lib/state/settings'
import { createStore, useStore } from '../../lib/state/store'
import { viewport } from '../../lib/state/viewport'
import { text } from '../../lib/text'
import { stackOf } from '../../lib/view/bands'
import { short } from '../../lib/view/format'
import { isAsItHappened, limitOf, windowOf } from '../../lib/view/happened'
import { rangeBetween } from '../../lib/view/range'
import { totalAt } from '../../lib/view/position'
import { passTurns } from '../../lib/view/recorded'
import { scaleOf } from '../../lib/view/scale'
import { NO_SCALE, hasMore, isSameScale, scaleOfTokens, type TokenScale } from '../../lib/view/tokenScale'
import { lastOf, missTurns } from '../../lib/view/series'
import { tauInForce } from '../../lib/view/steer'
import { useDrawnSize } from '../shared/useDrawnSize'
import { BandsToggle } from './BandsToggle'
import { FoldButton } from './FoldButton'
import { Playhead } from './Playhead'
import { RangeBox } from './RangeBox'
import { ScaleToggle } from './ScaleToggle'
import { TauGrip } from './TauGrip'
import { cutOf, drawn } from './useScene'
import { useSurface } from './useSurface'
import { TimelineTip } from './TimelineTip'
import { turnWheel } from './wheel'

/** The left edge of the label of the model's window, beside the labels of the scale, pixels. */
const WINDOW_LEFT_PX = 52

/**
 * The bands of each request, on the same x as the graph. τ and the cut can be dragged; a drag elsewhere selects turns.
 * Folded to a line it shows the bands, τ and the cut alone.
 */
export function Timeline({ folded }: { folded: boolean }) {
  const app = useApp()
  const canvas = useRef<HTMLCanvasElement>(null)
  const history = useStore(app.bench.store, (bench) => bench.history)
  const recorded = useStore(app.bench.store, (bench) => bench.session?.recorded ?? null)
  const passes = useMemo(() => passTurns(recorded), [recorded])
  const [hover] = useState(() => createStore<{ turn: number | null; x: number }>({ turn: null, x: 0 }))
  const again = useStore(app.reacquisitions.store, () => app.reacquisitions.turns)
  const inForce = useStore(app.steering.store, ({ process }) => tauInForce(process))
  const { height } = useDrawnSize(canvas)
  // While τ is dragged the scale stands still, else the line would run from the pointer.
  const [held, setHeld] = useState<TokenScale | null>(null)
  // The scale, not the replay: React has nothing to do while a drag of τ leaves the scale as it is.
  const fitsAll = useStore(settings, ({ scale }) => scale === 'all')
  const last = useRef<TimelineFrame | null>(null)
  const lastScale = useRef(NO_SCALE)
  const fitting = useStore(app.bench.store, ({ history, replay, view, session }) => {
    const found =
      history && replay
        ? scaleOfTokens(
            stackOf(history, replay),
            { budget: Math.max(limitOf(view, replay) ?? 0, inForce ?? 0), window: windowOf(view, session) },
            fitsAll,
          )
        : NO_SCALE
    if (!isSameScale(found, lastScale.current)) lastScale.current = found
    return lastScale.current
  })
  const scale = held ?? fitting
  const hasLarge = useStore(app.bench.store, ({ history, replay, view, session }) =>
    history && replay
      ? hasMore(
          scaleOfTokens(
            stackOf(history, replay),
            { budget: Math.max(limitOf(view, replay) ?? 0, inForce ?? 0), window: windowOf(view, session) },
            false,
          ),
          windowOf(view, session),
        )
      : false,
  )
  const window = useStore(app.bench.store, ({ view, session }) => windowOf(view, session))
  const isSimulated = useStore(app.bench.store, (bench) => !isAsItHappened(bench.view))

  const [falling] = useState(() => new FallingSize())
  const frameNow = (): TimelineFrame | null => {
    const { graph, history, replay, steps, session, range, view: shown } = app.bench.bench
    if (!history || !replay) return null
    const stack = stackOf(history, replay)
    const [view, at] = [viewport.get(), app.bench.position()]
    const { turn } = at
    const source = graph?.from.source ?? 'declared'
    const again = app.reacquisitions.turns
    const limit = limitOf(shown, replay)
    const inForce = tauInForce(app.steering.store.get().process)
    const look = {
      view,
      turn,
      hovered: hover.get().turn,
      tokens: scale,
      limit,
      passes,
      range,
      again,
      source,
      inForce,
      window: windowOf(shown, session),
      sent: falling.advance(
        performance.now(),
        turn,
        totalAt(at, replay, steps),
        reducedMotion() || app.bench.isMoving,
      ),
    }
    return { history, replay, stack, look }
  }
  const surface = useSurface(
    canvas,
    {
      draw: (sheet) => {
        last.current = frameNow()
        if (last.current) drawTimeline(sheet, last.current)
        return falling.isMoving
      },
      changed: (width) => timelineChange(last.current, frameNow(), width),
    },
    [
      drawn(app.bench.store),
      cutOf(app.bench.store),
      app.reacquisitions.store,
      app.steering.store,
      viewport,
      hover,
    ],
  )

  // After zooming or panning another turn is at the pointer.
  useEffect(() => viewport.subscribe(() => hover.set({ turn: null })), [hover])

  // These come with a render, not with the bench.
  useEffect(() => surface.current?.invalidate(), [surface, scale, passes])

  const turnAt = (event: { clientX: number; clientY: number; currentTarget: Element }) => {
    const scale = scaleOf(viewport.get(), drawnSize(event.currentTarget).width)
    return Math.round(scale.turn(drawnPoint(event.currentTarget, event).x))
  }
  /** The turn whose turned arrow is at the pointer. */
  const againAt = (event: { clientX: number; clientY: number; currentTarget: Element }) => {
    const { width, height } = drawnSize(event.currentTarget)
    const { x, y } = drawnPoint(event.currentTarget, event)
    return turnAgainAt(app.reacquisitions.turns, scaleOf(viewport.get(), width), height, x, y)
  }
  const pressed = useRef<{ x: number; turn: number; moved: boolean } | null>(null)
  const nTurnsNow = () => app.bench.bench.replay?.after.length ?? 0
  const latestFull = lastOf(history?.full)
  const labels = folded ? [] : scaleLabels(scale, height)

  return (
    <div
      className="timeline flex border-b select-none"
      data-testid="timeline"
      data-passes={passes.join(',')}
      data-clearings={history?.clearings.join(',')}
      data-misses={history && missTurns(history).join(',')}
      data-again={again.join(',')}
      data-losses={history?.losses.map((loss) => loss.from).join(',')}
    >
      <div className="gutter timeline-gutter flex-none text-s bg-panel border-r relative overflow-hidden stack items-start gap-1">
        <FoldButton pane="timeline" name={text.timeline.title} folded={folded} />
        {!folded && (
          <>
            <span className="muted sub pl-8" aria-hidden="true">
              {text.timeline.sub}
            </span>
            <span className="key row gap-6 text-xs muted" aria-hidden="true">
              <i className="dash inline-block w-16" />
              {text.timeline.full}
            </span>
            <span className="key row gap-6 text-xs muted" aria-hidden="true">
              <i className="dot mx-6 rounded-full bg-text inline-block w-5 h-5" />
              {text.timeline.reported}
            </span>
            <BandsToggle />
          </>
        )}
      </div>
      <div className="plot grow min-w-0 min-h-0 relative">
        <canvas
          className="display-block w-full h-full absolute inset-0"
          ref={canvas}
          aria-hidden="true"
          onWheel={(event) => turnWheel(event.currentTarget, event)}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId)
            pressed.current = { x: event.clientX, turn: turnAt(event), moved: false }
          }}
          onPointerMove={(event) => {
            const turn = turnAt(event)
            const press = pressed.current
            const nTurns = nTurnsNow()
            if (press && nTurns > 0) {
              press.moved = press.moved || Math.abs(event.clientX - press.x) > 4
              if (press.moved) app.bench.brush(rangeBetween(press.turn, turn, nTurns))
            }
            const known = turn >= 1 && turn <= nTurns && press === null
            hover.set({
              turn: known ? turn : null,
              x: drawnPoint(event.currentTarget, event).x,
            })
          }}
          onPointerUp={(event) => {
            const press = pressed.current
            pressed.current = null
            if (!press || press.moved) return
            app.player.pause()
            const again = againAt(event)
            if (again !== null) return app.navigation.showStory({ by: 'turn', turn: again })
            app.bench.moveTo({ turn: turnAt(event), step: Number.MAX_SAFE_INTEGER })
          }}
          onPointerCancel={() => (pressed.current = null)}
          onPointerLeave={() => hover.set({ turn: null })}
        />
        {labels.map((label) => (
          <span
            key={label.text}
            className="scale-label up-half leading-15 text-xs rounded-4 absolute px-4 pointer-none left-4"
            style={{ top: rem(label.y) }}
          >
            {label.text}
          </span>
        ))}
        {!folded && window !== null && (
          <span
            className="scale-label up-half leading-15 text-xs rounded-4 absolute px-4 pointer-none nowrap"
            style={{ top: rem(windowLabel(window, scale, height)), left: rem(WINDOW_LEFT_PX) }}
            data-testid="model-window"
            data-tokens={window}
          >
            {text.timeline.window(short(window), window > scale.most)}
          </span>
        )}
        {!folded && (hasLarge || latestFull > scale.top) && (
          <span className="full-label row gap-8 text-xs muted rounded-4 absolute px-4 top-1 right-32">
            {hasLarge && <ScaleToggle />}
            {latestFull > scale.top && text.timeline.fullAt(short(latestFull))}
          </span>
        )}
        {!folded && inForce !== null && (
          <span
            className="in-force up-half bg-panel text-xs rounded-4 absolute px-4 pointer-none nowrap"
            data-testid="tau-in-force"
            data-budget={inForce}
            style={{ top: rem(Math.max(HEAD - 4, tokensToY(inForce, scale, height))) }}
          >
            {text.live.mark(short(inForce))}
          </span>
        )}
        {!folded && isSimulated && <TauGrip canvas={canvas} scale={scale} height={height} hold={setHeld} />}
        <Playhead canvas={canvas} />
        {!folded && <RangeBox />}
        <TimelineTip hover={hover} />
      </div>
    </div>
  )
}

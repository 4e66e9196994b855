import { useRef } from 'react'

import { reducedMotion } from '../../lib/canvas/scene'
import { drawStrip } from '../../lib/canvas/strip'
import { useApp } from '../../lib/state/app'
import { show, viewport } from '../../lib/state/viewport'
import { text } from '../../lib/text'
import { FoldButton } from './FoldButton'
import { useSurface } from './useSurface'
import { cutOf, drawn, type SharedScene } from './useScene'

const EDGE_PX = 7

/** The whole session, small; the brush is what graph and timeline show. It stands for the graph when that is folded. */
export function Strip({ shared, folded }: { shared: SharedScene; folded: boolean }) {
  const app = useApp()
  const canvas = useRef<HTMLCanvasElement>(null)
  const drag = useRef<{ kind: 'move' | 'left' | 'right'; at: number; x0: number; x1: number } | null>(null)
  useSurface(
    canvas,
    (sheet) => {
      const moving = shared.scene.advance(performance.now(), reducedMotion() || app.bench.isMoving)
      drawStrip(sheet, shared.scene, viewport.get(), app.bench.position().turn, app.bench.bench.range)
      return moving
    },
    // Small as it is, it need not follow each frame of a drag.
    [drawn(app.bench.calm), cutOf(app.bench.calm), viewport],
  )
  const placeAt = (event: React.PointerEvent) => {
    const frame = event.currentTarget.getBoundingClientRect()
    return ((event.clientX - frame.left) / Math.max(1, frame.width)) * viewport.get().end
  }
  return (
    <div className="strip flex border-b flex-none select-none h-38">
      <div className="gutter row flex-none text-s bg-panel border-r relative overflow-hidden">
        <FoldButton pane="graph" name={text.graph.session} folded={folded} />
      </div>
      <canvas
        ref={canvas}
        className="plot grow min-w-0 min-h-0 relative display-block w-full h-full"
        data-testid="strip"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          const at = placeAt(event)
          const { x0, x1, end } = viewport.get()
          const slack = (EDGE_PX / Math.max(1, event.currentTarget.clientWidth)) * end
          const inside = at > x0 - slack && at < x1 + slack
          if (inside && x1 - x0 < end - slack) {
            const kind = Math.abs(at - x0) < slack ? 'left' : Math.abs(at - x1) < slack ? 'right' : 'move'
            drag.current = { kind, at, x0, x1 }
          } else {
            // A press outside begins a new brush; without movement it centres the old one.
            const half = (x1 - x0) / 2
            if (!inside) show(at - half, at + half)
            drag.current = { kind: 'right', at, x0: at, x1: at }
          }
        }}
        onPointerMove={(event) => {
          const held = drag.current
          if (!held) return
          const at = placeAt(event)
          const by = at - held.at
          if (held.kind === 'move') show(held.x0 + by, held.x1 + by)
          else if (Math.abs(by) > viewport.get().end * 0.004) {
            const [a, b] =
              held.kind === 'left' ? [at, held.x1] : [held.x0, held.x0 === held.x1 ? at : held.x1 + by]
            show(Math.min(a, b), Math.max(a, b))
          }
        }}
        onPointerUp={() => (drag.current = null)}
        onPointerCancel={() => (drag.current = null)}
        onDoubleClick={() => show(0, viewport.get().end)}
      />
    </div>
  )
}

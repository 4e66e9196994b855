import { useEffect, useRef } from 'react'

import { rem } from '../../lib/canvas/drawn'
import { drawGraph } from '../../lib/canvas/graph'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { revealTurn, viewport } from '../../lib/state/viewport'
import { text } from '../../lib/text'
import { rowsOf } from '../../lib/view/lanes'
import { useDrawnSize } from '../shared/useDrawnSize'
import { useSurface } from '../graph/useSurface'
import { drawn, type SharedScene } from '../graph/useScene'

/** The graph of the window, drawn larger: letters and marks grow with the window. */
export function LargeGraph({ shared }: { shared: SharedScene }) {
  const app = useApp()
  const canvas = useRef<HTMLCanvasElement>(null)
  const size = useDrawnSize(canvas)
  const cut = useStore(app.bench.store, (bench) => bench.cut)
  useEffect(() => {
    if (cut.turn !== null) revealTurn(app.bench.position().turn)
  }, [app, cut])
  useSurface(
    canvas,
    (sheet) => {
      const larger = magnified(sheet.width, sheet.height)
      const bench = app.bench.bench
      sheet.ctx.save()
      sheet.ctx.scale(larger, larger)
      sheet.ctx.textRendering = 'geometricPrecision'
      const moving = drawGraph(
        {
          ...sheet,
          width: sheet.width / larger,
          height: sheet.height / larger,
          ratio: sheet.ratio * larger,
        },
        shared.scene,
        {
          view: viewport.get(),
          turn: app.bench.position().turn,
          selected: null,
          hovered: null,
          focused: null,
          touched: app.bench.touched(),
          severity: bench.graph ? shared.severity : new Map(),
          range: null,
          reacquisitions: app.reacquisitions.byEpisode,
        },
        performance.now(),
      )
      sheet.ctx.restore()
      return moving
    },
    [drawn(app.bench.store), app.reacquisitions.store, viewport],
  )
  const larger = magnified(size.width, size.height)
  const rows = rowsOf(size.height / larger)
  return (
    <div className="large-graph grow relative min-h-120">
      <canvas
        className="display-block w-full h-full absolute"
        ref={canvas}
        role="img"
        aria-label={text.graph.label}
      />
      <span
        className="text-explore-ink up-half semibold absolute text-m left-0"
        style={{ top: rem(((rows.exploreTop + rows.exploreFoot) / 2) * larger) }}
        data-lane="explore"
      >
        {text.graph.explore}
      </span>
      <span
        className="text-act-ink up-half semibold absolute text-m left-0"
        style={{ top: rem(((rows.actTop + rows.actFoot) / 2) * larger) }}
        data-lane="act"
      >
        {text.graph.act}
      </span>
    </div>
  )
}

/** How much larger than in the window the graph is drawn, to be read from the back of a room. */
function magnified(width: number, height: number): number {
  return Math.max(1.2, Math.min(2.4, width / 860, height / 230))
}

import { useEffect, useRef, type RefObject } from 'react'

import { drawnSize, rem, watchDrawn } from '../../lib/canvas/drawn'
import { boxOnCanvas } from '../../lib/canvas/graph'
import { useApp } from '../../lib/state/app'
import { viewport } from '../../lib/state/viewport'
import { text } from '../../lib/text'
import type { SharedScene } from './useScene'

/** The pulse around the episode that the agent is writing now. Styles of the page move it, so that the canvas can rest. */
export function LivePulse({
  shared,
  canvas,
}: {
  shared: SharedScene
  canvas: RefObject<HTMLCanvasElement | null>
}) {
  const app = useApp()
  const ring = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const place = () => {
      const element = ring.current
      const plot = canvas.current
      if (!element || !plot) return
      const { graph, session, cut } = app.bench.bench
      const idx = graph
        ? graph.episodes.findLastIndex((episode) => episode.open && episode.kind !== 'unannotated')
        : -1
      const { width, height } = drawnSize(plot)
      const box =
        idx >= 0 && session?.live && cut.turn === null
          ? boxOnCanvas(shared.scene, viewport.get(), width, height, idx)
          : null
      element.hidden = box === null || box.x + box.width < 0 || box.x > width
      if (!box) return
      element.style.transform = `translate(${rem(box.x - 3)}, ${rem(box.y - 3)})`
      element.style.width = rem(box.width + 6)
      element.style.height = rem(box.height + 6)
      element.dataset.lane = String(box.lane)
    }
    place()
    const ends = [app.bench.store.subscribe(place), viewport.subscribe(place)]
    if (canvas.current) ends.push(watchDrawn(canvas.current, { size: place, look: place }))
    return () => ends.forEach((end) => end())
  }, [app, shared, canvas])
  return (
    <div ref={ring} className="pulse rounded-4 absolute top-0 left-0 pointer-none" hidden aria-hidden="true">
      <span className="text-xs rounded-4 absolute px-4 weight-700 mt-2">{text.graph.live}</span>
    </div>
  )
}

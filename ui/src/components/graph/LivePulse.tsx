import { useEffect, useRef } from 'react'

import { boxOnCanvas } from '../../lib/canvas/graph'
import { useApp } from '../../lib/state/app'
import { viewport } from '../../lib/state/viewport'
import { text } from '../../lib/text'
import type { SharedScene } from './useScene'

/** The pulse around the episode that the agent is writing now: page style, so that the canvas can rest. */
export function LivePulse({
  shared,
  surfaceSize,
}: {
  shared: SharedScene
  surfaceSize: () => [number, number]
}) {
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

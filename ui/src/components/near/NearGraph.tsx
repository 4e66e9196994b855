import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from 'react'

import { textScale } from '../../lib/canvas/drawn'
import { boxOnCanvas } from '../../lib/canvas/graph'
import { drawnSize } from '../../lib/canvas/drawn'
import { useApp } from '../../lib/state/app'
import { moveDistance } from '../../lib/state/distance'
import { useStore } from '../../lib/state/store'
import { viewport } from '../../lib/state/viewport'
import { text } from '../../lib/text'
import { neighbourhoodOf, walkNear, type Neighbourhood as Hood, type Reached } from '../../lib/view/distance'
import type { SharedScene } from '../graph/useScene'
import { useDrawnSize } from '../shared/useDrawnSize'
import { EpisodeBlocks } from './EpisodeBlocks'
import { Neighbourhood } from './Neighbourhood'
import { flyHome, useFlight, type PageBox } from './useFlight'

/** A plot that is narrower has one column, pixels at the normal size of text. */
const NARROW_PX = 620

interface Props {
  shared: SharedScene
  canvas: RefObject<HTMLCanvasElement | null>
}

/** The graph from near: the neighbourhood of the chosen episode, or its blocks. From afar there is nothing here. */
export function NearGraph({ shared, canvas }: Props) {
  const app = useApp()
  const wanted = useStore(app.panes, (panes) => panes.distance)
  const selected = useStore(app.bench.store, (bench) => bench.selected)
  const isNear = wanted !== 'session' && selected !== null
  const [held, setHeld] = useState<{ idx: number; distance: typeof wanted } | null>(null)
  const root = useRef<HTMLDivElement>(null)
  const origin = useCallback((idx: number) => boxOnPage(shared, canvas.current, idx), [shared, canvas])
  // The near view stays until its parts are back in the graph.
  useEffect(() => {
    if (isNear) return setHeld({ idx: selected, distance: wanted })
    let isOver = false
    if (root.current) {
      const hadKeyboard = root.current.contains(document.activeElement)
      void flyHome(root.current, origin).then(() => {
        if (isOver) return
        setHeld(null)
        if (hadKeyboard) canvas.current?.focus()
      })
    }
    return () => {
      isOver = true
    }
  }, [isNear, selected, wanted, origin, canvas])
  const shown = isNear ? { idx: selected, distance: wanted } : held
  if (shown === null) return null
  return <NearView root={root} canvas={canvas} shared={shared} origin={origin} {...shown} />
}

interface ViewProps extends Props {
  root: RefObject<HTMLDivElement | null>
  origin: (idx: number) => PageBox | null
  idx: number
  distance: string
}

function NearView({ root, canvas, shared, origin, idx, distance }: ViewProps) {
  const app = useApp()
  const graph = useStore(app.bench.store, (bench) => bench.graph)
  const { width } = useDrawnSize(canvas)
  const chosen = useRef<HTMLElement>(null)
  const reached = useRef<Reached | null>(null)
  const hoodOf = useCallback(
    (at: number): Hood =>
      graph ? neighbourhoodOf(graph, shared.scene.links, at) : { sources: [], users: [] },
    [graph, shared],
  )
  const hood = useMemo(() => hoodOf(idx), [hoodOf, idx])
  useFlight(root, `${distance} ${idx}`, origin)
  // The keyboard goes along, unless it is in a list or a field of another pane.
  useEffect(() => {
    const at = document.activeElement
    const isFree = at === null || at === document.body || at === canvas.current || root.current?.contains(at)
    if (isFree || at?.closest('[data-testid="distance"]')) chosen.current?.focus({ preventScroll: true })
  }, [idx, distance, canvas, root])

  const go = (next: number, how: Reached) => {
    reached.current = how
    // The card that had the keyboard is another one now.
    chosen.current?.focus({ preventScroll: true })
    app.bench.select(next)
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    const isButton = event.target instanceof HTMLButtonElement
    if (event.key === 'Enter' && !isButton && distance === 'neighbourhood') moveDistance(app, 1)
    else if (/^Arrow/.test(event.key)) {
      const next = walkNear(hoodOf, idx, reached.current, event.key)
      if (next) go(next.idx, next.reached)
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  const name = graph?.episodes[idx]?.name ?? ''
  return (
    <div
      ref={root}
      className="near absolute inset-0 bg-page overflow-auto z-1"
      role="region"
      aria-label={distance === 'episode' ? text.near.episodeOf(name) : text.near.neighbourhoodOf(name)}
      data-testid="near"
      data-distance={distance}
      onKeyDown={onKeyDown}
    >
      {distance === 'episode' ? (
        <EpisodeBlocks key={idx} idx={idx} chosen={chosen} />
      ) : (
        <Neighbourhood
          idx={idx}
          hood={hood}
          isNarrow={width < NARROW_PX}
          go={(next, by) => go(next, { from: idx, by })}
          chosen={chosen}
        />
      )}
    </div>
  )
}

/** Returns the place of an episode's box on the page; `null` where it is out of view. */
function boxOnPage(shared: SharedScene, canvas: HTMLCanvasElement | null, idx: number): PageBox | null {
  if (!canvas) return null
  const { width, height } = drawnSize(canvas)
  const box = boxOnCanvas(shared.scene, viewport.get(), width, height, idx)
  if (!box) return null
  const [scale, frame] = [textScale(), canvas.getBoundingClientRect()]
  return {
    left: frame.left + Math.max(-box.width, Math.min(width, box.x)) * scale,
    top: frame.top + box.y * scale,
    width: box.width * scale,
    height: box.height * scale,
  }
}

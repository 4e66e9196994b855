import { useCallback, useRef } from 'react'

import { boxOnCanvas } from '../../lib/canvas/graph'
import { drawnSize } from '../../lib/canvas/drawn'
import type { App } from '../../lib/state/app'
import type { Store } from '../../lib/state/store'
import { viewport } from '../../lib/state/viewport'
import { lastReply, replyOf, edgeAt, type Pending } from '../../lib/view/marking'
import type { Scale } from '../../lib/view/scale'
import type { SharedScene } from './useScene'

/** A place of the pointer on the canvas, with the episode below it. */
export interface Pointed {
  idx: number | null
  x: number
  y: number
  scale: Scale
}

/**
 * Drags that change marks, while marks are being changed: from an exploration to an act, and the edge of an episode. Each
 * function answers whether the pointer is taken by such a drag.
 */
export function useMarkDrag(
  app: App,
  shared: SharedScene,
  canvas: React.RefObject<HTMLCanvasElement | null>,
  pointer: Store<{ pending: Pending | null }>,
) {
  /** True once the pointer has moved: a press alone selects. */
  const moved = useRef(false)

  /** The drag that would begin at a place. */
  const beginsAt = useCallback(
    ({ idx, x, y }: Pointed): Pending | null => {
      const element = canvas.current
      const episode = idx === null ? undefined : app.bench.bench.graph?.episodes[idx]
      if (!app.marking.store.get().on || !element || !episode || idx === null) return null
      if (episode.kind === 'unannotated') return null
      const { width, height } = drawnSize(element)
      const box = boxOnCanvas(shared.scene, viewport.get(), width, height, idx)
      const edge = box && edgeAt(box.x, box.x + box.width, x)
      if (edge && !(edge === 'end' && episode.open))
        return { what: 'edge', idx, edge, turn: edge === 'begin' ? replyOf(episode) : lastReply(episode) }
      return episode.kind === 'expl' ? { what: 'link', from: idx, to: null, x, y } : null
    },
    [app, shared, canvas],
  )

  const down = useCallback(
    (at: Pointed): boolean => {
      moved.current = false
      const pending = beginsAt(at)
      pointer.set({ pending })
      return pending !== null
    },
    [beginsAt, pointer],
  )

  const move = useCallback(
    ({ idx, x, y, scale }: Pointed): boolean => {
      const { pending } = pointer.get()
      const graph = app.bench.bench.graph
      if (!pending || !graph) return false
      moved.current = true
      if (pending.what === 'edge') {
        const at = Math.round(scale.turn(x))
        const turn = Math.max(1, Math.min(graph.n_turns - 1, pending.edge === 'begin' ? at : at - 1))
        pointer.set({ pending: { ...pending, turn } })
      } else {
        const isAct = idx !== null && idx > pending.from && graph.episodes[idx]?.kind === 'act'
        pointer.set({ pending: { ...pending, to: isAct ? idx : null, x, y } })
      }
      return true
    },
    [app, pointer],
  )

  const up = useCallback((): boolean => {
    const { pending } = pointer.get()
    pointer.set({ pending: null })
    const episodes = app.bench.bench.graph?.episodes
    if (!pending || !moved.current || !episodes) return false
    if (pending.what === 'link') {
      const [on, act] = [episodes[pending.from]?.name, episodes[pending.to ?? -1]?.name]
      if (on !== undefined && act !== undefined) void app.marking.edit([{ do: 'link', act, on }])
      return true
    }
    const { turn, edge } = pending
    const episode = episodes[pending.idx]
    const was = episode && (edge === 'begin' ? replyOf(episode) : lastReply(episode))
    if (episode && turn !== was)
      void app.marking.edit([{ do: edge, of: episode.name, at: { on: 'turn', turn } }])
    return true
  }, [app, pointer])

  return { beginsAt, down, move, up }
}

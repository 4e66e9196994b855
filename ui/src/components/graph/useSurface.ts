import { useEffect, useRef, type RefObject } from 'react'

import { Surface, type Sheet } from '../../lib/canvas/surface'

interface Source {
  subscribe(listen: () => void): () => void
}

/**
 * Ties a drawing to a canvas element for as long as it is shown. It is drawn again when one of the
 * stores changes; React does not render for it.
 */
export function useSurface(
  canvas: RefObject<HTMLCanvasElement | null>,
  draw: (sheet: Sheet) => boolean,
  sources: readonly Source[],
): RefObject<Surface | null> {
  const surface = useRef<Surface | null>(null)
  const latest = useRef(draw)
  latest.current = draw
  useEffect(() => {
    if (!canvas.current) return
    const made = new Surface(canvas.current, (sheet) => latest.current(sheet))
    surface.current = made
    const ends = sources.map((source) => source.subscribe(() => made.invalidate()))
    return () => {
      ends.forEach((end) => end())
      made.close()
      surface.current = null
    }
    // The stores of a window never change their identity.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  return surface
}

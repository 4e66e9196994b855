import { useEffect, useRef, type RefObject } from 'react'

import { Surface, type Drawing } from '../../lib/canvas/surface'

interface Source {
  subscribe(listen: () => void): () => void
}

/**
 * Ties a drawing to a canvas element for as long as it is shown. It is drawn again when one of the
 * stores changes; React does not render for it.
 */
export function useSurface(
  canvas: RefObject<HTMLCanvasElement | null>,
  drawing: Drawing['draw'] | Drawing,
  sources: readonly Source[],
): RefObject<Surface | null> {
  const surface = useRef<Surface | null>(null)
  const latest = useRef(drawing)
  latest.current = drawing
  useEffect(() => {
    if (!canvas.current) return
    const now = (): Drawing =>
      typeof latest.current === 'function' ? { draw: latest.current } : latest.current
    const made = new Surface(canvas.current, {
      draw: (sheet) => now().draw(sheet),
      changed: (width) => now().changed?.(width) ?? null,
    })
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

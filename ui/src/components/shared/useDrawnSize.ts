import { useEffect, useState, type RefObject } from 'react'

import { drawnSize, watchDrawn, type Size } from '../../lib/canvas/drawn'

/** Returns the size of the drawing on an element, pixels at the normal size of text. */
export function useDrawnSize(drawn: RefObject<Element | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  useEffect(() => {
    const element = drawn.current
    if (!element) return
    const measure = () => {
      const { width, height } = drawnSize(element)
      setSize((last) => (last.width === width && last.height === height ? last : { width, height }))
    }
    measure()
    return watchDrawn(element, { size: measure, look: measure })
  }, [drawn])
  return size
}

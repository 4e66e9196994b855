/** The default size of text, pixels. The root of the page multiplies the browser's own 16 pixels. */
const NORMAL_PX = 16

/**
 * How large text is, as a share of its normal size. Drawings are in pixels at the normal size of text, as styles are
 * written; on the page each such pixel is this large.
 */
export function textScale(): number {
  const size = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  return size > 0 ? size / NORMAL_PX : 1
}

/** A length of a drawing as the page says it, so that what lies over a drawing grows with it. */
export const rem = (px: number): string => `${Number((px / NORMAL_PX).toFixed(5))}rem`

/** A size in pixels of a drawing. */
export interface Size {
  width: number
  height: number
}

/** How large the drawing on an element is. */
export function drawnSize({ clientWidth, clientHeight }: Element): Size {
  const scale = textScale()
  return { width: clientWidth / scale, height: clientHeight / scale }
}

/** Where on the drawing of an element the pointer is. */
export function drawnPoint(element: Element, event: { clientX: number; clientY: number }) {
  const scale = textScale()
  const { left, top } = element.getBoundingClientRect()
  return { x: (event.clientX - left) / scale, y: (event.clientY - top) / scale }
}

/** Tells when the drawing on an element may have another size or other colours; answers how to end that. */
export function watchDrawn(element: Element, heard: { size: () => void; look: () => void }): () => void {
  const sizes = new ResizeObserver(heard.size)
  sizes.observe(element)
  // It is set last of all that settings change, also when it stays what it was.
  const looks = new MutationObserver(heard.look)
  looks.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  return () => {
    sizes.disconnect()
    looks.disconnect()
  }
}

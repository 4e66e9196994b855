import { useLayoutEffect, useRef, type RefObject } from 'react'

import { reducedMotion } from '../../lib/canvas/scene'

/** How long a part of the picture takes to its new place, milliseconds. */
const FLIGHT_MS = 240
const EASING = 'cubic-bezier(0.3, 0, 0.2, 1)'

/** A rectangle of the page. */
export type PageBox = Pick<DOMRect, 'left' | 'top' | 'width' | 'height'>

const flying = (root: Element) => [...root.querySelectorAll<HTMLElement>('[data-flight]')]

/** The transform that lays an element at `to` over `from`. */
const laidOver = (from: PageBox, to: PageBox): Keyframe => ({
  transformOrigin: '0 0',
  transform: `translate(${from.left - to.left}px, ${from.top - to.top}px) scale(${from.width / Math.max(1, to.width)}, ${from.height / Math.max(1, to.height)})`,
  opacity: 0.4,
})
const AT_HOME: Keyframe = { transformOrigin: '0 0', transform: 'none', opacity: 1 }

/**
 * Lets each part with `data-flight` move from where it was to where it is whenever `key` changes; a new part comes from its
 * place in the graph, which `origin` tells. With reduced motion all parts are where they belong at once.
 */
export function useFlight(
  root: RefObject<HTMLElement | null>,
  key: string,
  origin: (idx: number) => PageBox | null,
): void {
  const before = useRef(new Map<string, PageBox>())
  useLayoutEffect(() => {
    if (!root.current) return
    const places = new Map<string, PageBox>()
    for (const part of flying(root.current)) {
      const idx = part.dataset.flight ?? ''
      for (const animation of part.getAnimations()) animation.cancel()
      const place = part.getBoundingClientRect()
      places.set(idx, place)
      const from = before.current.get(idx) ?? origin(Number(idx))
      if (from && !reducedMotion())
        part.animate([laidOver(from, place), AT_HOME], { duration: FLIGHT_MS, easing: EASING })
    }
    if (before.current.size === 0 && !reducedMotion())
      root.current.animate([{ opacity: 0 }, { opacity: 1 }], { duration: FLIGHT_MS / 2 })
    before.current = places
    // The key tells when parts have new places.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key])
}

/** Lets all parts go back to their places in the graph; resolves when they are there. */
export async function flyHome(root: HTMLElement, origin: (idx: number) => PageBox | null): Promise<void> {
  if (reducedMotion()) return
  const timing: KeyframeAnimationOptions = { duration: FLIGHT_MS, easing: EASING, fill: 'forwards' }
  const flights = flying(root).flatMap((part) => {
    const to = origin(Number(part.dataset.flight))
    return to ? [part.animate([AT_HOME, laidOver(to, part.getBoundingClientRect())], timing)] : []
  })
  flights.push(root.animate([{ opacity: 1 }, { opacity: 0 }], timing))
  await Promise.allSettled(flights.map(({ finished }) => finished))
}

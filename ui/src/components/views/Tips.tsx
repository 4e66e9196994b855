import { useEffect, useLayoutEffect, useRef, useState } from 'react'

import { text } from '../../lib/text'

/** How long the pointer rests before a tooltip shows, milliseconds. */
const REST_MS = 400

/** A tooltip of an element. */
interface Tip {
  element: HTMLElement
  /** The word of the glossary that it explains. */
  name: string | null
  says: string
  /** The origin of a figure. */
  origin: string | null
}

/** Reads the tooltip of an element: a word of the glossary, or its `title`; and `data-origin`. */
function tipOf(element: HTMLElement): Tip {
  const { term, origin } = element.dataset
  const known = term === undefined ? undefined : text.glossary.words[term as keyof typeof text.glossary.words]
  const says = known?.[1] ?? element.title
  return { element, name: known?.[0] ?? null, says, origin: origin ?? null }
}

/**
 * The tooltips of the window, for everything with a `title`: with the pointer and with the keyboard, in the look of the
 * window, and with the origin of a figure. The browser's own tooltip would come a second later, and never by the keyboard.
 */
export function Tips() {
  const [tip, setTip] = useState<Tip | null>(null)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let at: HTMLElement | null = null
    let title: string | null = null
    /** The element that was pressed: its tooltip is out of the way until the pointer comes again. */
    let pressed: HTMLElement | null = null
    const leave = () => {
      clearTimeout(timer)
      // The title stays with its element: screen readers read it, and it may have changed meanwhile.
      if (at && title !== null && !at.hasAttribute('title')) at.setAttribute('title', title)
      at = null
      title = null
      setTip(null)
    }
    const enter = (target: EventTarget | null) => {
      if (!(target instanceof Element) || at?.contains(target)) return
      leave()
      const found = target.closest<HTMLElement>('[title]:not(iframe)')
      if (found !== pressed) pressed = null
      if (!found || found === pressed || found.title.trim() === '') return
      at = found
      timer = setTimeout(() => {
        if (!found.isConnected) return leave()
        setTip(tipOf(found))
        title = found.title
        found.removeAttribute('title')
      }, REST_MS)
    }
    // A pointer that rests while the window changes under it asks for nothing.
    const move = (event: PointerEvent) => event.pointerType !== 'touch' && enter(event.target)
    const press = (event: PointerEvent) => {
      leave()
      pressed = event.target instanceof Element ? event.target.closest<HTMLElement>('[title]') : null
    }
    const focus = ({ target }: FocusEvent) =>
      target instanceof Element && target.matches(':focus-visible') && enter(target)
    const key = () => leave()
    document.addEventListener('pointermove', move)
    document.addEventListener('pointerdown', press)
    document.addEventListener('focusin', focus)
    document.addEventListener('focusout', leave)
    document.addEventListener('keydown', key, true)
    document.addEventListener('scroll', leave, true)
    return () => {
      leave()
      document.removeEventListener('pointermove', move)
      document.removeEventListener('pointerdown', press)
      document.removeEventListener('focusin', focus)
      document.removeEventListener('focusout', leave)
      document.removeEventListener('keydown', key, true)
      document.removeEventListener('scroll', leave, true)
    }
  }, [])
  return tip && <TipBox tip={tip} />
}

/** Room between a tooltip and its element, and between it and the sides of the window, pixels. */
const GAP = 6
/** Above dialogs and lists that drop down. */
const TOP = 60

/** One tooltip, below its element, or above it where there is no room below. */
function TipBox({ tip: { element, name, says, origin } }: { tip: Tip }) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const own = box.current
    if (!own) return
    const { left, top, bottom } = element.getBoundingClientRect()
    const { offsetWidth: width, offsetHeight: height } = own
    const fits = bottom + GAP + height <= window.innerHeight
    own.style.left = `${Math.max(GAP, Math.min(left, window.innerWidth - width - GAP))}px`
    own.style.top = `${fits ? bottom + GAP : Math.max(GAP, top - GAP - height)}px`
  }, [element, name, says, origin])
  return (
    <div
      ref={box}
      className="tip pre-wrap break-anywhere"
      style={{ zIndex: TOP }}
      role="tooltip"
      data-testid="tooltip"
    >
      {name !== null && <b>{name}: </b>}
      {says}
      {origin !== null && <p className="muted mt-4">{text.tips.origin(origin)}</p>}
    </div>
  )
}

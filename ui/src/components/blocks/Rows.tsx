import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useId, useLayoutEffect, useRef, type ReactNode } from 'react'

import type { Pages } from '../../lib/state/pages'
import type { RowStates } from '../../lib/state/rows'
import { useStore } from '../../lib/state/store'
import { intoView, isOurs, isUntold, scrollFor, type Anchor, type LaidOut } from '../../lib/view/anchor'
import { MOST_PX } from '../../lib/view/rows'

interface Props<T> {
  pages: Pages<T>
  states: RowStates
  label: string
  testid: string
  row: (item: T, idx: number, active: boolean) => ReactNode
  /** The key of a row. The same row has the same key in another list. */
  keyOf: (item: T) => string
  /** How tall a row will be, before it is measured. */
  estimate: (item: T | undefined, n: number) => number
  /** True keeps the end in view while it is in view. */
  stick?: boolean
  /** Called when Enter is pressed on the row that has the keyboard. */
  onEnter?: () => void
}

const END_PX = 24

/**
 * A long list of which only the visible rows exist as elements. Until the reader scrolls, the row at the top stays where
 * it is, even when rows above it are measured or the list changes. Up and down go through the rows.
 */
export function Rows<T>({
  pages,
  states,
  label,
  testid,
  row,
  keyOf,
  estimate,
  stick = false,
  onEnter,
}: Props<T>) {
  'use no memo'
  const { n, version, moved } = useStore(pages.store, (state) => state)
  const { active, wish } = useStore(states.store, (state) => state)
  const scroller = useRef<HTMLDivElement>(null)
  const atEnd = useRef(stick)
  const anchor = useRef<Anchor | null>(null)
  /** Where the list itself was scrolled to last. */
  const put = useRef<number | null>(null)
  /** Where it stood when it was looked at last, by the list or because the browser told of a scroll. */
  const seenAt = useRef(0)
  const id = useId()
  // A new function makes the virtualizer measure all rows again, so it changes only when the rows do.
  const keyAt = useCallback(
    (idx: number) => {
      const item = pages.at(idx)
      return item === undefined ? idx : keyOf(item)
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [pages, version],
  )
  const list = useVirtualizer({
    count: n,
    getScrollElement: () => scroller.current,
    estimateSize: (idx) => estimate(pages.at(idx), n),
    overscan: 6,
    getItemKey: keyAt,
  })
  // The anchor holds the place, not the virtualizer.
  list.shouldAdjustScrollPositionOnItemSizeChange = () => false
  const rows = list.getVirtualItems()
  const from = rows[0]?.index ?? 0
  const to = rows.at(-1)?.index ?? 20
  useEffect(() => pages.ensure(from, to), [pages, from, to, version])
  useEffect(
    () => () => {
      pages.top = null
      pages.seen = null
    },
    [pages],
  )

  const movedTo = useRef(moved?.wish ?? 0)
  const wished = useRef(0)
  const size = list.getTotalSize()
  // Engines do not lay out more; a list of which very many rows were measured forgets the heights of those out of view.
  if (size > MOST_PX) list.measure()

  /** Tells which row is the first in view from its beginning; of one that fills the view, that one. */
  const look = (element: HTMLElement) => {
    const { scrollTop, clientHeight } = element
    const first = list.getVirtualItemForOffset(scrollTop + 1)
    const isCut =
      first !== undefined && first.start < scrollTop - 1 && first.end < scrollTop + clientHeight / 2
    pages.seen = first === undefined ? null : Math.min(n - 1, isCut ? first.index + 1 : first.index)
  }
  useLayoutEffect(() => {
    if (scroller.current) look(scroller.current)
  })

  const scrolled = () => {
    const element = scroller.current
    if (!element) return
    const { scrollTop } = element
    seenAt.current = scrollTop
    look(element)
    atEnd.current = element.scrollHeight - scrollTop - element.clientHeight < END_PX
    if (!isOurs(put.current, element)) {
      const seen = list.getVirtualItemForOffset(scrollTop + 1)
      if (seen) anchor.current = { index: seen.index, below: seen.start - scrollTop }
      put.current = null
    }
    pages.top = stick && atEnd.current ? null : (anchor.current?.index ?? null)
  }

  // Runs after every layout, so that rows that were measured late, or came in above, do not push the text away that is read.
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    // A list that changes in the moment after it was scrolled must not put back the person who scrolled it.
    if (isUntold(seenAt.current, 1, element)) scrolled()
    if (moved && moved.wish !== movedTo.current) {
      movedTo.current = moved.wish
      if (anchor.current?.index === moved.from) anchor.current = { ...anchor.current, index: moved.to }
    }
    if (wish && wish.wish !== wished.current && wish.index < n) {
      wished.current = wish.wish
      atEnd.current = false
      anchor.current = wishedAnchor(element, wish.index, wish.below) ?? anchor.current
      // A row that was reached by a key keeps the keyboard.
      if (Number.isNaN(wish.below)) element.focus({ preventScroll: true })
    }
    if (stick && atEnd.current) {
      pages.top = null
      if (element.scrollTop + element.clientHeight < element.scrollHeight - 1)
        element.scrollTop = element.scrollHeight
      seenAt.current = element.scrollTop
      return
    }
    seenAt.current = element.scrollTop
    const held = anchor.current
    pages.top = held?.index ?? null
    if (!held) return
    const start = list.measurementsCache[Math.min(held.index, n - 1)]?.start
    if (start === undefined) return
    const wanted = Math.min(scrollFor(held, start), Math.max(0, element.scrollHeight - element.clientHeight))
    if (Math.abs(element.scrollTop - wanted) <= 1) return
    element.scrollTop = wanted
    put.current = element.scrollTop
    seenAt.current = element.scrollTop
  })

  const shownActive = active !== null && active >= from && active <= to && active < n
  return (
    <div
      ref={scroller}
      className="rows scroll relative"
      data-testid={testid}
      data-items={n}
      tabIndex={0}
      role="grid"
      aria-label={label}
      aria-rowcount={n}
      aria-activedescendant={shownActive ? `${id}-${active}` : undefined}
      onScroll={scrolled}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target === scroller.current) {
          event.preventDefault()
          onEnter?.()
        } else toEnds(event, scroller.current)
      }}
    >
      <div className="rows-inner relative" role="rowgroup" style={{ height: size }}>
        {rows.map((place) => {
          const item = pages.at(place.index)
          return (
            <div
              key={place.key}
              id={`${id}-${place.index}`}
              ref={list.measureElement}
              data-index={place.index}
              className={
                place.index === active
                  ? 'rows-place active absolute w-full left-0'
                  : 'rows-place absolute w-full left-0'
              }
              role="row"
              aria-rowindex={place.index + 1}
              // Not moved by a transform, in which nothing could stick to the view.
              style={{ top: place.start }}
              onPointerDown={() => states.activate(place.index, item === undefined ? null : keyOf(item))}
            >
              <div role="gridcell">
                {item === undefined ? (
                  <div className="bg-panel rounded-6 m-6-12 h-40" />
                ) : (
                  row(item, place.index, place.index === active)
                )}
              </div>
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** The rows that exist, in order, below the upper edge of the view. */
function laidOut(element: HTMLElement): LaidOut[] {
  const edge = element.getBoundingClientRect().top
  return [...element.querySelectorAll<HTMLElement>(':scope > .rows-inner > .rows-place')]
    .map((place) => {
      const { top, bottom } = place.getBoundingClientRect()
      return { index: Number(place.dataset.index), top: top - edge, bottom: bottom - edge }
    })
    .sort((a, b) => a.index - b.index)
}

/** Returns the anchor for a wished row: at a height, or scrolled no farther than needed. */
function wishedAnchor(element: HTMLElement, index: number, below: number): Anchor | null {
  if (!Number.isNaN(below)) return { index, below }
  const rows = laidOut(element)
  const there = rows.find((row) => row.index === index)
  if (there) return { index, below: intoView(there, element.clientHeight) }
  const first = rows[0]?.index ?? 0
  return { index, below: index < first ? 8 : Math.max(8, element.clientHeight - 80) }
}

/** Home and End go to the ends of the list that has the keyboard. */
function toEnds(event: React.KeyboardEvent, element: HTMLElement | null): void {
  if (!element || event.target !== element || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === 'Home') element.scrollTop = 0
  else if (event.key === 'End') element.scrollTop = element.scrollHeight
  else return
  event.preventDefault()
  event.stopPropagation()
}

import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, type ReactNode, type RefObject } from 'react'

import type { ItemDto } from '../../lib/ipc/generated/ItemDto'
import type { Pages } from '../../lib/state/pages'
import { useStore } from '../../lib/state/store'
import { estimateRow } from '../../lib/view/rows'

/** Wishes of a list: bring a place into view. Grows by one per wish. */
export interface ScrollWish {
  index: number
  wish: number
}

interface Props<T extends ItemDto> {
  pages: Pages<T>
  label: string
  testid: string
  row: (item: T, idx: number) => ReactNode
  /** True keeps the end in view while it is in view. */
  stick?: boolean
  wish?: ScrollWish | null
  onAway?: (away: boolean) => void
}

const END_PX = 24

/** A long list of blocks of which only the visible ones exist. Never moves by itself, unless it stands at its end. */
export function Rows<T extends ItemDto>({
  pages,
  label,
  testid,
  row,
  stick = false,
  wish,
  onAway,
}: Props<T>) {
  'use no memo'
  const { n, version } = useStore(pages.store, (state) => state)
  const scroller = useRef<HTMLDivElement>(null)
  const atEnd = useRef(stick)
  const list = useVirtualizer({
    count: n,
    getScrollElement: () => scroller.current,
    estimateSize: (idx) => estimateRow(pages.at(idx), n),
    overscan: 6,
    getItemKey: (idx) => pages.at(idx)?.block ?? `place-${idx}`,
  })
  const rows = list.getVirtualItems()
  const from = rows[0]?.index ?? 0
  const to = rows.at(-1)?.index ?? 20
  useEffect(() => pages.ensure(from, to), [pages, from, to, version])

  // While the end is in view it stays in view: rows that are measured late would push it away.
  const size = list.getTotalSize()
  useLayoutEffect(() => {
    const element = scroller.current
    if (stick && atEnd.current && element) element.scrollTop = element.scrollHeight
  }, [stick, n, version, size])

  const wished = wish?.wish
  useEffect(() => {
    if (!wish || wish.index < 0) return
    atEnd.current = false
    list.scrollToIndex(wish.index, { align: 'start' })
    // Only a new wish scrolls, not every render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [wished])

  return (
    <div
      ref={scroller}
      className="rows"
      data-testid={testid}
      data-items={n}
      tabIndex={0}
      role="feed"
      aria-label={label}
      onScroll={(event) => {
        const element = event.currentTarget
        const end = element.scrollHeight - element.scrollTop - element.clientHeight < END_PX
        if (end !== atEnd.current) onAway?.(!end)
        atEnd.current = end
      }}
      onKeyDown={(event) => moveByKey(event, scroller)}
    >
      <div className="rows-inner" style={{ height: size }}>
        {rows.map((place) => {
          const item = pages.at(place.index)
          return (
            <div
              key={place.key}
              ref={list.measureElement}
              data-index={place.index}
              className="rows-place"
              style={{ transform: `translateY(${place.start}px)` }}
            >
              {item ? row(item, place.index) : <div className="row-skeleton" />}
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** `j` and `k` go a block on and back; Home and End to the ends. */
function moveByKey(event: React.KeyboardEvent, scroller: RefObject<HTMLDivElement | null>): void {
  const element = scroller.current
  if (!element || event.target !== element) return
  if (event.key === 'Home') element.scrollTop = 0
  else if (event.key === 'End') element.scrollTop = element.scrollHeight
  else return
  event.preventDefault()
  event.stopPropagation()
}

/** Scrolls a list to its next or previous row; for keys that are pressed outside of it. */
export function scrollByRow(root: ParentNode, direction: 1 | -1): void {
  const element = root.querySelector<HTMLElement>('.rows')
  if (!element) return
  const top = element.getBoundingClientRect().top
  const places = [...element.querySelectorAll<HTMLElement>('.rows-place')]
    .map((place) => place.getBoundingClientRect().top - top)
    .sort((a, b) => a - b)
  const target = direction > 0 ? places.find((place) => place > 2) : places.findLast((place) => place < -2)
  element.scrollTop += target ?? direction * 80
}

import type { Virtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, type RefObject } from 'react'

import type { SessionListRow } from '../../lib/ipc/generated/SessionListRow'
import { isUntold } from '../../lib/view/anchor'
import { holdPlace, type InView } from '../../lib/view/hold'
import type { DrawerEntry } from '../../lib/view/drawer'

/** The list itself moves by up to this when lines that were only estimated are measured, pixels. */
const MEASURED_PX = 25

interface Held {
  list: Virtualizer<HTMLDivElement, Element>
  scroller: RefObject<HTMLDivElement | null>
  entries: readonly DrawerEntry[]
  rows: readonly SessionListRow[]
  find: string
}

/**
 * Keeps the lines in view in their place when lines come and go above them. A list at its top stays at the top, where the
 * newest are, and a new search begins there. Returns the function to call whenever the list was scrolled.
 */
export function useHeldPlace({ list, scroller, entries, rows, find }: Held): () => void {
  const inView = useRef<InView[]>([])
  const seenAt = useRef(0)
  const last = useRef({ entries, rows, find })

  const remember = () => {
    const { scrollTop: top = 0, clientHeight: height = 0 } = scroller.current ?? {}
    seenAt.current = top
    inView.current = list
      .getVirtualItems()
      .filter(({ start, end }) => end > top && start < top + height)
      .filter(({ index }) => isHeld(last.current.entries[index]))
      .map(({ key, start }) => ({ key: String(key), top: start - top }))
  }

  useLayoutEffect(() => {
    const before = last.current
    last.current = { entries, rows, find }
    const element = scroller.current
    if (element && before.find !== find) element.scrollTop = 0
    else if (
      element &&
      before.entries !== entries &&
      element.scrollTop > 0 &&
      !isUntold(seenAt.current, MEASURED_PX, element)
    ) {
      // Lines that were just drawn for the first time have a size now; this makes the places below them follow.
      list.getTotalSize()
      const top = element.scrollTop
      const places = new Map(entries.map(({ key }, idx) => [key, idx]))
      const topOf = (key: string) => {
        const start = list.measurementsCache[places.get(key) ?? -1]?.start
        return start === undefined ? undefined : start - top
      }
      element.scrollTop = top + holdPlace(inView.current, topOf, before.rows === rows ? 'folded' : 'moved')
    }
    remember()
  })
  return remember
}

/** Headings stay in view by themselves. */
const isHeld = (entry: DrawerEntry | undefined) =>
  entry?.kind === 'session' || entry?.kind === 'hit' || entry?.kind === 'more'

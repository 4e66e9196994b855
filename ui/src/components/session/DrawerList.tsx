import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useImperativeHandle, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react'

import type { SessionListRow } from '../../lib/ipc/generated/SessionListRow'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { headingAbove, nextStop, type DrawerEntry } from '../../lib/view/drawer'
import { DrawerLine } from './DrawerLine'
import { useHeldPlace } from './useHeldPlace'

const GROUP_PX = 30
const ROW_PX = 50
const UNFOLD_PX = 24
const HIT_PX = 56
const MORE_PX = 28

/** The calls that other components may make to the list. */
export interface ListHandle {
  /** Gives the keyboard to the first line that can have it; false without one. */
  first(): boolean
}

interface Props {
  handle: RefObject<ListHandle | null>
  entries: readonly DrawerEntry[]
  rows: readonly SessionListRow[]
  find: string
  /** Called when the keyboard leaves the list at its upper end. */
  onLeave: () => void
}

/** The drawer as one list. Only the lines in view, the line with the keyboard and its heading exist as elements. */
export function DrawerList({ handle, entries, rows, find, onLeave }: Props) {
  'use no memo'
  const app = useApp()
  const shown = useStore(app.bench.store, (bench) => bench.session)
  const scroller = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<string | null>(null)
  const focusedAt = useMemo(
    () => (focused === null ? -1 : entries.findIndex(({ key }) => key === focused)),
    [entries, focused],
  )
  const list = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: (idx) => estimate(entries[idx]),
    getItemKey: (idx) => entries[idx]?.key ?? idx,
    scrollPaddingStart: GROUP_PX,
    overscan: 6,
    rangeExtractor: (range) => {
      const wanted = new Set(defaultRangeExtractor(range))
      for (const idx of [headingAbove(entries, range.startIndex), focusedAt]) if (idx >= 0) wanted.add(idx)
      return [...wanted].sort((a, b) => a - b)
    },
  })
  const lines = list.getVirtualItems()
  const inGroup = headingAbove(entries, list.range?.startIndex ?? 0)
  const keepPlace = useHeldPlace({ list, scroller, entries, rows, find })

  // A line that a key asked for is there after the next render.
  const asked = useRef(false)
  useLayoutEffect(() => {
    if (!asked.current) return
    asked.current = false
    const line = scroller.current?.querySelector(`[data-index="${focusedAt}"]`)
    line?.querySelector<HTMLElement>('[data-stop]:enabled')?.focus({ preventScroll: true })
  }, [focusedAt])

  const focusAt = (to: number) => {
    const entry = entries[to]
    if (!entry) return false
    asked.current = true
    setFocused(entry.key)
    list.scrollToIndex(to)
    return true
  }

  // The line with the keyboard may go, as when another text takes its place: then the one that stands there has it.
  const wasAt = useRef(-1)
  useLayoutEffect(() => {
    if (focused === null || focusedAt >= 0) {
      wasAt.current = focusedAt
      return
    }
    const at = Math.min(wasAt.current, entries.length - 1)
    const stop = nextStop(entries, at, 1)
    if (!focusAt(stop >= 0 ? stop : nextStop(entries, at, -1))) onLeave()
  })
  useImperativeHandle(handle, () => ({ first: () => focusAt(nextStop(entries, 0, 1)) }))

  const move = (event: React.KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const to = event.key === 'Escape' ? -1 : targetOf(event.key, entries, focusedAt)
    if (to === null) return
    event.preventDefault()
    event.stopPropagation()
    if (to === -1 && (event.key === 'Escape' || event.key === 'ArrowUp')) onLeave()
    else if (to !== focusedAt) focusAt(to)
  }

  return (
    <div
      ref={scroller}
      className="drawer-list -mx-6 grow overflow-auto px-6"
      data-testid="session-list"
      data-lines={entries.length}
      onScroll={keepPlace}
      onKeyDown={move}
      onFocus={(event) => setFocused(keyAt(event.target, entries))}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setFocused(null)
      }}
    >
      <div
        className="relative"
        role={entries.length > 0 ? 'list' : undefined}
        aria-label={entries.length > 0 ? text.drawer.title : undefined}
        style={{ height: list.getTotalSize() }}
      >
        {lines.map(({ index, key, start }) => {
          const entry = entries[index]
          if (!entry) return null
          const stuck = index === inGroup
          return (
            <div
              key={key}
              ref={list.measureElement}
              role="listitem"
              aria-level={entry.level}
              aria-posinset={entry.position}
              aria-setsize={entry.nSiblings}
              className={`absolute w-full top-0 left-0 ${stuck ? 'z-1 sticky' : ''}`}
              style={stuck ? undefined : { transform: `translateY(${start}px)` }}
              data-index={index}
            >
              <DrawerLine entry={entry} shown={shown} />
            </div>
          )
        })}
      </div>
    </div>
  )
}

function estimate(entry: DrawerEntry | undefined): number {
  switch (entry?.kind) {
    case 'session':
      return entry.node.children.length > 0 ? ROW_PX + UNFOLD_PX : ROW_PX
    case 'hit':
    case 'note':
      return HIT_PX
    case 'more':
      return MORE_PX
    default:
      return GROUP_PX
  }
}

/** Returns the line that a key leads to; `null` for other keys, -1 where there is no line. */
function targetOf(key: string, entries: readonly DrawerEntry[], from: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return nextStop(entries, from + 1, 1)
    case 'ArrowUp':
      return nextStop(entries, from - 1, -1)
    case 'Home':
      return nextStop(entries, 0, 1)
    case 'End':
      return nextStop(entries, entries.length - 1, -1)
    default:
      return null
  }
}

function keyAt(target: Element, entries: readonly DrawerEntry[]): string | null {
  const line = target.closest<HTMLElement>('[data-index]')
  return entries[Number(line?.dataset.index)]?.key ?? null
}

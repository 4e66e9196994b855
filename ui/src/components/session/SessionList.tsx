import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'

import type { SessionRowDto } from '../../lib/ipc/generated/SessionRowDto'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text/en'
import {
  groupAbove,
  holds,
  isRowOf,
  listEntries,
  nextStop,
  type SessionEntry,
  type SessionGroup,
} from '../../lib/view/sessions'
import { SessionRow } from './SessionRow'
import { useHeldPlace } from './useHeldPlace'

const GROUP_PX = 30
const ROW_PX = 50
const UNFOLD_PX = 24

interface Props {
  groups: readonly SessionGroup[]
  rows: readonly SessionRowDto[]
  find: string
}

/** The sessions as one list of lines, of which those in view exist, the one with the keyboard, and its folder. */
export function SessionList({ groups, rows, find }: Props) {
  'use no memo'
  const app = useApp()
  const shown = useStore(app.bench.store, (bench) => bench.session)
  const byHand = useStore(app.sessions.store, ({ find, unfolded, unfoldedFound }) =>
    find.trim() === '' ? unfolded : unfoldedFound,
  )
  const entries = useMemo(
    () =>
      listEntries(
        groups,
        ({ row, forChildren }) => byHand[row.path] ?? (forChildren || (shown !== null && holds(row, shown))),
      ),
    [groups, byHand, shown],
  )
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
      for (const idx of [groupAbove(entries, range.startIndex), focusedAt]) if (idx >= 0) wanted.add(idx)
      return [...wanted].sort((a, b) => a - b)
    },
  })
  const lines = list.getVirtualItems()
  const inGroup = groupAbove(entries, list.range?.startIndex ?? 0)
  const keepPlace = useHeldPlace({ list, scroller, entries, rows, find })

  // A line that a key asked for is there after the next render.
  const asked = useRef(false)
  useLayoutEffect(() => {
    if (!asked.current) return
    asked.current = false
    const line = scroller.current?.querySelector(`[data-index="${focusedAt}"]`)
    line?.querySelector<HTMLElement>('.session-row:enabled, .unfold')?.focus({ preventScroll: true })
  }, [focusedAt])

  const move = (event: React.KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const to = targetOf(event.key, entries, focusedAt)
    if (to === null) return
    event.preventDefault()
    event.stopPropagation()
    const entry = entries[to]
    if (!entry || to === focusedAt) return
    asked.current = true
    setFocused(entry.key)
    list.scrollToIndex(to)
  }

  return (
    <div
      ref={scroller}
      className="drawer-list"
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
        className="drawer-lines"
        role={entries.length > 0 ? 'list' : undefined}
        aria-label={text.drawer.title}
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
              className={`drawer-line ${stuck ? 'stuck' : ''}`}
              style={stuck ? undefined : { transform: `translateY(${start}px)` }}
              data-index={index}
            >
              {entry.kind === 'group' ? (
                <h3 className="drawer-group" title={entry.group.path ?? ''}>
                  {entry.group.name === '' ? text.drawer.elsewhere : entry.group.name}
                </h3>
              ) : (
                <SessionRow entry={entry} current={shown !== null && isRowOf(entry.node.row, shown)} />
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function estimate(entry: SessionEntry | undefined): number {
  if (entry?.kind === 'group') return GROUP_PX
  return entry && entry.node.children.length > 0 ? ROW_PX + UNFOLD_PX : ROW_PX
}

/** The line that a key leads to; `null` for other keys, -1 where there is none. */
function targetOf(key: string, entries: readonly SessionEntry[], from: number): number | null {
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

function keyAt(target: Element, entries: readonly SessionEntry[]): string | null {
  const line = target.closest<HTMLElement>('[data-index]')
  return entries[Number(line?.dataset.index)]?.key ?? null
}

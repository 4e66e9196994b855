import { useMemo } from 'react'

import { useApp } from '../../lib/state/app'
import { MOST } from '../../lib/state/search'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import {
  foundEntries,
  listEntries,
  namedEntries,
  noteEntry,
  recentEntries,
  type DrawerEntry,
} from '../../lib/view/drawer'
import { capital } from '../../lib/view/format'
import { recentRows } from '../../lib/view/recent'
import { groupSessions, holds, isRowOf, type SessionNode } from '../../lib/view/sessions'

/** How many recently opened sessions stand above the others. */
const RECENT_SHOWN = 5

/** Returns the lines of the drawer: recent and all sessions, or those that match the search. */
export function useDrawerEntries(): { entries: DrawerEntry[]; nSessions: number; nTexts: number } {
  const app = useApp()
  const { rows, find, allNamed, unfolded, unfoldedFound, ready, nPending } = useStore(
    app.sessions.store,
    (state) => state,
  )
  const {
    answer,
    answered,
    failure,
    wholly,
    limit,
    scope: wanted,
  } = useStore(app.search.store, (state) => state)
  const opened = useStore(app.recent.store, (state) => state.opened)
  const shown = useStore(app.bench.store, (bench) => bench.session)
  const isWelcome = useStore(app.bench.store, (bench) => bench.phase === 'welcome')
  const scope = shown === null ? 'all' : wanted
  const searching = find.trim() !== ''
  const groups = useMemo(() => groupSessions(rows, find), [rows, find])
  const byHand = searching ? unfoldedFound : unfolded

  const named = useMemo(() => {
    const isOpen = ({ row, forChildren }: SessionNode) =>
      byHand[row.path] ?? (forChildren || (shown !== null && holds(row, shown)))
    if (searching) return scope === 'all' ? namedEntries(groups, allNamed, isOpen) : []
    // The welcome screen lists them as well.
    const known = isWelcome ? [] : recentRows(opened, rows)
    const recent = known.filter((row) => shown === null || !isRowOf(row, shown))
    const pinned = groups.filter((group) => group.pinned)
    const others = groups.filter((group) => !group.pinned)
    return [
      ...listEntries(pinned, isOpen),
      ...recentEntries(recent.slice(0, RECENT_SHOWN)),
      ...listEntries(others, isOpen),
    ]
  }, [searching, scope, groups, allNamed, byHand, shown, isWelcome, opened, rows])

  const found = useMemo(
    () => (searching && answer ? foundEntries(answer, wholly, limit < MOST) : []),
    [searching, answer, wholly, limit],
  )
  const notes = useMemo(() => {
    if (!searching || answered === null) return []
    if (failure)
      return [
        noteEntry('failure', {
          what: `${capital(failure.message)}.`,
          hint: failure.hint && `${capital(failure.hint)}.`,
          bad: true,
        }),
      ]
    if (found.length > 0) {
      const most = answer?.more === true && limit === MOST
      return most ? [noteEntry('most', { what: text.drawer.mostTexts, hint: null, bad: false })] : []
    }
    const nothing = named.length === 0 && scope === 'all' && ready && nPending === 0
    const what = nothing ? text.drawer.nothing : text.drawer.noText
    return [noteEntry('nothing', { what, hint: text.drawer.noTextHint, bad: false })]
  }, [searching, answer, answered, failure, found, limit, named, scope, ready, nPending])

  const entries = useMemo(() => [...named, ...found, ...notes], [named, found, notes])
  return {
    entries,
    nSessions: groups.reduce((sum, group) => sum + group.nodes.length, 0),
    nTexts: answer?.sessions.reduce((sum, { hits }) => sum + hits.length, 0) ?? 0,
  }
}

import { useEffect, type RefObject } from 'react'

import { useApp } from '../../lib/state/app'
import type { Scope } from '../../lib/state/search'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'

const SCOPES: readonly Scope[] = ['all', 'session']

interface Props {
  field: RefObject<HTMLInputElement | null>
  nSessions: number
  nTexts: number
  /** Goes to the first line of the list; false without one. */
  onList: () => boolean
}

/** The search field of the drawer: finds sessions by name, and texts in all sessions or in the open one. */
export function SearchField({ field, nSessions, nTexts, onList }: Props) {
  const app = useApp()
  const find = useStore(app.sessions.store, (state) => state.find)
  const { answer, answered, failure, scope } = useStore(app.search.store, (state) => state)
  const hasSession = useStore(app.bench.store, (bench) => bench.session !== null)
  const asked = useStore(app.panes, (panes) => panes.searchAsked)
  useEffect(() => {
    if (!asked) return
    field.current?.focus()
    field.current?.select()
    app.panes.set({ searchAsked: false })
  }, [app, asked, field])
  const searching = find.trim() !== ''
  const pending = searching ? (answer?.pending ?? 0) : 0
  const search = (query: string) => {
    app.sessions.setFind(query)
    app.search.setQuery(query)
  }
  const move = (event: React.KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape' && find !== '') search('')
    else if (event.key !== 'ArrowDown' && event.key !== 'Enter') return
    else onList()
    event.preventDefault()
    event.stopPropagation()
  }
  const isWhole = answered === find && failure === null && answer !== null
  return (
    <div className="stack gap-6">
      <input
        ref={field}
        className={`input ${searching && failure ? 'bad' : ''}`}
        type="search"
        placeholder={text.drawer.find}
        aria-label={text.drawer.find}
        autoComplete="off"
        spellCheck={false}
        data-testid="find-session"
        value={find}
        onChange={(event) => search(event.target.value)}
        onKeyDown={move}
      />
      {searching && hasSession && (
        <div className="segments" role="radiogroup" aria-label={text.drawer.scope}>
          {SCOPES.map((one) => (
            <label key={one} className="segment grow text-s">
              <input
                type="radio"
                name="search-scope"
                data-testid={`scope-${one}`}
                checked={one === scope}
                onChange={() => app.search.setScope(one)}
              />
              {text.drawer.scopes[one]}
            </label>
          ))}
        </div>
      )}
      {pending > 0 && (
        <p className="muted text-s" data-testid="not-indexed">
          {text.drawer.notIndexed(count(pending))}
        </p>
      )}
      <p className="unseen" role="status" data-testid="searched" data-query={isWhole ? answered : ''}>
        {searching && isWhole && text.drawer.searched(nSessions, nTexts, answer.more)}
      </p>
    </div>
  )
}

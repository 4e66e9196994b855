import { Columns2, FolderOpen, X } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { noticesOf } from '../../lib/view/sessions'
import { Button } from '../shared/Button'
import { Empty } from '../shared/Empty'
import { DrawerList, type ListHandle } from './DrawerList'
import { Notices } from './Notices'
import { SearchField } from './SearchField'
import { useDrawerEntries } from './useDrawerEntries'

/** All sessions, by the folder that the agent worked in, and what is found in them. */
export function Drawer() {
  const app = useApp()
  const { rows, folders, notices, nPending, ready, find, failure } = useStore(
    app.sessions.store,
    (state) => state,
  )
  const { entries, nSessions, nTexts } = useDrawerEntries()
  const told = useMemo(() => noticesOf(notices), [notices])
  const choosing = useStore(app.beside.store, (state) => state.choosing)
  const current = useStore(app.bench.store, (bench) => bench.session)
  const allRead = ready && nPending === 0
  const field = useRef<HTMLInputElement>(null)
  const list = useRef<ListHandle>(null)
  useEffect(() => {
    app.sessions.refresh()
    app.search.setShown(true)
    return () => {
      app.search.setShown(false)
      // A list that is closed waits for no choice.
      app.beside.choose(false)
    }
  }, [app])
  return (
    <aside
      className="drawer stack flex-none gap-8 bg-panel border-r p-10 w-296"
      aria-label={text.drawer.title}
      data-testid="drawer"
    >
      <header className="row">
        <h2 className="grow">{text.drawer.title}</h2>
        {current !== null && app.beside.canAsk && (
          <Button
            look="quiet"
            label={text.beside.choose}
            testid="drawer-beside"
            aria-pressed={choosing}
            onClick={() => (choosing ? app.beside.choose(false) : app.compareWithAnother())}
          >
            <Columns2 size={15} />
          </Button>
        )}
        <Button look="quiet" label={text.welcome.open} onClick={() => app.panes.set({ dialog: 'open' })}>
          <FolderOpen size={15} />
        </Button>
        <Button look="quiet" label={text.drawer.close} onClick={() => app.panes.set({ drawer: false })}>
          <X size={15} />
        </Button>
      </header>
      {choosing && current !== null && (
        <p className="text-s bg-panel2 border rounded-6 p-6-8" role="status" data-testid="choosing">
          {text.beside.choosing(current.title)}{' '}
          <button type="button" className="link" onClick={() => app.beside.choose(false)}>
            {text.beside.cancel}
          </button>
        </p>
      )}
      <SearchField
        field={field}
        nSessions={nSessions}
        nTexts={nTexts}
        onList={() => list.current?.first() ?? false}
      />
      {failure && <Empty title={failure.message}>{failure.hint}</Empty>}
      {allRead && !failure && rows.length === 0 && find.trim() === '' && (
        <Empty title={text.drawer.none}>
          {folders.length > 0 && (
            <>
              <p>{text.drawer.noneHint}</p>
              <ul className="folders break-anywhere mt-6">
                {folders.map((folder) => (
                  <li key={folder}>{folder}</li>
                ))}
              </ul>
            </>
          )}
        </Empty>
      )}
      <DrawerList
        handle={list}
        entries={entries}
        rows={rows}
        find={find}
        onLeave={() => field.current?.focus()}
      />
      {told.length > 0 && <Notices notices={told} />}
      {nPending > 0 && (
        <p className="muted text-s" data-testid="pending" data-n={nPending}>
          {text.drawer.pending(nPending, count(nPending))}
        </p>
      )}
    </aside>
  )
}

import { FolderOpen, X } from 'lucide-react'
import { useEffect, useMemo } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text/en'
import { count } from '../../lib/view/format'
import { groupSessions, noticesOf } from '../../lib/view/sessions'
import { Button } from '../shared/Button'
import { Empty } from '../shared/Empty'
import { Notices } from './Notices'
import { SessionList } from './SessionList'

/** All sessions, by the folder that the agent worked in. */
export function Drawer() {
  const app = useApp()
  const { rows, folders, notices, nPending, ready, find, failure } = useStore(
    app.sessions.store,
    (state) => state,
  )
  const groups = useMemo(() => groupSessions(rows, find), [rows, find])
  const told = useMemo(() => noticesOf(notices), [notices])
  const allRead = ready && nPending === 0
  useEffect(() => app.sessions.refresh(), [app])
  return (
    <aside className="drawer" aria-label={text.drawer.title} data-testid="drawer">
      <header className="drawer-head">
        <h2>{text.drawer.title}</h2>
        <Button look="quiet" label={text.welcome.open} onClick={() => app.panes.set({ dialog: 'open' })}>
          <FolderOpen size={15} />
        </Button>
        <Button look="quiet" label={text.drawer.close} onClick={() => app.panes.set({ drawer: false })}>
          <X size={15} />
        </Button>
      </header>
      <input
        className="input"
        type="search"
        placeholder={text.drawer.find}
        aria-label={text.drawer.find}
        data-testid="find-session"
        value={find}
        onChange={(event) => app.sessions.setFind(event.target.value)}
      />
      {failure && <Empty title={failure.message}>{failure.hint}</Empty>}
      {allRead && !failure && groups.length === 0 && (
        <Empty title={rows.length === 0 ? text.drawer.none : text.drawer.noMatch}>
          {rows.length === 0 && folders.length > 0 && (
            <>
              <p>{text.drawer.noneHint}</p>
              <ul className="folders">
                {folders.map((folder) => (
                  <li key={folder}>{folder}</li>
                ))}
              </ul>
            </>
          )}
        </Empty>
      )}
      <SessionList groups={groups} rows={rows} find={find} />
      {told.length > 0 && <Notices notices={told} />}
      {nPending > 0 && (
        <p className="drawer-pending muted" data-testid="pending" data-n={nPending}>
          {text.drawer.pending(nPending, count(nPending))}
        </p>
      )}
    </aside>
  )
}

import { FolderOpen, X } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'

import type { SessionRowDto } from '../../lib/ipc/generated/SessionRowDto'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text/en'
import { ago, bytes, count, short } from '../../lib/view/format'
import { groupSessions } from '../../lib/view/sessions'
import { Button } from '../shared/Button'
import { Empty } from '../shared/Empty'

/** All sessions, by the folder that the agent worked in. */
export function Drawer() {
  const app = useApp()
  const { rows, folders, ready, find, failure } = useStore(app.sessions.store, (state) => state)
  const current = useStore(app.bench.store, (bench) => bench.session?.path)
  const groups = useMemo(() => groupSessions(rows, find), [rows, find])
  const field = useRef<HTMLInputElement>(null)
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
        ref={field}
        className="input"
        type="search"
        placeholder={text.drawer.find}
        aria-label={text.drawer.find}
        value={find}
        onChange={(event) => app.sessions.setFind(event.target.value)}
      />
      <div className="drawer-list" role="list">
        {groups.map((group) => (
          <section key={group.name} className="drawer-group">
            <h3 title={group.path ?? ''}>{group.name === '' ? text.drawer.elsewhere : group.name}</h3>
            {group.rows.map((row) => (
              <Row
                key={row.path}
                row={row}
                current={row.path === current}
                onOpen={() => app.open(row.path)}
              />
            ))}
          </section>
        ))}
        {failure && <Empty title={failure.message}>{failure.hint}</Empty>}
        {ready && !failure && groups.length === 0 && (
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
      </div>
    </aside>
  )
}

function Row({ row, current, onOpen }: { row: SessionRowDto; current: boolean; onOpen: () => void }) {
  const tokens = row.tokens === null ? null : text.drawer.tokens(short(row.tokens), row.tokenizer)
  return (
    <div role="listitem">
      <button
        type="button"
        className={`session-row ${current ? 'current' : ''}`}
        data-testid="session-row"
        data-path={row.path}
        aria-current={current}
        title={row.path}
        onClick={onOpen}
      >
        <span className="session-row-title">
          <span className={`live-dot ${row.gone ? 'gone' : row.live ? 'on' : ''}`} />
          <span className="clip">{row.title}</span>
        </span>
        <span className="session-row-sub muted">
          <span>{row.format}</span>
          {row.n_turns !== null && <span>{text.drawer.turns(count(row.n_turns))}</span>}
          {tokens ? <span title={tokens.hint}>{tokens.label}</span> : <span>{bytes(row.size)}</span>}
          <span>{ago(row.changed_at_ms, Date.now())}</span>
          {row.annotation === 'annotated' && <span className="badge ok">{text.drawer.annotated}</span>}
          {row.annotation === 'none' && <span className="badge">{text.drawer.plain}</span>}
          {row.gone && <span className="badge warn">{text.drawer.gone}</span>}
        </span>
      </button>
    </div>
  )
}

import { useEffect, useMemo } from 'react'

import type { SessionListRow } from '../../lib/ipc/generated/SessionListRow'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { harnessCounts, newestRows } from '../../lib/view/newest'
import { Figures } from './SessionRow'

/** The newest sessions of the machine, each with one line of what is interesting in it. */
export function Newest() {
  const app = useApp()
  const rows = useStore(app.sessions.store, (state) => state.rows)
  const newest = useMemo(() => newestRows(rows), [rows])
  const counts = useMemo(() => harnessCounts(rows), [rows])
  const { glances } = app
  useEffect(() => glances.again(), [glances])
  useEffect(() => {
    if (app.can('glance')) glances.want(newest.map((row) => row.path))
  }, [app, glances, newest])
  if (newest.length === 0) return null
  return (
    <section
      className="recent newest w-full max-w-640 mb-24"
      aria-label={text.welcome.newest}
      data-testid="newest"
    >
      <h2 className="p-0-8-4">
        {text.welcome.newest}{' '}
        <span className="muted weight-400">
          {text.welcome.found(
            count(rows.length),
            counts.map(({ harness, n }) => `${count(n)} ${harness}`),
          )}
        </span>
      </h2>
      <ul className="overflow-auto">
        {newest.map((row) => (
          <li key={row.path}>
            <NewestRow row={row} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function NewestRow({ row }: { row: SessionListRow }) {
  const app = useApp()
  const line = useStore(app.glances.store, ({ lines }) => lines.get(row.path))
  return (
    <button
      type="button"
      className="session-row list-row display-block rounded-6 w-full p-6-8"
      data-testid="newest-row"
      data-path={row.path}
      title={row.path}
      onClick={() => app.choose(row.path)}
    >
      <span className="row">
        <span
          className={`w-8 h-8 inline-block flex-none mr-6 live-dot ${row.live ? 'on' : ''}`}
          title={row.live ? text.top.liveHint : undefined}
        />
        <span className="clip">{row.title}</span>
      </span>
      <Figures row={row} />
      <span
        className={`display-block text-s pl-12 glance clip ${line?.marks.includes('lost') ? 'lost text-warn-text' : ''}`}
        data-testid="glance"
        data-marks={line?.marks.join(' ')}
        title={line?.says}
      >
        {line?.says ?? text.welcome.looking}
      </span>
    </button>
  )
}

import type { SessionListRow } from '../../lib/ipc/generated/SessionListRow'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { count } from '../../lib/view/format'
import { words } from './words'

/** The sessions of the subagents that this session called. */
export function SubagentTable() {
  const app = useApp()
  const path = useStore(app.bench.store, (bench) => bench.session?.path)
  const rows = useStore(app.sessions.store, (state) => state.rows)
  const subagents = findRow(rows, path)?.children ?? []
  if (subagents.length === 0) return null
  const { subagentColumns: columns } = words
  return (
    <table className="compare subagents" data-testid="subagents">
      <caption>{words.subagents}</caption>
      <thead>
        <tr>
          <th scope="col">{columns.name}</th>
          <th scope="col" className="number">
            {columns.turns}
          </th>
          <th scope="col" className="number">
            {columns.tokens}
          </th>
        </tr>
      </thead>
      <tbody>
        {subagents.map((one) => (
          <tr key={one.path}>
            <th scope="row">
              <button type="button" className="link clip" title={one.path} onClick={() => app.open(one.path)}>
                {one.subagent ?? one.title}
              </button>
            </th>
            <td className="number">{one.n_turns === null ? '' : count(one.n_turns)}</td>
            <td className="number">{one.tokens === null ? '' : count(one.tokens)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function findRow(rows: readonly SessionListRow[], path: string | undefined): SessionListRow | null {
  for (const row of rows) {
    const found = row.path === path ? row : findRow(row.children, path)
    if (found) return found
  }
  return null
}

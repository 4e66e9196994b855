import type { SessionListRow } from '../ipc/generated/SessionListRow'
import { wayTo } from './sessions'

/** The rows of the sessions that were opened last; what the list does not have yet is shown as it was remembered. */
export function recentRows(
  opened: readonly { path: string; title: string }[],
  rows: readonly SessionListRow[],
): SessionListRow[] {
  return opened.map(
    ({ path, title }) => wayTo(rows, (row) => row.path === path)?.at(-1) ?? remembered(path, title),
  )
}

/** A session of which only path and title are known. */
export const remembered = (path: string, title: string): SessionListRow => ({
  session: null,
  name: path,
  id: null,
  path,
  harness: '',
  format: '',
  title,
  cwd: null,
  model: null,
  size: 0,
  n_turns: null,
  tokens: null,
  tokenizer: null,
  annotation: 'unknown',
  changed_at_ms: null,
  live: false,
  gone: false,
  pinned: false,
  n_episodes: null,
  n_problems: null,
  n_notes: 0,
  archived: false,
  parent: null,
  continues: null,
  subagent: null,
  children: [],
})

import type { SessionRowDto } from '../ipc/generated/SessionRowDto'

/** Sessions of one folder that an agent worked in. */
export interface SessionGroup {
  /** The folder's last part; empty for sessions without a folder. */
  name: string
  path: string | null
  rows: SessionRowDto[]
}

/** Groups by recorded folder, in the order of the newest session of each; `find` filters by words. */
export function groupSessions(rows: readonly SessionRowDto[], find: string): SessionGroup[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean)
  const groups = new Map<string, SessionGroup>()
  for (const row of rows) {
    const content = `${row.title} ${row.path} ${row.cwd ?? ''} ${row.model ?? ''} ${row.format}`.toLowerCase()
    if (!words.every((word) => content.includes(word))) continue
    const key = row.cwd ?? ''
    const group = groups.get(key)
    if (group) group.rows.push(row)
    else {
      const parts = key.split(/[\\/]/).filter(Boolean)
      groups.set(key, { name: parts.at(-1) ?? key, path: row.cwd, rows: [row] })
    }
  }
  return [...groups.values()]
}

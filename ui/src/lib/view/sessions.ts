import type { NoticeRow } from '../ipc/generated/NoticeRow'
import type { SessionListRow } from '../ipc/generated/SessionListRow'
import { capital } from './format'

/** A session as the list shows it, with those of its subagents that are looked for. */
export interface SessionNode {
  row: SessionListRow
  children: SessionNode[]
  /** True when it is there only because of what a subagent below it is. */
  forChildren: boolean
}

/** Sessions of one folder that an agent worked in. */
export interface SessionGroup {
  /** The folder's last part; empty for sessions without a folder. */
  name: string
  path: string | null
  nodes: SessionNode[]
  /** True for the pinned sessions, which may be of any folder. */
  pinned?: true
}

/**
 * Groups by recorded folder, in the order of the newest session of each, below the pinned sessions, which
 * subagents can be as well; `find` filters by words. A session that has
 * all words keeps all its subagents. One that has not stays for its subagents that have them together with it.
 */
export function groupSessions(rows: readonly SessionListRow[], find: string): SessionGroup[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean)
  const groups = new Map<string, SessionGroup>()
  const pinned: SessionGroup = { name: '', path: null, pinned: true, nodes: [] }
  const addPinned = (row: SessionListRow) => {
    if (row.pinned) {
      const node = found(row, words, '')
      if (node) pinned.nodes.push(node)
    }
    row.children.forEach(addPinned)
  }
  rows.forEach(addPinned)
  for (const row of rows) {
    if (row.pinned) continue
    const node = found(row, words, '')
    if (!node) continue
    const key = row.cwd ?? ''
    const group = groups.get(key)
    if (group) group.nodes.push(node)
    else {
      groups.set(key, { name: folderName(key), path: row.cwd, nodes: [node] })
    }
  }
  return [...(pinned.nodes.length > 0 ? [pinned] : []), ...groups.values()]
}

/** Returns the last part of a folder's path; a part such as `1` says too little, and has the one before it. */
export function folderName(path: string): string {
  const parts = path.split(/[\\/]/).filter(Boolean)
  const last = parts.at(-1) ?? path
  return /^.{0,2}$|^\d+$/u.test(last) ? parts.slice(-2).join('/') || path : last
}

function found(row: SessionListRow, words: readonly string[], above: string): SessionNode | null {
  const { title, path, id, cwd, model, harness, format, subagent, continues } = row
  const own = [title, path, id, cwd, model, harness, format, subagent, continues]
  const content = `${above} ${own.filter((part) => part !== null).join(' ')}`.toLowerCase()
  if (words.every((word) => content.includes(word))) return whole(row)
  const children = row.children.flatMap((child) => found(child, words, content) ?? [])
  return children.length > 0 ? { row, children, forChildren: true } : null
}

/** A session with all of its subagents. */
export const whole = (row: SessionListRow): SessionNode => ({
  row,
  children: row.children.map(whole),
  forChildren: false,
})

/** The part of an opened session that finds its row in the list. */
export interface Shown {
  session: number
  path: string
  parent: string | null
}

/** True for the row of an opened session. */
export const isRowOf = (row: SessionListRow, shown: Shown): boolean =>
  row.path === shown.path || row.session === shown.session

/** The row of an opened session; `undefined` while the list does not have it. */
export const rowOf = (rows: readonly SessionListRow[], shown: Shown): SessionListRow | undefined =>
  wayTo(rows, (row) => isRowOf(row, shown))?.at(-1)

/** True when the row of an opened session is somewhere below this one. */
export const holds = (row: SessionListRow, shown: Shown): boolean =>
  row.children.some((child) => isRowOf(child, shown) || holds(child, shown))

/** False for a row that only stands for a log that was never read and is not there any more. */
export const canOpen = (row: SessionListRow): boolean => !row.gone || row.session !== null

/** The row of the session that called an opened one; `null` when that is unknown or cannot be opened. */
export function callerOf(rows: readonly SessionListRow[], shown: Shown): SessionListRow | null {
  const way = wayTo(rows, (row) => isRowOf(row, shown))
  const caller = way?.at(-2) ?? wayTo(rows, (row) => row.path === shown.parent)?.at(-1)
  return caller && canOpen(caller) ? caller : null
}

/** The rows from the top down to the first that fits. */
export function wayTo(
  rows: readonly SessionListRow[],
  fits: (row: SessionListRow) => boolean,
): SessionListRow[] | undefined {
  for (const row of rows) {
    if (fits(row)) return [row]
    const below = wayTo(row.children, fits)
    if (below) return [row, ...below]
  }
  return undefined
}

/** A notice as the list's foot shows it: what is the matter and what to do, as sentences. */
export interface Notice {
  key: string
  harness: string
  what: string
  advice: string
  path: string
}

/** Puts notices in words, each once. */
export function noticesOf(notices: readonly NoticeRow[]): Notice[] {
  const told = new Map<string, Notice>()
  for (const { harness, path, message, hint } of notices) {
    const key = `${path}\n${message}`
    if (!told.has(key))
      told.set(key, { key, harness, what: `${capital(message)}.`, advice: hint && `${capital(hint)}.`, path })
  }
  return [...told.values()]
}

import type { NoticeDto } from '../ipc/generated/NoticeDto'
import type { SessionRowDto } from '../ipc/generated/SessionRowDto'
import { capital } from './format'

/** A session as the list shows it, with those of its subagents that are looked for. */
export interface SessionNode {
  row: SessionRowDto
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
}

/**
 * Groups by recorded folder, in the order of the newest session of each; `find` filters by words. A session that has
 * all words keeps all its subagents. One that has not stays for its subagents that have them together with it.
 */
export function groupSessions(rows: readonly SessionRowDto[], find: string): SessionGroup[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean)
  const groups = new Map<string, SessionGroup>()
  for (const row of rows) {
    const node = found(row, words, '')
    if (!node) continue
    const key = row.cwd ?? ''
    const group = groups.get(key)
    if (group) group.nodes.push(node)
    else {
      const parts = key.split(/[\\/]/).filter(Boolean)
      groups.set(key, { name: parts.at(-1) ?? key, path: row.cwd, nodes: [node] })
    }
  }
  return [...groups.values()]
}

function found(row: SessionRowDto, words: readonly string[], above: string): SessionNode | null {
  const own = [row.title, row.path, row.cwd, row.model, row.harness, row.format, row.subagent, row.continues]
  const content = `${above} ${own.filter((part) => part !== null).join(' ')}`.toLowerCase()
  if (words.every((word) => content.includes(word))) return whole(row)
  const children = row.children.flatMap((child) => found(child, words, content) ?? [])
  return children.length > 0 ? { row, children, forChildren: true } : null
}

const whole = (row: SessionRowDto): SessionNode => ({
  row,
  children: row.children.map(whole),
  forChildren: false,
})

/** A line of the list: the name of a folder, or a session, which may stand below the one that called it. */
export type SessionEntry = GroupEntry | NodeEntry

interface Placed {
  /** Stays the same while the list changes around it. */
  key: string
  /** From 1: folders, their sessions, the subagents of these, and so on. */
  level: number
  /** From 1, among those of the same level below the same line. */
  position: number
  nSiblings: number
}

export interface GroupEntry extends Placed {
  kind: 'group'
  group: SessionGroup
}

export interface NodeEntry extends Placed {
  kind: 'session'
  node: SessionNode
  /** Whether the subagents are shown, which are the next lines then. */
  open: boolean
}

/** Lists groups line by line, without what is folded away. */
export function listEntries(
  groups: readonly SessionGroup[],
  isOpen: (node: SessionNode) => boolean,
): SessionEntry[] {
  const entries: SessionEntry[] = []
  const addNodes = (nodes: readonly SessionNode[], level: number, above: string) => {
    nodes.forEach((node, idx) => {
      const key = `${above}\n${node.row.path}`
      const open = node.children.length > 0 && isOpen(node)
      entries.push({
        kind: 'session',
        key,
        level,
        position: idx + 1,
        nSiblings: nodes.length,
        node,
        open,
      })
      if (open) addNodes(node.children, level + 1, key)
    })
  }
  groups.forEach((group, idx) => {
    const key = group.path ?? ''
    entries.push({ kind: 'group', key, level: 1, position: idx + 1, nSiblings: groups.length, group })
    addNodes(group.nodes, 2, key)
  })
  return entries
}

/** The place of the folder that the line at `idx` is in; -1 above the first. */
export function groupAbove(entries: readonly SessionEntry[], idx: number): number {
  let at = Math.min(idx, entries.length - 1)
  while (at >= 0 && entries[at]?.kind !== 'group') at -= 1
  return at
}

/** The next line from `idx` on, in steps of `direction`, that the keyboard can stand on; -1 without one. */
export function nextStop(entries: readonly SessionEntry[], idx: number, direction: 1 | -1): number {
  for (let at = idx; at >= 0 && at < entries.length; at += direction) {
    const entry = entries[at]
    if (entry?.kind === 'session' && (canOpen(entry.node.row) || entry.node.children.length > 0)) return at
  }
  return -1
}

/** What of an opened session tells which row of the list it is. */
export interface Shown {
  session: number
  path: string
  parent: string | null
}

/** True for the row of an opened session. */
export const isRowOf = (row: SessionRowDto, shown: Shown): boolean =>
  row.path === shown.path || row.session === shown.session

/** True when the row of an opened session is somewhere below this one. */
export const holds = (row: SessionRowDto, shown: Shown): boolean =>
  row.children.some((child) => isRowOf(child, shown) || holds(child, shown))

/** False for a row that only stands for a log that was never read and is not there any more. */
export const canOpen = (row: SessionRowDto): boolean => !row.gone || row.session !== null

/** The row of the session that called an opened one; `null` when that is unknown or cannot be opened. */
export function callerOf(rows: readonly SessionRowDto[], shown: Shown): SessionRowDto | null {
  const way = wayTo(rows, (row) => isRowOf(row, shown))
  const caller = way?.at(-2) ?? wayTo(rows, (row) => row.path === shown.parent)?.at(-1)
  return caller && canOpen(caller) ? caller : null
}

/** The rows from the top down to the first that fits. */
function wayTo(
  rows: readonly SessionRowDto[],
  fits: (row: SessionRowDto) => boolean,
): SessionRowDto[] | undefined {
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
export function noticesOf(notices: readonly NoticeDto[]): Notice[] {
  const told = new Map<string, Notice>()
  for (const { harness, path, message, hint } of notices) {
    const key = `${path}\n${message}`
    if (!told.has(key))
      told.set(key, { key, harness, what: `${capital(message)}.`, advice: hint && `${capital(hint)}.`, path })
  }
  return [...told.values()]
}

import type { SearchAnswer } from '../ipc/generated/SearchAnswer'
import type { FoundSession } from '../ipc/generated/FoundSession'
import type { SearchHit } from '../ipc/generated/SearchHit'
import { canOpen, whole, type SessionGroup, type SessionNode } from './sessions'
import type { SessionListRow } from '../ipc/generated/SessionListRow'

/** How many found sessions are shown before the button for all of them. */
export const FEW_SESSIONS = 6
/** The same for the texts that were found in one session. */
export const FEW_HITS = 4

/** A line of the drawer. */
export type DrawerEntry = HeadEntry | GroupEntry | NodeEntry | FoundEntry | HitEntry | MoreEntry | NoteEntry

interface Placed {
  /** Stays the same while the list changes around it. */
  key: string
  /** From 1: headings, sessions below them, the subagents of these, and so on. */
  level: number
  /** From 1, among those of the same level below the same line. */
  position: number
  nSiblings: number
}

/** The heading of a part of the drawer. */
export interface HeadEntry extends Placed {
  kind: 'head'
  what: 'recent' | 'sessions' | 'texts'
  /** How many there are; `null` where that says nothing. */
  n: number | null
  /** True when there are more than `n`. */
  more: boolean
}

/** The heading of a folder. */
export interface GroupEntry extends Placed {
  kind: 'group'
  group: SessionGroup
}

/** A session. */
export interface NodeEntry extends Placed {
  kind: 'session'
  node: SessionNode
  /** True when the subagents are shown, as the next lines. */
  open: boolean
  /** True for one of the sessions that were opened last; it stands again below its folder. */
  recent: boolean
}

/** The heading of a session in which texts were found. */
export interface FoundEntry extends Placed {
  kind: 'found'
  found: FoundSession
}

/** A text that was found. */
export interface HitEntry extends Placed {
  kind: 'hit'
  found: FoundSession
  hit: SearchHit
}

/** A button that shows the rest of a part of the list. */
export interface MoreEntry extends Placed {
  kind: 'more'
  /** `sessions`, `texts`, or the number of a session of which more was found. */
  of: 'sessions' | 'texts' | number
  /** How many more there are; `null` where the host does not know. */
  n: number | null
}

/** A line in the place of an empty part. */
export interface NoteEntry extends Placed {
  kind: 'note'
  note: DrawerNotice
}

/** A sentence and what to do. */
export interface DrawerNotice {
  what: string
  hint: string | null
  /** True for what went wrong. */
  bad: boolean
}

/** A line before it knows its place among others. */
type Unplaced<T> = T extends DrawerEntry ? Omit<T, keyof Placed> & { key: string } : never

const placed = <T extends DrawerEntry>(entries: Unplaced<T>[], level: number): T[] =>
  entries.map(
    (entry, idx) => ({ ...entry, level, position: idx + 1, nSiblings: entries.length }) as unknown as T,
  )

/** Lists groups line by line, without what is folded away. */
export function listEntries(
  groups: readonly SessionGroup[],
  isOpen: (node: SessionNode) => boolean,
): (GroupEntry | NodeEntry)[] {
  const entries: (GroupEntry | NodeEntry)[] = []
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
        recent: false,
      })
      if (open) addNodes(node.children, level + 1, key)
    })
  }
  groups.forEach((group, idx) => {
    const key = group.pinned ? 'pinned' : (group.path ?? '')
    entries.push({ kind: 'group', key, level: 1, position: idx + 1, nSiblings: groups.length, group })
    addNodes(group.nodes, 2, key)
  })
  return entries
}

const head = (what: HeadEntry['what'], n: number | null, more = false): HeadEntry => ({
  kind: 'head',
  key: `head ${what}`,
  level: 1,
  position: 1,
  nSiblings: 1,
  what,
  n,
  more,
})

/** Lists the sessions that were opened last, each as one line. */
export function recentEntries(rows: readonly SessionListRow[]): DrawerEntry[] {
  if (rows.length === 0) return []
  const lines = rows.map((row): Unplaced<NodeEntry> => ({
    kind: 'session',
    key: `recent ${row.path}`,
    node: { ...whole(row), children: [] },
    open: false,
    recent: true,
  }))
  return [head('recent', null), ...placed<NodeEntry>(lines, 2)]
}

/** Lists the sessions whose names fit: a few, or all of them. */
export function namedEntries(
  groups: readonly SessionGroup[],
  all: boolean,
  isOpen: (node: SessionNode) => boolean,
): DrawerEntry[] {
  const n = groups.reduce((sum, group) => sum + group.nodes.length, 0)
  if (n === 0) return []
  let left = all ? n : FEW_SESSIONS
  const few = groups.flatMap((group) => {
    const nodes = group.nodes.slice(0, left)
    left -= nodes.length
    return nodes.length > 0 ? [{ ...group, nodes }] : []
  })
  const more: Unplaced<MoreEntry>[] =
    all || n <= FEW_SESSIONS
      ? []
      : [{ kind: 'more', key: 'more sessions', of: 'sessions', n: n - FEW_SESSIONS }]
  return [head('sessions', n), ...listEntries(few, isOpen), ...placed<MoreEntry>(more, 2)]
}

/**
 * Lists the texts that were found, by session: of each a few, or all of those in `wholly`. Where there are more than
 * were asked for, `canAskMore` tells whether more can be asked for.
 */
export function foundEntries(
  answer: SearchAnswer,
  wholly: ReadonlySet<number>,
  canAskMore: boolean,
): DrawerEntry[] {
  const n = answer.sessions.reduce((sum, { hits }) => sum + hits.length, 0)
  if (n === 0) return []
  const entries: DrawerEntry[] = [head('texts', n, answer.more)]
  const alone = answer.sessions.length === 1
  answer.sessions.forEach((found, idx) => {
    const key = `found ${found.session}`
    entries.push({
      kind: 'found',
      key,
      level: 1,
      position: idx + 1,
      nSiblings: answer.sessions.length,
      found,
    })
    const few = alone || wholly.has(found.session) ? found.hits : found.hits.slice(0, FEW_HITS)
    const lines: Unplaced<HitEntry | MoreEntry>[] = few.map((hit) => ({
      kind: 'hit',
      key: `${key} ${hit.block}`,
      found,
      hit,
    }))
    if (few.length < found.hits.length)
      lines.push({
        kind: 'more',
        key: `more ${key}`,
        of: found.session,
        n: found.hits.length - few.length,
      })
    entries.push(...placed<HitEntry | MoreEntry>(lines, 2))
  })
  if (answer.more && canAskMore)
    entries.push(...placed<MoreEntry>([{ kind: 'more', key: 'more texts', of: 'texts', n: null }], 1))
  return entries
}

/** A line that says something. */
export const noteEntry = (key: string, note: DrawerNotice): NoteEntry => ({
  kind: 'note',
  key,
  level: 1,
  position: 1,
  nSiblings: 1,
  note,
})

const isHeading = (entry: DrawerEntry | undefined) =>
  entry?.kind === 'head' || entry?.kind === 'group' || entry?.kind === 'found'

/** The place of the heading that the line at `idx` is below; -1 above the first. */
export function headingAbove(entries: readonly DrawerEntry[], idx: number): number {
  let at = Math.min(idx, entries.length - 1)
  while (at >= 0 && !isHeading(entries[at])) at -= 1
  return at
}

/** True for a line that the keyboard can stand on. */
function isStop(entry: DrawerEntry): boolean {
  if (entry.kind === 'session') return canOpen(entry.node.row) || entry.node.children.length > 0
  return entry.kind === 'hit' || entry.kind === 'more'
}

/** The next line from `idx` on, in steps of `direction`, that the keyboard can stand on; -1 without one. */
export function nextStop(entries: readonly DrawerEntry[], idx: number, direction: 1 | -1): number {
  for (let at = idx; at >= 0 && at < entries.length; at += direction) {
    const entry = entries[at]
    if (entry && isStop(entry)) return at
  }
  return -1
}

/** Returns the speaker and kind of a text that was found: `human`, `assistant reasoning`, `call bash`, `result grep`. */
export function hitName({
  kind,
  tool,
  role,
  author,
}: Pick<SearchHit, 'kind' | 'tool' | 'role' | 'author'>): string {
  if (kind === 'call' || kind === 'result') return tool === null ? kind : `${kind} ${tool}`
  const speaker = role === 'user' ? (author === 'human' ? 'human' : 'harness') : role
  return kind === 'text' ? speaker : `${speaker} ${kind}`
}

import type { SessionListRow } from '../ipc/generated/SessionListRow'
import { canOpen } from './sessions'

/**
 * Finds the sessions that a typed text may mean: by the beginning of an id, then by the name of the file, then
 * by words of the title and path. Subagents count as well.
 */
export function suggest(rows: readonly SessionListRow[], typed: string, most: number): SessionListRow[] {
  const wanted = typed.trim().toLowerCase()
  if (wanted === '') return []
  const words = wanted.split(/\s+/)
  const ranked: SessionListRow[][] = [[], [], []]
  const add = (row: SessionListRow) => {
    row.children.forEach(add)
    const rank = canOpen(row) ? rankOf(row, wanted, words) : -1
    ranked[rank]?.push(row)
  }
  rows.forEach(add)
  return ranked.flat().slice(0, most)
}

function rankOf({ id, path, title }: SessionListRow, wanted: string, words: readonly string[]): number {
  if (id?.toLowerCase().startsWith(wanted)) return 0
  const low = path.toLowerCase()
  if (low.slice(Math.max(low.lastIndexOf('/'), low.lastIndexOf('\\')) + 1).startsWith(wanted)) return 1
  const content = `${low} ${title.toLowerCase()}`
  return words.every((word) => content.includes(word)) ? 2 : -1
}

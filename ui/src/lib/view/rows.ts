import type { ItemDto } from '../ipc/generated/ItemDto'

/** The most that a folded block takes, pixels. */
export const FOLD_PX = 300
const LINE_PX = 19
/** Engines clamp an element at 33,554,428 px; the whole list must stay below. */
const MOST_PX = 30_000_000

/** How tall a row will be, before it is measured. */
export function estimateRow(item: ItemDto | undefined, n: number): number {
  const cap = Math.min(FOLD_PX + 64, MOST_PX / Math.max(1, n))
  if (!item) return Math.min(64, cap)
  if (!item.kept) return Math.min(item.placeholder === null ? 30 : 54, cap)
  const wrapped = Math.ceil(Math.min(item.n_chars, 6000) / 110)
  return Math.min(46 + Math.max(item.n_lines, wrapped, 1) * LINE_PX, cap)
}

/** True when a text does not fit into a folded row, or is only the beginning of what the log holds. */
export function isFolded(item: ItemDto): boolean {
  return [...item.text].length < item.n_chars || item.n_lines > 15 || item.text.length > 1700
}

/** True for what the log holds; descriptions that stay and summaries by fixed rules are made by a policy. */
export const isLogged = (item: ItemDto): boolean => item.kind !== 'residue' && item.kind !== 'summary'

/** True for what people read as sentences. */
export const isProse = (item: ItemDto): boolean =>
  item.kind === 'text' || item.kind === 'reasoning' || !isLogged(item)

/** What a block is, in one word or two. */
export function blockName(item: ItemDto): string {
  switch (item.kind) {
    case 'call':
      return item.tool ? `call ${item.tool}` : 'call'
    case 'result':
      return item.tool ? `result ${item.tool}` : 'result'
    case 'residue':
      return 'description'
    case 'summary':
      return 'summary'
    default:
      return item.kind
  }
}

/** Who speaks: the human and the harness share the user's slot, so the role alone does not say it. */
export function speaker(item: ItemDto): string {
  if (item.role === 'user') return item.author === 'human' ? 'human' : 'harness'
  return item.role
}

/** Cuts a text around all places of `find` (letter case aside): every odd part is a match. */
export function splitMatches(text: string, find: string): string[] {
  if (find === '') return [text]
  const parts: string[] = []
  const low = text.toLowerCase()
  const wanted = find.toLowerCase()
  // Lower case of a few letters is longer than the letter; then places differ and nothing is marked.
  if (low.length !== text.length) return [text]
  let from = 0
  for (let at = low.indexOf(wanted); at >= 0; at = low.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), text.slice(at, at + wanted.length))
    from = at + wanted.length
    if (parts.length > 2000) break
  }
  parts.push(text.slice(from))
  return parts
}

/** The surroundings of the first match on one line, for rows that do not show their text. */
export function snippet(text: string, find: string, around = 60): string | null {
  const at = find === '' ? -1 : text.toLowerCase().indexOf(find.toLowerCase())
  if (at < 0) return null
  const from = Math.max(0, at - around)
  const to = Math.min(text.length, at + find.length + around)
  const line = text.slice(from, to).replace(/\s+/g, ' ')
  return `${from > 0 ? '…' : ''}${line}${to < text.length ? '…' : ''}`
}

/** The arguments of a call, one by one; `null` when the text is no call with arguments, or cut off. */
export function callArguments(text: string, tool: string | null): [string, string][] | null {
  const start = text.indexOf('{')
  if (start < 0 || (tool !== null && text.slice(0, start).trim() !== tool)) return null
  try {
    const parsed: unknown = JSON.parse(text.slice(start))
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null
    return Object.entries(parsed).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ])
  } catch {
    return null
  }
}

import type { ContextItem } from '../ipc/generated/ContextItem'
import { closeJson } from './json'
import { languageOfPath, languageOfText } from './language'
import type { Match } from './paint'

/** The most that a folded block takes, pixels. */
export const FOLD_PX = 300
const LINE_PX = 19
/** Engines clamp an element at 33,554,428 px; the whole list must stay below. */
export const MOST_PX = 30_000_000

/** How tall a row will be, before it is measured. */
export function estimateRow(item: ContextItem | undefined, n: number): number {
  const cap = Math.min(FOLD_PX + 64, MOST_PX / Math.max(1, n))
  if (!item) return Math.min(64, cap)
  if (!item.kept) return Math.min(item.placeholder === null ? 30 : 54, cap)
  const wrapped = Math.ceil(Math.min(item.n_chars, 6000) / 110)
  return Math.min(46 + Math.max(item.n_lines, wrapped, 1) * LINE_PX, cap)
}

/** Returns the key of a row, the same for the same block of another list. */
export const keyOfItem = (item: ContextItem): string => item.block

/** True where a row of a diff stands for several blocks, which are the same in both contexts. */
export const isRun = ({ difference }: ContextItem): boolean => (difference?.n ?? 1) > 1

/** Returns the key of a row of a diff. */
export const keyOfDiffRow = (item: ContextItem): string =>
  `${isRun(item) ? 'run' : item.difference?.change} ${item.block}`

/** How tall a row of a diff will be. */
export const estimateDiffRow = (item: ContextItem | undefined, n: number): number =>
  item && isRun(item) ? Math.min(34, MOST_PX / Math.max(1, n)) : estimateRow(item, n)

/** True when a text does not fit into a folded row, or is only the beginning of what the log holds. */
export function isFolded(item: ContextItem): boolean {
  return [...item.text].length < item.n_chars || item.n_lines > 15 || item.text.length > 1700
}

/** True for what the log holds; descriptions that stay and summaries by fixed rules are made by a policy. */
export const isLogged = (item: ContextItem): boolean => item.kind !== 'residue' && item.kind !== 'summary'

/** True for what people read as sentences. */
export const isProse = (item: ContextItem): boolean =>
  item.kind === 'text' || item.kind === 'reasoning' || !isLogged(item)

/** Returns the name of a block's kind, in one word or two; a result is called by its tool. */
export function blockName(item: ContextItem): string {
  switch (item.kind) {
    case 'call':
      return item.tool ? `calls ${item.tool}` : 'call'
    case 'result':
      return item.tool ?? 'result'
    case 'text':
      return item.tool ? `definition of ${item.tool}` : 'text'
    case 'residue':
      return 'description'
    case 'summary':
      return 'summary'
    default:
      return item.kind
  }
}

/**
 * Returns the speaker. The human and the harness share the user's slot, and a result may hold words of the human, so the
 * role alone does not tell.
 */
export function speaker(item: ContextItem): string {
  if (item.author === 'human') return 'human'
  return item.role === 'user' ? 'harness' : item.role
}

/** Returns the class by which a block is coloured: the kind of its episode, or who speaks outside of all. */
export const colourOf = (item: ContextItem, episode: { kind: string } | undefined): string =>
  episode?.kind ?? (item.author === 'human' ? 'human' : 'outside')

/** The reason without what says little in a column: that the block is gone, and the id of a record. */
export const shortReason = (reason: string): string =>
  reason.replace(/^gone: /, '').replace(/ \(record [^()]*\)$/, '')

/** One argument of a call: its name, its value as people read it, and what language that is in. */
export interface CallArgument {
  name: string
  value: string
  language: string | null
}

/** Arguments that hold text of the file that a call is about; others are plain words. */
const OF_FILE = /^(content|contents|text|code|file_?text|insert_?text|(old|new)_?(string|str|text|content))$/i

/** A result of fewer lines says how it went, in plain words. */
const CODE_LINES = 3

/** Arguments that are coloured as a command of a shell. */
const COMMANDS = ['command', 'cmd', 'script']

/** Parses the arguments of a call; of a text that was cut off, those that are there. */
function parseArguments(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return JSON.parse(closeJson(json))
  }
}

/**
 * The arguments of a call, one by one, and `path` is the file that it is about; `null` when the text is no call with
 * arguments, or cut off within a name.
 */
export function callArguments(text: string, tool: string | null, path: string | null): CallArgument[] | null {
  const start = text.indexOf('{')
  if (start < 0 || (tool !== null && toolOf(text) !== tool)) return null
  try {
    const parsed = parseArguments(text.slice(start))
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null
    const fields = Object.entries(parsed)
    const ofFile = path === null ? null : languageOfPath(path)
    return fields.map(([name, value]) => {
      if (typeof value !== 'string') {
        const nested = typeof value === 'object' && value !== null
        return {
          name,
          value: nested ? JSON.stringify(value, null, 2) : JSON.stringify(value),
          language: nested ? 'json' : null,
        }
      }
      const language = COMMANDS.includes(name) ? 'bash' : OF_FILE.test(name) ? ofFile : null
      return { name, value, language: value.length > 24 || COMMANDS.includes(name) ? language : null }
    })
  } catch {
    return null
  }
}

/** The matches within one part of a call: its tool, or the name or value of an argument. */
export interface PartMatches {
  ranges: Match[]
  /** The number of the first of them, of all matches in the block. */
  first: number
}

/** The matches within a call: in its tool, and in the name and value of each argument. */
export interface CallMatches {
  tool: PartMatches
  names: PartMatches[]
  values: PartMatches[]
}

/**
 * Returns where the matches in the text of a call stand in its parts; `null` where one stands in none of them, such as in
 * an escape or in the signs between two parts.
 */
export function matchesInCall(
  text: string,
  parts: readonly CallArgument[],
  matches: readonly Match[],
): CallMatches | null {
  const places = [toolOf(text), ...parts.flatMap(({ name, value }) => [name, value])]
  const found = places.map((): PartMatches => ({ ranges: [], first: 0 }))
  let place = 0
  let from = 0
  for (const [number, [start, end]] of matches.entries()) {
    const sought = text.slice(start, end)
    let at = -1
    for (; place < places.length; place += 1, from = 0) {
      at = places[place]?.indexOf(sought, from) ?? -1
      if (at >= 0) break
    }
    const here = found[place]
    if (at < 0 || !here || sought === '') return null
    if (here.ranges.length === 0) here.first = number
    here.ranges.push([at, at + sought.length])
    from = at + sought.length
  }
  const [tool = { ranges: [], first: 0 }, ...inArguments] = found
  return {
    tool,
    names: inArguments.filter((_, at) => at % 2 === 0),
    values: inArguments.filter((_, at) => at % 2 === 1),
  }
}

/** The name with which the text of a call begins. */
export const toolOf = (text: string) => text.slice(0, Math.max(0, text.indexOf('{'))).trim()

/** The language that a block is coloured as: by the file that it is about, else by how it begins. */
export function languageOf(item: ContextItem, shown: string): string | null {
  if (item.kind !== 'result') return null
  const ofFile = item.path === null || item.n_lines < CODE_LINES ? null : languageOfPath(item.path)
  return ofFile ?? languageOfText(shown)
}

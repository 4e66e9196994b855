import type { SearchHit } from '../ipc/generated/SearchHit'
import { text } from '../text'
import { cleanBudget, isBudget } from './budget'
import { hitName } from './drawer'
import { count } from './format'
import { rank, type Ranked } from './fuzzy'

/** Everything that the palette searches. */
export interface Sources {
  commands: readonly { id: string; title: string; group: string; key: string | null }[]
  sessions: readonly { path: string; title: string; note: string }[]
  episodes: readonly { name: string; note: string }[]
  /** A message of the human, with its turn. */
  humans: readonly { turn: number; text: string }[]
  policies: readonly { name: string; plain: string; about: string }[]
  /** The words of the field, each with its meaning. */
  words: readonly (readonly [name: string, meaning: string])[]
  /** The topics of the guide, each with its text. */
  guide: readonly (readonly [title: string, body: string])[]
  /** The texts of the open session that hold what is typed, as the host found them. */
  hits: readonly SearchHit[]
  nTurns: number
  /** True if the host searches the texts of sessions. */
  canSearchTexts: boolean
}

/** The effect of choosing a line. */
export type Deed =
  | { do: 'command'; id: string }
  | { do: 'session'; path: string }
  | { do: 'episode'; idx: number }
  | { do: 'turn'; turn: number }
  | { do: 'policy'; name: string }
  | { do: 'budget'; budget: string }
  | { do: 'search'; query: string }
  | { do: 'hit'; hit: SearchHit }
  /** Opens the help at what it finds for these words. */
  | { do: 'help'; find: string }

/** A line of the palette. */
export interface Line {
  /** Stays the same from day to day: recent ones are remembered by it. */
  key: string
  label: string
  /** Where the label matches. */
  ranges: readonly number[]
  note: string
  /** The key that does the same. */
  press: string | null
  deed: Deed
}

export type SectionName =
  'recent' | 'go' | 'commands' | 'episodes' | 'turns' | 'sessions' | 'policies' | 'guide' | 'words' | 'texts'

/** Lines of one sort. */
export interface Section {
  part: SectionName
  lines: Line[]
  /** How many more there are. */
  nMore: number
}

/** The part that a first sign narrows the search to. */
const PREFIXES: Readonly<Record<string, SectionName>> = { '>': 'commands', '@': 'episodes', '#': 'turns' }
/** How many lines of a part are shown beside other parts, and by itself. */
const MOST_OF_MANY = 20
const MOST_OF_ONE = 200
/** And while nothing is typed. */
const MOST_AT_FIRST: Readonly<Record<SectionName, number>> = {
  recent: 6,
  go: 2,
  commands: 10,
  episodes: 6,
  turns: 0,
  sessions: 6,
  policies: 0,
  guide: 0,
  words: 0,
  texts: 0,
}

/** Splits what is typed into what it is narrowed to and what is looked for. */
export function queryOf(typed: string): { only: SectionName | null; needle: string } {
  const start = typed.trimStart()
  const only = PREFIXES[start.charAt(0)] ?? null
  return { only, needle: (only ? start.slice(1) : start).trim() }
}

/** Returns the parts that the palette shows for a typed text. `recent` are keys of lines, the latest first. */
export function sectionsOf(typed: string, sources: Sources, recent: readonly string[]): Section[] {
  const { only, needle } = queryOf(typed)
  const parts: [SectionName, Line[]][] = [
    ['go', placesOf(needle, only, sources)],
    ['commands', commandsOf(sources)],
    ['episodes', needle === '' ? episodesOf(sources).reverse() : episodesOf(sources)],
    ['turns', turnsOf(sources)],
    ['sessions', sessionsOf(sources)],
    ['policies', policiesOf(sources)],
    ['guide', helpLines('guide', sources.guide)],
    ['words', helpLines('word', sources.words)],
    ['texts', textsOf(needle, sources)],
  ]
  if (needle === '' && only === null) return atFirst(parts, recent)
  return parts
    .filter(([part]) => only === null || part === only || part === 'go')
    .map(([part, lines]) => {
      const isMade = part === 'go' || part === 'texts'
      const found = isMade || needle === '' ? lines : matching(lines, needle, recent)
      return cut(part, found, only === null ? MOST_OF_MANY : MOST_OF_ONE)
    })
    .filter(({ lines }) => lines.length > 0)
}

/** The parts before anything is typed: what was used last comes first and stands there alone. */
function atFirst(parts: readonly [SectionName, Line[]][], recent: readonly string[]): Section[] {
  const known = new Map(parts.flatMap(([, lines]) => lines.map((line) => [line.key, line] as const)))
  const used = recent.flatMap((key) => known.get(key) ?? []).slice(0, MOST_AT_FIRST.recent)
  const rest = parts.map(([part, lines]) =>
    cut(
      part,
      lines.filter((line) => !used.includes(line)),
      MOST_AT_FIRST[part],
    ),
  )
  return [cut('recent', used, MOST_AT_FIRST.recent), ...rest].filter(({ lines }) => lines.length > 0)
}

function cut(part: SectionName, lines: readonly Line[], most: number): Section {
  return { part, lines: lines.slice(0, most), nMore: Math.max(0, lines.length - most) }
}

/** The lines that match, the best first; among those, what was used lately comes before the others. */
function matching(lines: readonly Line[], needle: string, recent: readonly string[]): Line[] {
  const found = rank(
    lines.map(({ label, note }) => (note === '' ? label : `${label} · ${note}`)),
    needle,
  )
  const lineOf = ({ idx, ranges }: Ranked): Line[] => {
    const line = lines[idx]
    return line ? [{ ...line, ranges: ranges.filter((at) => at <= line.label.length) }] : []
  }
  const order = new Map(recent.map((key, at) => [key, at] as const))
  const all = found.flatMap(lineOf)
  const used = all.filter(({ key }) => order.has(key))
  used.sort((a, b) => (order.get(a.key) ?? 0) - (order.get(b.key) ?? 0))
  return [...used, ...all.filter(({ key }) => !order.has(key))]
}

/** A turn or a budget that is typed as such. */
function placesOf(needle: string, only: SectionName | null, { nTurns }: Sources): Line[] {
  if (nTurns === 0 || needle === '' || (only !== null && only !== 'turns')) return []
  const { turn: turnWord, tau: tauWord } = text.palette.words
  const lines: Line[] = []
  const bare = new RegExp(`^(?:(?:${turnWord})\\s*)?(\\d[\\d,]*)$`, 'iu').exec(needle)?.[1]
  if (bare !== undefined) {
    const turn = Number(bare.replace(/,/g, ''))
    if (turn >= 1 && turn <= nTurns) {
      lines.push({
        key: `turn:${turn}`,
        label: text.palette.turn(count(turn)),
        ranges: [],
        note: text.palette.ofTurns(count(nTurns)),
        press: null,
        deed: { do: 'turn', turn },
      })
    }
  }
  const said = new RegExp(`^(?:${tauWord})\\s*[:=]?\\s*(.+)$`, 'iu').exec(needle)?.[1]
  // A plain number is a turn sooner than a budget, unless it is as large as budgets are.
  const budget = said ?? (/[kKmM%]$/.test(needle) || Number(needle) >= 1000 ? needle : '')
  if (only === null && isBudget(budget)) {
    const clean = cleanBudget(budget)
    lines.push({
      key: `budget:${clean}`,
      label: text.palette.budget(/^\d+$/.test(clean) ? count(Number(clean)) : clean),
      ranges: [],
      note: text.palette.budgetNote,
      press: null,
      deed: { do: 'budget', budget: clean },
    })
  }
  return lines
}

const commandsOf = ({ commands }: Sources): Line[] =>
  commands.map(({ id, title, group, key }) => ({
    key: `command:${id}`,
    label: title,
    ranges: [],
    note: group,
    press: key,
    deed: { do: 'command', id },
  }))

const episodesOf = ({ episodes }: Sources): Line[] =>
  episodes.map(({ name, note }, idx) => ({
    key: `episode:${name}`,
    label: name,
    ranges: [],
    note,
    press: null,
    deed: { do: 'episode', idx },
  }))

/** Returns the matching messages of the human, the latest first. */
const turnsOf = ({ humans }: Sources): Line[] =>
  humans.toReversed().map(({ turn, text: said }, at) => ({
    key: `said:${turn}:${at}`,
    label: said,
    ranges: [],
    note: text.palette.turn(count(turn)),
    press: null,
    deed: { do: 'turn', turn },
  }))

const sessionsOf = ({ sessions }: Sources): Line[] =>
  sessions.map(({ path, title, note }) => ({
    key: `session:${path}`,
    label: title,
    ranges: [],
    note,
    press: null,
    deed: { do: 'session', path },
  }))

const policiesOf = ({ policies }: Sources): Line[] =>
  policies.map(({ name, plain, about }) => ({
    key: `policy:${name}`,
    label: text.palette.policy(name),
    ranges: [],
    note: `${plain}: ${about}`,
    press: null,
    deed: { do: 'policy', name },
  }))

/** Lines that open the help: topics of the guide, or words of the glossary. */
const helpLines = (
  sort: 'guide' | 'word',
  entries: readonly (readonly [name: string, meaning: string])[],
): Line[] =>
  entries.map(([name, meaning]) => ({
    key: `${sort}:${name}`,
    label: text.palette[sort](name),
    ranges: [],
    note: meaning,
    press: null,
    deed: { do: 'help', find: name },
  }))

/** The texts of the open session with a needle, and the search for all of them. */
function textsOf(needle: string, { nTurns, canSearchTexts, hits }: Sources): Line[] {
  if (!canSearchTexts || nTurns === 0 || needle === '') return []
  const deed = { do: 'search', query: needle } as const
  return [
    { key: 'texts', label: text.palette.inTexts(needle), ranges: [], note: '', press: null, deed },
    ...hits.map(hitLine),
  ]
}

/** How much of the text before a match stands in its line. */
const BEFORE_CHARS = 40

function hitLine(hit: SearchHit): Line {
  const before = hit.before.length > BEFORE_CHARS ? `…${hit.before.slice(-BEFORE_CHARS)}` : hit.before
  const turn = hit.turn === null ? text.drawer.noBranch : text.palette.turn(count(hit.turn))
  return {
    key: `hit:${hit.block}`,
    label: `${before}${hit.matched}${hit.after}`,
    ranges: [before.length, before.length + hit.matched.length],
    note: `${hitName(hit)} · ${turn}`,
    press: null,
    deed: { do: 'hit', hit },
  }
}

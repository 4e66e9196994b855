import type { Match } from './paint'

/** Which places of a list have matches, ascending, and how many each. */
export interface FoundMatches {
  at: readonly number[]
  counts: readonly number[]
}

/** One match: the row, and which of the row's matches, from 0. */
export interface Stop {
  row: number
  nth: number
}

export const countOf = (found: FoundMatches): number => found.counts.reduce((sum, n) => sum + n, 0)

/** The match of a number, from 0, over all rows. */
export function stopAt(found: FoundMatches, number: number): Stop | null {
  let before = 0
  for (let place = 0; place < found.at.length; place += 1) {
    const n = found.counts[place] ?? 0
    const row = found.at[place]
    if (row !== undefined && number < before + n) return { row, nth: number - before }
    before += n
  }
  return null
}

/** The number of the first match at or after a row; 0, the first of all, behind the last one. */
export function numberFrom(found: FoundMatches, row: number): number {
  let before = 0
  for (let place = 0; place < found.at.length; place += 1) {
    if ((found.at[place] ?? 0) >= row) return before
    before += found.counts[place] ?? 0
  }
  return 0
}

/** The next or previous number, around the ends. */
export const numberBeside = (number: number, by: 1 | -1, n: number): number =>
  n === 0 ? 0 : (number + by + n) % n

/** More matches than this in one text that the page itself searches are not looked for. */
const MOST = 1000

/** Where lines of a text that the page holds match; an error's message where the pattern is none. */
export function findInLines(
  lines: readonly string[],
  wanted: { query: string; regex: boolean; case: boolean },
): { found: FoundMatches; marks: Map<number, Match[]> } | { problem: string } {
  const at: number[] = []
  const counts: number[] = []
  const marks = new Map<number, Match[]>()
  if (wanted.query === '') return { found: { at, counts }, marks }
  let pattern: RegExp
  try {
    const source = wanted.regex ? wanted.query : wanted.query.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    pattern = new RegExp(source, wanted.case ? 'gmu' : 'gimu')
  } catch (thrown) {
    return { problem: thrown instanceof Error ? thrown.message : String(thrown) }
  }
  lines.forEach((line, place) => {
    const found: Match[] = []
    for (const match of line.matchAll(pattern)) {
      if (match[0].length > 0) found.push([match.index, match.index + match[0].length])
      if (found.length >= MOST) break
    }
    if (found.length === 0) return
    at.push(place)
    counts.push(found.length)
    marks.set(place, found)
  })
  return { found: { at, counts }, marks }
}

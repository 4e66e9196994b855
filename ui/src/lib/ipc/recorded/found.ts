// Find in a page without an engine: the page looks through the texts that it holds itself.

import { findInLines } from '../../view/matches'
import type { FindDto } from '../generated/FindDto'
import type { MarksDto } from '../generated/MarksDto'
import type { WantedDto } from '../generated/WantedDto'
import { HostError } from '../host'

/** How much a snippet shows before and after a match, and of the match itself, characters. */
const AROUND = 60
const MATCH_SHOWN = 120

/** Returns which texts of a list hold what is wanted; an error where the pattern is none. */
export function foundIn(texts: readonly string[], wanted: WantedDto): Omit<FindDto, 'revision'> {
  const { found } = search(texts, wanted)
  const n_matches = found.counts.reduce((sum, n) => sum + n, 0)
  return { n_matches, at: [...found.at], counts: [...found.counts] }
}

/** Returns where in a text it stands, with a snippet of the first match on one line. */
export function marksIn(text: string, wanted: WantedDto): MarksDto {
  const ranges = (search([text], wanted).marks.get(0) ?? []).map(([from, to]): [number, number] => [from, to])
  const [first] = ranges
  return { ranges, snippet: first ? snippetOf(text, first) : null }
}

function search(texts: readonly string[], wanted: WantedDto) {
  const answer = findInLines(texts, wanted)
  if ('problem' in answer) throw new HostError('badPattern', answer.problem)
  return answer
}

function snippetOf(text: string, [from, to]: [number, number]): [string, string, string] {
  const oneLine = (part: string) => part.replaceAll(/\s+/gu, ' ')
  const start = Math.max(0, from - AROUND)
  const end = Math.min(text.length, to + AROUND)
  const matched = text.slice(from, to)
  return [
    `${start > 0 ? '…' : ''}${oneLine(text.slice(start, from))}`,
    `${oneLine(matched.slice(0, MATCH_SHOWN))}${matched.length > MATCH_SHOWN ? '…' : ''}`,
    `${oneLine(text.slice(to, end))}${end < text.length ? '…' : ''}`,
  ]
}

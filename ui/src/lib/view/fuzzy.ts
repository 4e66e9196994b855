import UFuzzy from '@leeoniya/ufuzzy'

/** One of the texts that were searched. */
export interface Ranked {
  /** Its place among the texts. */
  idx: number
  /** Where it matches: from, to, from, to, … */
  ranges: readonly number[]
}

/** More matches than this are not sorted: the next letter leaves fewer. */
const MOST_SORTED = 2000
/** How many words may stand in any order. */
const ANY_ORDER = 3

// Letters and digits of any script.
const fuzzy = new UFuzzy({
  unicode: true,
  interSplit: "[^\\p{L}\\d']+",
  intraSplit: '\\p{Ll}\\p{Lu}',
  intraBound: '\\p{L}\\d|\\d\\p{L}|\\p{Ll}\\p{Lu}',
  intraChars: "[\\p{L}\\d']",
  intraContr: "'\\p{L}{1,2}\\b",
})

/** The texts that have all words of `needle`, the best first. Words may be cut short and stand in any order. */
export function rank(texts: readonly string[], needle: string): Ranked[] {
  const wanted = needle.trim()
  if (wanted === '') return []
  if (!/[\p{L}\d]/u.test(wanted)) return plain(texts, wanted)
  const [found, info, order] = fuzzy.search(texts as string[], wanted, ANY_ORDER, MOST_SORTED)
  if (!found) return []
  if (!info || !order) return found.map((idx) => ({ idx, ranges: [] }))
  return order.map((at) => ({ idx: info.idx[at] ?? 0, ranges: info.ranges[at] ?? [] }))
}

/** Signs are no words: they are looked for as they are. */
function plain(texts: readonly string[], wanted: string): Ranked[] {
  return texts.flatMap((text, idx) => {
    const at = text.indexOf(wanted)
    return at < 0 ? [] : [{ idx, ranges: [at, at + wanted.length] }]
  })
}

/** A text in parts, every other of which matches; the first does not. */
export function partsOf(text: string, ranges: readonly number[]): string[] {
  const cuts = ranges.filter((at) => at <= text.length)
  return [0, ...cuts].map((from, at) => text.slice(from, cuts[at] ?? text.length))
}

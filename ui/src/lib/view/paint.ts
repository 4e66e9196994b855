/** A part of a text with the class names that it is painted with. */
export interface Span {
  from: number
  to: number
  classes: string
}

/** A part of a text: how it is painted, and which match it belongs to. */
export interface PaintedRun {
  /** Where it begins in the text. As its key it stays when a match before it cuts the text otherwise. */
  from: number
  text: string
  classes: string
  /** The number of the match, from 0; `null` outside of matches. */
  match: number | null
}

/** The first and the last place of a match. */
export type Match = readonly [from: number, to: number]

/**
 * Cuts a text where its painting or a match begins or ends. Spans and matches are each in order and do not overlap;
 * joined again, the pieces are the text.
 */
export function paint(text: string, spans: readonly Span[], matches: readonly Match[]): PaintedRun[] {
  const pieces: PaintedRun[] = []
  let span = 0
  let match = 0
  for (let at = 0; at < text.length;) {
    while ((spans[span]?.to ?? Infinity) <= at) span += 1
    while ((matches[match]?.[1] ?? Infinity) <= at) match += 1
    const painted = spans[span]
    const found = matches[match]
    const inSpan = painted !== undefined && painted.from <= at
    const inMatch = found !== undefined && found[0] <= at
    const end = Math.min(
      text.length,
      painted ? (inSpan ? painted.to : painted.from) : Infinity,
      found ? (inMatch ? found[1] : found[0]) : Infinity,
    )
    pieces.push({
      from: at,
      text: text.slice(at, end),
      classes: inSpan ? painted.classes : '',
      match: inMatch ? match : null,
    })
    at = end
  }
  return pieces
}

/** The part of spans or matches that lies in a window of the text, counted from its beginning. */
export const spansIn = (spans: readonly Span[], from: number, to: number): Span[] =>
  spans
    .filter((span) => span.to > from && span.from < to)
    .map((span) => ({
      ...span,
      from: Math.max(0, span.from - from),
      to: Math.min(to, span.to) - from,
    }))

/** A part of a long text that is shown, with how much is left out on either side. */
export interface Shown {
  from: number
  to: number
}

/** More than this of one text is not laid out at once, UTF-16 units. */
export const MOST_SHOWN = 100_000

/** Which part of a text is shown: its beginning, or the surroundings of a place that must be in it. */
export function shownPart(text: string, place: number | null, most = MOST_SHOWN): Shown {
  if (text.length <= most) return { from: 0, to: text.length }
  const wanted = place === null || place < most ? 0 : Math.min(place - most / 2, text.length - most)
  return { from: whole(text, wanted), to: whole(text, Math.min(text.length, wanted + most)) }
}

/** No pair of surrogates is cut. */
const whole = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}

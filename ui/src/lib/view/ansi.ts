import { codeOf, hasHidden, hidden } from './hidden'
import type { Match, Span } from './paint'

/** A run of terminal output with its class names. */
export interface Run {
  text: string
  classes: string
}

/** A text without its escape sequences: what it looks like, and where its places are now. */
export interface Plain {
  text: string
  spans: Span[]
  /** The place of a place of the original. */
  placeOf: (at: number) => number
}

// CSI with its parameters, OSC up to its end, and any other escape.
const ESCAPE = /\u001b(?:\[([0-9;:?<=>]*)[ -/]*([@-~])?|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_]?)/g

/** Escape sequences, and characters that are not seen. */
const ODD = new RegExp(`${ESCAPE.source}|${hidden().source}`, 'gu')

/** The classes of the eight colours, from black to white: what reads as text stays so. */
const COLOURS = ['', 'text-error', 'text-ok', 'ansi-warning', 'text-active', 'muted', 'text-active', '']

interface Pen {
  colour: string
  bold: boolean
  underline: boolean
}

const classesOf = ({ colour, bold, underline }: Pen): string =>
  [colour, bold ? 'ansi-bold' : '', underline ? 'ansi-underline' : ''].filter(Boolean).join(' ')

/** The pen after a sequence that sets colours; what is not known changes nothing. */
function penAfter(pen: Pen, parameters: string): Pen {
  const codes = parameters.split(/[;:]/).map(Number)
  let next = pen
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0
    if (code === 0) next = { colour: '', bold: false, underline: false }
    else if (code === 1) next = { ...next, bold: true }
    else if (code === 4) next = { ...next, underline: true }
    else if (code === 22) next = { ...next, bold: false }
    else if (code === 24) next = { ...next, underline: false }
    else if (code === 39) next = { ...next, colour: '' }
    else if (code >= 30 && code <= 37) next = { ...next, colour: COLOURS[code - 30] ?? '' }
    else if (code >= 90 && code <= 97)
      next = { ...next, colour: code === 90 ? 'muted' : (COLOURS[code - 90] ?? '') }
    // A colour of a palette or of its own: what follows belongs to it.
    else if (code === 38 || code === 48) at += codes[at + 1] === 5 ? 2 : codes[at + 1] === 2 ? 4 : 0
  }
  return next
}

/** Takes the escape sequences out of a text; colours become spans, and characters that are not seen their codes. */
export function plainOf(text: string): Plain {
  const veiled = hasHidden(text)
  if (!veiled && !text.includes('\u001b')) return { text, spans: [], placeOf: (at) => at }
  const spans: Span[] = []
  /** Where what stays begins, in the original and now. */
  const parts: { original: number; now: number }[] = []
  let shown = ''
  let pen: Pen = { colour: '', bold: false, underline: false }
  let from = 0
  const take = (to: number) => {
    if (to > from) {
      const classes = classesOf(pen)
      if (classes) spans.push({ from: shown.length, to: shown.length + to - from, classes })
      parts.push({ original: from, now: shown.length })
      shown += text.slice(from, to)
    }
  }
  for (const found of text.matchAll(veiled ? ODD : ESCAPE)) {
    take(found.index)
    if (!found[0].startsWith('\u001b')) {
      const code = codeOf(found[0])
      spans.push({ from: shown.length, to: shown.length + code.length, classes: 'hidden-sign' })
      parts.push({ original: found.index, now: shown.length })
      shown += code
    } else if (found[2] === 'm') pen = penAfter(pen, found[1] ?? '')
    from = found.index + found[0].length
  }
  take(text.length)
  const placeOf = (at: number): number => {
    let low = 0
    let high = parts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((parts[middle]?.original ?? 0) <= at) low = middle + 1
      else high = middle
    }
    const part = parts[low - 1]
    const next = parts[low]
    return part ? Math.min(part.now + at - part.original, next?.now ?? shown.length) : 0
  }
  return { text: shown, spans, placeOf }
}

/** Matches of the original where they are in the plain text; those that were nothing but escapes are left out. */
export const matchesIn = (plain: Plain, matches: readonly Match[]): Match[] =>
  matches.map(([from, to]) => [plain.placeOf(from), plain.placeOf(to)] as const)

/** Terminal colours as runs; other escape sequences are dropped. A text without escapes is one run. */
export function ansiRuns(text: string): Run[] {
  const { text: shown, spans } = plainOf(text)
  const runs: Run[] = []
  let at = 0
  for (const span of spans) {
    if (span.from > at) runs.push({ text: shown.slice(at, span.from), classes: '' })
    runs.push({ text: shown.slice(span.from, span.to), classes: span.classes })
    at = span.to
  }
  if (at < shown.length || runs.length === 0) runs.push({ text: shown.slice(at), classes: '' })
  return runs
}

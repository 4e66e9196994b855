import type { Span } from './paint'

/** A part of a line of JSON, with what it is. */
export interface Token {
  text: string
  kind: 'key' | 'string' | 'number' | 'word' | 'mark'
}

const PART = /("(?:[^"\\]|\\.)*"?)(\s*:)?|(-?\d[\d.eE+-]*)|(true|false|null)|([^"\d\-tfn]+|.)/g

/** Cuts one line of indented JSON for colouring. Joined again, the parts are the line. */
export function jsonTokens(line: string): Token[] {
  // A very long line is one text: colour is not worth the time.
  if (line.length > 4000) return [{ text: line, kind: 'string' }]
  const tokens: Token[] = []
  for (const match of line.matchAll(PART)) {
    const [all, quoted, colon, number, word] = match
    if (quoted !== undefined && colon !== undefined) {
      tokens.push({ text: quoted, kind: 'key' }, { text: colon, kind: 'mark' })
    } else if (quoted !== undefined) tokens.push({ text: quoted, kind: 'string' })
    else if (number !== undefined) tokens.push({ text: number, kind: 'number' })
    else if (word !== undefined) tokens.push({ text: word, kind: 'word' })
    else tokens.push({ text: all, kind: 'mark' })
  }
  return tokens
}

/** The same as spans. */
export function jsonSpans(line: string): Span[] {
  let at = 0
  return jsonTokens(line).map(({ text, kind }) => {
    at += text.length
    return { from: at - text.length, to: at, classes: `json-${kind}` }
  })
}

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

/** How each kind looks. */
const LOOKS: Record<Token['kind'], string> = {
  key: 'text-main semibold',
  string: 'text-ok',
  number: 'text-active',
  word: 'text-active',
  mark: 'muted',
}

/** The same as spans. */
export function jsonSpans(line: string): Span[] {
  let at = 0
  return jsonTokens(line).map(({ text, kind }) => {
    at += text.length
    return { from: at - text.length, to: at, classes: LOOKS[kind] }
  })
}

/** Lays out JSON that stands in one line; every sign but the blanks between values stays. Other texts stay as they are. */
export function indentJson(text: string): string {
  if (text.length < WIDE || text.length > LONG || text.trim().includes('\n')) return text
  let depth = 0
  return text.replaceAll(/"(?:[^"\\]|\\.)*"?|[[{]\s*[\]}]|[[{\]},:]|\s+/g, (part) => {
    const line = (by: number) => `\n${'  '.repeat(Math.max(0, (depth += by)))}`
    if (/^\s/.test(part)) return ''
    if (part === '{' || part === '[') return part + line(1)
    if (part === '}' || part === ']') return line(-1) + part
    if (part === ',') return part + line(0)
    return part === ':' ? ': ' : part
  })
}

/** A line that is shorter is read as it is, and so is one that would take long. */
const WIDE = 80
const LONG = 500_000

/** Returns JSON that was cut off with what closes it: its last value is there as far as it goes. */
export function closeJson(text: string): string {
  const open: string[] = []
  let last = ''
  for (const [part] of text.matchAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)|[[{\]}]|[^\s"[{\]}]+/gsu)) {
    if (part === '{' || part === '[') open.push(part === '{' ? '}' : ']')
    else if (part === '}' || part === ']') open.pop()
    last = part
  }
  const isString = last.startsWith('"') && !/^"(?:[^"\\]|\\.)*"$/s.test(last)
  const whole = isString ? `${text.replace(/\\(u[\da-f]{0,3})?$/i, '')}"` : text
  return whole + open.reverse().join('')
}

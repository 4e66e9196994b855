import Anser from 'anser'

/** A run of terminal output with its class names. */
export interface Run {
  text: string
  classes: string
}
const ESCAPE = /\u001b/

/** Terminal colours as runs; other escape sequences are dropped. A text without escapes is one run. */
export function ansiRuns(text: string): Run[] {
  if (!ESCAPE.test(text)) return [{ text, classes: '' }]
  return Anser.ansiToJson(text, { use_classes: true, remove_empty: true }).map((part) => ({
    text: part.content.replace(/\u001b\][^\u0007]*(\u0007|$)|\u001b[@-_]?/g, ''),
    classes: [part.fg, part.bg, part.decoration].filter(Boolean).join(' '),
  }))
}

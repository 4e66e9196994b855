import type { ContextItem } from '../ipc/generated/ContextItem'
import { isLogged } from './rows'

/** The pin of a block, as a view has it. */
export const pinOf = (block: string): string => `block:${block}`

/** True for what can be pinned: a description or a summary is made anew at every turn. */
export const canPin = (item: ContextItem): boolean => isLogged(item)

/** A list with one more text, or without it when it is there. */
export const toggledText = (texts: readonly string[], text: string): string[] =>
  texts.includes(text) ? texts.filter((one) => one !== text) : [...texts, text]

/** Splits a pin or a probe into its kind (block, expression, text), its content, and the turn from which a probe must hold. */
export function watchedParts(text: string): {
  kind: 'block' | 'expression' | 'text'
  from: number | null
  what: string
} {
  if (text.startsWith('block:')) return { kind: 'block', from: null, what: text.slice('block:'.length) }
  const [, turn, rest] = /^(\d+):\s*(.*)$/s.exec(text) ?? []
  const what = rest ?? text
  const kind = /^\/.+\/i?$/s.test(what) ? 'expression' : 'text'
  return { kind, from: turn === undefined ? null : Number(turn), what }
}

interface Watching {
  pins: readonly string[]
  probes: readonly string[]
}

/** Names the change from one list of pins and probes to another. */
export function watchedChange(before: Watching, after: Watching) {
  if (after.pins.length > before.pins.length) return 'pinAdded'
  if (after.pins.length < before.pins.length) return 'pinRemoved'
  if (after.probes.length > before.probes.length) return 'probeAdded'
  if (after.probes.length < before.probes.length) return 'probeRemoved'
  return 'changed'
}

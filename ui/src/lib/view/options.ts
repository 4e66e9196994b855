import type { OptionRow } from '../ipc/generated/OptionRow'
import type { PolicyRow } from '../ipc/generated/PolicyRow'

/** Values of options that are not at their default, as people type them. */
export type Options = Record<string, string>

/** How an option is asked for. */
export type OptionForm =
  | { kind: 'switch'; on: string; off: string }
  | { kind: 'choice'; values: string[] }
  | { kind: 'number'; least: number; most: number | null }
  | { kind: 'letters'; letters: string[] }
  | { kind: 'text' }

/** The largest number of 32 bits. A range up to it means: no upper end. */
const NO_MOST = 2 ** 32 - 1

/** Tells how an option is asked for from the values that it says it takes. */
export function formOf(option: Pick<OptionRow, 'values' | 'range'>): OptionForm {
  if (option.range) {
    const [least, most] = option.range
    if (least === 0 && most === 1) return { kind: 'switch', on: '1', off: '0' }
    return { kind: 'number', least, most: most < NO_MOST ? most : null }
  }
  if (option.values === 'true|false') return { kind: 'switch', on: 'true', off: 'false' }
  if (/^[a-z][\w-]*(\|[\w-]+)*$/.test(option.values))
    return { kind: 'choice', values: option.values.split('|') }
  const [, least, most] = /^(\d+)\.\.(\d*)/.exec(option.values) ?? []
  if (least !== undefined) return { kind: 'number', least: Number(least), most: most ? Number(most) : null }
  const [, letters] = /^any of (\w+)$/.exec(option.values) ?? []
  if (letters !== undefined) return { kind: 'letters', letters: [...letters] }
  return { kind: 'text' }
}

/** Returns the present value of an option. */
export const valueOf = (option: OptionRow, set: Options): string => set[option.key] ?? option.default

/** The options with one of them set; what is at its default is left out. */
export function withOption(set: Options, option: OptionRow, value: string): Options {
  const next = { ...set }
  if (value === option.default) delete next[option.key]
  else next[option.key] = value
  return next
}

/** A share as people read it: per cent, where the option counts per mille. */
export const percentOf = (perMille: string): string => String(Number(perMille) / 10)

/** The value of a share that people type in per cent, to a tenth; `null` where it is none. */
export function perMilleOf(percent: string): string | null {
  const plain = percent.trim().replace(',', '.')
  return /^\d+(\.\d?)?$/.test(plain) ? String(Math.round(Number(plain) * 10)) : null
}

/** The sentence of an option around its field: the words before it, and those behind it. */
export function aroundValue({ sentence, share }: Pick<OptionRow, 'sentence' | 'share'>): [string, string] {
  const [before = '', after] = sentence.split('{}')
  return [before, after === undefined ? '' : share ? ` %${after}` : after]
}

/** The sentence of an option as one name for its field: a blank stands in the place of the value. */
export const sentenceOf = ({ sentence }: Pick<OptionRow, 'sentence'>): string =>
  sentence.replace('{}', '…').replaceAll('`', '')

/** Tells whether a text can be the value of an option that is a number. */
export function isNumberFor(form: OptionForm, value: string): boolean {
  if (form.kind !== 'number' || !/^\d+$/.test(value)) return false
  const number = Number(value)
  return number >= form.least && (form.most === null || number <= form.most)
}

/** A letter put in or taken out, in the order of the letters that there are. */
export function toggled(letters: readonly string[], value: string, letter: string): string {
  const on = new Set(value)
  if (!on.delete(letter)) on.add(letter)
  return letters.filter((one) => on.has(one)).join('')
}

/**
 * The options that a policy starts with: those that were set for it before, and, as they mean the same for every
 * policy, the common ones as they are now.
 */
export function optionsFor(policy: PolicyRow, now: Options, before: Options | undefined): Options {
  const next: Options = {}
  for (const option of policy.options) {
    const value = (option.common ? now : before)?.[option.key]
    if (value !== undefined && value !== option.default) next[option.key] = value
  }
  return next
}

/** The options that differ from their defaults, as `key=value`, for one line. */
export const optionWords = (set: Options): string =>
  Object.entries(set)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ')

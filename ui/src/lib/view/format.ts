import { text } from '../text'
import { hidden } from './hidden'

/**
 * A locale that `Intl` takes. Under `LANG=C` WebKitGTK says that the language is `C`, which throws.
 */
export function validLocale(wanted: string | undefined): string {
  try {
    return wanted && Intl.NumberFormat.supportedLocalesOf([wanted]).length > 0 ? wanted : 'en'
  } catch {
    return 'en'
  }
}

const locale = validLocale(typeof navigator === 'undefined' ? 'en' : navigator.language)
const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 })

/** `1204` as `1,204`. */
export const count = (value: number): string => whole.format(value)

/** `917034` as `917k`, `2140` as `2.1k`, `310` as `310`. */
export function short(value: number): string {
  if (value < 1000) return String(Math.round(value))
  if (value < 9950) return `${(value / 1000).toFixed(1).replace(/\.0$/, '')}k`
  if (value < 999_500) return `${Math.round(value / 1000)}k`
  return `${(value / 1e6).toFixed(value < 9.95e6 ? 1 : 0).replace(/\.0$/, '')}M`
}

/** A share of 1 as whole per cent; something that is not nothing is never `0%`. */
export function percent(part: number, all: number): string {
  if (all <= 0) return '0%'
  const share = (100 * part) / all
  if (share > 0 && share < 1) return '<1%'
  if (share < 100 && share > 99) return '99%'
  return `${Math.round(share)}%`
}

const dollars = (digits: number) =>
  new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })
const cents = dollars(2)
const small = dollars(4)

/** Millionths of a US dollar: `12340000` as `$12.34`; less than ten cents with four digits. */
export function money(micro: number): string {
  const usd = micro / 1e6
  return `$${usd !== 0 && usd < 0.1 ? small.format(usd) : cents.format(usd)}`
}

/** An amount of a cost: money, or that it has no price. */
export const costOf = (cost: { unpriced?: boolean }, micro: number): string =>
  cost.unpriced === true ? text.compare.unpriced : money(micro)

/** A share in thousandths: `613` as `61.3%`. */
export const perMille = (value: number): string => `${(value / 10).toFixed(1).replace(/\.0$/, '')}%`

/** Bytes as people say them. */
export function bytes(value: number): string {
  if (value < 1024) return `${value} B`
  if (value < 1024 ** 2) return `${Math.round(value / 1024)} kB`
  if (value < 1024 ** 3) return `${(value / 1024 ** 2).toFixed(1)} MB`
  return `${(value / 1024 ** 3).toFixed(1)} GB`
}

/** How long ago, from milliseconds since 1970. */
export function ago(then: number | null, now: number): string {
  if (then === null) return ''
  const seconds = Math.max(0, (now - then) / 1000)
  if (seconds < 60) return text.ago.now
  if (seconds < 3600) return text.ago.minutes(Math.floor(seconds / 60))
  if (seconds < 86_400) return text.ago.hours(Math.floor(seconds / 3600))
  if (seconds < 30 * 86_400) return text.ago.days(Math.floor(seconds / 86_400))
  const day = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'short', day: 'numeric' }).format(
    then,
  )
  // Languages that are written from the right put marks of direction into dates.
  return day.replace(hidden(), '')
}

/** A moment as `2026-01-02 13:45` of here, from milliseconds since 1970: the same width and the same order for all. */
export function moment(then: number): string {
  const at = new Date(then)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`
}

/** A phrase of the host as a sentence of its own. */
export const capital = (phrase: string): string => phrase.charAt(0).toUpperCase() + phrase.slice(1)

/** The last names of a path, as many as fit into some characters: `a/b/c.rs` as `…/c.rs`. */
export function endOfPath(path: string, nChars: number): string {
  if (path.length <= nChars) return path
  const names = path.split('/')
  let end = names.pop() ?? ''
  for (
    let name = names.pop();
    name !== undefined && end.length + name.length + 3 <= nChars;
    name = names.pop()
  )
    end = `${name}/${end}`
  return `…/${end}`
}

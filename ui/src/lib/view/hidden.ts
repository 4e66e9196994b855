/**
 * Characters that are not seen: those that turn the direction of text, have no width, or tag what stands before them. The
 * list is that of `crates/inspect/src/present/hidden.rs`.
 */
const LIST =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f' +
  '\\u3164\\ufe00-\\ufe0d\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}'

// A joiner between two characters beyond ASCII is not found: many scripts need it, and pictures of people.
const JOINED = `[^${LIST}\\u0000-\\u00a0]`
const HIDDEN = `(?!(?<=${JOINED})[\\u200c\\u200d]${JOINED})[${LIST}]`

/** Finds each of them. */
export const hidden = (): RegExp => new RegExp(HIDDEN, 'gu')

/** Tells whether a text has any. */
export const hasHidden = (text: string): boolean => new RegExp(HIDDEN, 'u').test(text)

/** The code of a character as it is shown in its place. */
export const codeOf = (character: string): string =>
  `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`

/** Hidden characters are all beyond these. */
const BEYOND = /[^\u0000-\u00ac]/
const EACH = hidden()

/** A text with each of them as its code. */
export const revealed = (text: string): string => (BEYOND.test(text) ? text.replace(EACH, codeOf) : text)

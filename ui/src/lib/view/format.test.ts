import { expect, test } from 'vitest'

import { ago, bytes, capital, endOfPath, percent, short, validLocale } from './format'

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1k'],
  [1204, '1.2k'],
  [9949, '9.9k'],
  [9950, '10k'],
  [80_000, '80k'],
  [999_499, '999k'],
  [999_500, '1M'],
  [5_400_000, '5.4M'],
  [12_000_000, '12M'],
])('%d tokens are short %s', (tokens, wanted) => expect(short(tokens)).toBe(wanted))

test.each([
  [0, 100, '0%'],
  [1, 1000, '<1%'],
  [50, 100, '50%'],
  [999, 1000, '99%'],
  [1000, 1000, '100%'],
  [5, 0, '0%'],
])('%d of %d is %s', (part, all, wanted) => expect(percent(part, all)).toBe(wanted))

test('a language that Intl refuses becomes English', () => {
  for (const bad of ['C', 'POSIX', '', 'x', undefined]) {
    expect(() => new Intl.NumberFormat(validLocale(bad))).not.toThrow()
  }
  expect(validLocale('C')).toBe('en')
  expect(validLocale('de-DE')).toBe('de-DE')
})

test.each([
  [512, '512 B'],
  [2048, '2 kB'],
  [5 * 1024 ** 2, '5.0 MB'],
  [3 * 1024 ** 3, '3.0 GB'],
])('%d bytes are %s', (value, wanted) => expect(bytes(value)).toBe(wanted))

test.each([
  [null, ''],
  [1_000_000 - 5_000, 'just now'],
  [1_000_000 - 120_000, '2 min ago'],
  [1_000_000 + 99_000, 'just now'],
])('changed at %s', (then, wanted) => expect(ago(then, 1_000_000)).toBe(wanted))

test('a phrase becomes a sentence', () => {
  expect(capital('kept: it feeds x')).toBe('Kept: it feeds x')
  expect(capital('')).toBe('')
})

test.each([
  ['src/a.rs', 'src/a.rs'],
  ['crates/engine/src/measure/cost.rs', '…/src/measure/cost.rs'],
  ['a-folder/a-file-with-a-name-that-is-too-long.rs', '…/a-file-with-a-name-that-is-too-long.rs'],
])('the end of %s', (path, end) => expect(endOfPath(path, 22)).toBe(end))

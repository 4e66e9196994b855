import { expect, test } from 'vitest'

import { partsOf, rank } from './fuzzy'

const NAMES = [
  'fix-retry',
  'map-ingest',
  'retryBackoff',
  'Tab Context',
  'naïve parser',
  'Поиск ошибок',
  'a + b (c)',
]

test('texts are found by the starts and parts of their words', () => {
  const check = (needle: string, ...names: string[]) =>
    expect(
      rank(NAMES, needle).map(({ idx }) => NAMES[idx]),
      needle,
    ).toEqual(names)
  check('retry', 'retryBackoff', 'fix-retry')
  check('backoff', 'retryBackoff')
  check('ingest map', 'map-ingest')
  check('ctx')
  check('cont', 'Tab Context')
  check('поиск', 'Поиск ошибок')
  check('парсер')
  check('naïve', 'naïve parser')
  check('  ')
  check('+', 'a + b (c)')
  check('((')
  check('no such thing at all')
})

test('a needle of any sort of signs is only a needle', () => {
  for (const needle of [
    '(',
    '[',
    '\\',
    '*',
    '.*',
    '-',
    '--',
    '"',
    '"a',
    "'",
    '^$',
    '\u0000',
    '💥',
    'a'.repeat(500),
  ])
    expect(() => rank(NAMES, needle), needle).not.toThrow()
})

test('what matches is marked', () => {
  expect(partsOf('fix-retry', [4, 9])).toEqual(['fix-', 'retry', ''])
  expect(partsOf('fix-retry', [])).toEqual(['fix-retry'])
  expect(partsOf('ab', [0, 1])).toEqual(['', 'a', 'b'])
  expect(partsOf('ab', [0, 9]).join('')).toBe('ab')
  const [best] = rank(NAMES, 'ingest')
  expect(best && partsOf(NAMES[best.idx] ?? '', best.ranges)).toEqual(['map-', 'ingest', ''])
})

test('many texts are few for it', () => {
  const many = Array.from({ length: 5000 }, (_, at) => `episode-${at} of a session`)
  expect(rank(many, 'episode 4999')[0]?.idx).toBe(4999)
  expect(rank(many, 'e')).toHaveLength(5000)
})

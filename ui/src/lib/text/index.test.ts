import { expect, test } from 'vitest'

import { language, languageOf, text } from '.'
import { en } from './en'

test('the first wanted language that there is', () => {
  const check = (wanted: string[], known: string[], language: string) =>
    expect(languageOf(wanted, known), wanted.join()).toBe(language)
  check([], ['en'], 'en')
  check(['de-AT', 'en'], ['en', 'de'], 'de')
  check(['de'], ['en'], 'en')
  check(['fr', 'de-CH'], ['en', 'de'], 'de')
  check(['pt-BR'], ['en', 'pt', 'pt-BR'], 'pt-BR')
  check(['pt-PT'], ['en', 'pt', 'pt-BR'], 'pt')
  check(['de_DE.UTF-8'], ['en', 'de'], 'de')
  // Under LANG=C an engine may say that the language is C.
  check(['C'], ['en', 'de'], 'en')
  check(['', '-', 'C.UTF-8'], ['en', 'de'], 'en')
})

test('the window has one', () => {
  expect(language).toBe('en')
  expect(text).toBe(en)
})

/** Texts that say something by being nothing. */
const NOTHING = ['diff.sign.same']

test('no text is empty', () => {
  const empty: string[] = []
  const walk = (value: unknown, path: string) => {
    if (typeof value === 'string' && value === '') empty.push(path)
    else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) walk(inner, `${path}.${name}`)
  }
  walk(en, 'en')
  const panes = import.meta.glob<{ words: object }>('../../panes/*/words.ts', { eager: true })
  for (const [path, { words }] of Object.entries(panes)) walk(words, path.split('/').at(-2) ?? '')
  expect(empty.filter((path) => !NOTHING.includes(path))).toEqual([])
})

import { expect, test } from 'vitest'

import { ansiRuns, matchesIn, plainOf } from './ansi'

test('terminal colours become class names and never markup', () => {
  expect(ansiRuns('plain <b>text</b>')).toEqual([{ text: 'plain <b>text</b>', classes: '' }])
  const runs = ansiRuns('\u001b[31merror\u001b[0m: <img src=x onerror=1>')
  expect(runs).toEqual([
    { text: 'error', classes: 'text-error' },
    { text: ': <img src=x onerror=1>', classes: '' },
  ])
  expect(ansiRuns('\u001b[1;92mok\u001b[22m go')).toEqual([
    { text: 'ok', classes: 'text-ok ansi-bold' },
    { text: ' go', classes: 'text-ok' },
  ])
})

test.each([
  ['\u001b', ''],
  ['\u001b[', ''],
  ['a\u001b[999999mb', 'ab'],
  ['\u001b]8;;http://x\u0007y', 'y'],
  ['\u001b]0;title\u001b\\z', 'z'],
  ['\u001b[38;5;999mx', 'x'],
  ['\u001b[38;2;1;2;31mx', 'x'],
  ['\u001b[2Jx\u001b[?25l', 'x'],
  ['one\u001bMtwo', 'onetwo'],
])('%j looks like %j', (text, expected) => {
  const plain = plainOf(text)
  expect(plain.text).toBe(expected)
  expect(
    ansiRuns(text)
      .map((run) => run.text)
      .join(''),
  ).toBe(expected)
  expect(plain.spans.every(({ classes }) => !classes.includes('text-error'))).toBe(true)
})

test('a match is where it was, without the escapes before it and in it', () => {
  const text = '\u001b[1mfirst\u001b[0m and sec\u001b[31mond\u001b[0m'
  const plain = plainOf(text)
  const place = (word: string) => [text.indexOf(word), text.indexOf(word) + word.length] as const
  const shown = matchesIn(plain, [place('first'), place('sec\u001b[31mond')])
  expect(shown.map(([from, to]) => plain.text.slice(from, to))).toEqual(['first', 'second'])
  expect(plainOf('none').placeOf(3)).toBe(3)
})

test.each([
  ['plain – straße 😀 ❤\ufe0f', 'plain – straße 😀 ❤\ufe0f'],
  ['a\u202eb\u2066c', 'a[U+202E]b[U+2066]c'],
  ['zero\u200bwidth\ufeff', 'zero[U+200B]width[U+FEFF]'],
  ['a\u{e0061}\u{e007f}', 'a[U+E0061][U+E007F]'],
  ['a\u200db', 'a[U+200D]b'],
  ['👩\u200d💻 می\u200cخواهم', '👩\u200d💻 می\u200cخواهم'],
  ['ü\u200d\u200cü', 'ü[U+200D][U+200C]ü'],
  ['\u001b[31mred\u202e\u001b[0m', 'red[U+202E]'],
])('what is not seen in %j is shown: %j', (text, expected) => {
  expect(plainOf(text).text).toBe(expected)
})

test('a match behind a hidden character is where it is shown', () => {
  const text = 'a\u202eb word'
  const plain = plainOf(text)
  const at = text.indexOf('word')
  const [[from, to] = [0, 0]] = matchesIn(plain, [[at, at + 4]])
  expect(plain.text.slice(from, to)).toBe('word')
  expect(plain.spans).toEqual([{ from: 1, to: 9, classes: 'hidden-sign' }])
})

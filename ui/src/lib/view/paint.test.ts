import { expect, test } from 'vitest'

import { paint, shownPart, spansIn, type Match, type Span } from './paint'

const spell = (text: string, spans: Span[], matches: Match[]) =>
  paint(text, spans, matches).map(
    ({ text, classes, match }) => `${text}${classes && `.${classes}`}${match === null ? '' : `#${match}`}`,
  )

test.each<[string, Span[], Match[], string[]]>([
  ['plain', [], [], ['plain']],
  ['', [], [], []],
  ['let x', [{ from: 0, to: 3, classes: 'k' }], [], ['let.k', ' x']],
  ['a retry b', [], [[2, 7]], ['a ', 'retry#0', ' b']],
  ['let x', [{ from: 0, to: 3, classes: 'k' }], [[1, 5]], ['l.k', 'et.k#0', ' x#0']],
  [
    'aa',
    [],
    [
      [0, 1],
      [1, 2],
    ],
    ['a#0', 'a#1'],
  ],
  ['abc', [{ from: 1, to: 99, classes: 'k' }], [[2, 99]], ['a', 'b.k', 'c.k#0']],
])('%s is cut where painting changes', (text, spans, matches, expected) => {
  expect(spell(text, spans, matches)).toEqual(expected)
  expect(
    paint(text, spans, matches)
      .map((piece) => piece.text)
      .join(''),
  ).toBe(text)
})

test('a piece keeps its place when a match before it cuts the text otherwise', () => {
  const spans = [
    { from: 0, to: 8, classes: 'k' },
    { from: 9, to: 12, classes: 'k' },
  ]
  const places = (matches: Match[]) => paint('the_word fn', spans, matches).map(({ from }) => from)
  expect(places([[0, 4]])).toEqual([0, 4, 8, 9])
  expect(places([[0, 8]])).toEqual([0, 8, 9])
})

test('spans of a part count from its beginning', () => {
  const spans = [
    { from: 0, to: 4, classes: 'a' },
    { from: 6, to: 9, classes: 'b' },
  ]
  expect(spansIn(spans, 2, 7)).toEqual([
    { from: 0, to: 2, classes: 'a' },
    { from: 4, to: 5, classes: 'b' },
  ])
  expect(spansIn(spans, 4, 6)).toEqual([])
})

test('of a long text the part around a place is shown, and no letter is cut', () => {
  const text = 'x'.repeat(50)
  expect(shownPart(text, null, 100)).toEqual({ from: 0, to: 50 })
  expect(shownPart(text, null, 20)).toEqual({ from: 0, to: 20 })
  expect(shownPart(text, 30, 20)).toEqual({ from: 20, to: 40 })
  expect(shownPart(text, 49, 20)).toEqual({ from: 30, to: 50 })
  const faces = '😀'.repeat(50)
  for (let place = 0; place < 100; place += 1) {
    const { from, to } = shownPart(faces, place, 21)
    expect(faces.slice(from, to)).toMatch(/^(😀)*$/)
    expect(place >= from - 1 && place <= to).toBe(true)
  }
})

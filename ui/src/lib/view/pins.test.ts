import { expect, test } from 'vitest'

import { pinOf, toggledText, watchedParts } from './pins'

test('a pin is put in and taken out', () => {
  const pins = toggledText([], pinOf('a1:0'))
  expect(pins).toEqual(['block:a1:0'])
  expect(toggledText([...pins, 'x'], pinOf('a1:0'))).toEqual(['x'])
})

test.each([
  ['block:a1:0', 'block', null, 'a1:0'],
  ['never on Fridays', 'text', null, 'never on Fridays'],
  ['/port \\d+/i', 'expression', null, '/port \\d+/i'],
  ['12: the answer', 'text', 12, 'the answer'],
  ['12:/a|b/', 'expression', 12, '/a|b/'],
  ['/', 'text', null, '/'],
])('%s', (text, kind, from, what) => {
  expect(watchedParts(text)).toEqual({ kind, from, what })
})

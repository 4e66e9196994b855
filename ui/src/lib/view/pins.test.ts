import { expect, test } from 'vitest'

import { pinOf, toggledText, watchedChange, watchedParts } from './pins'

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

test.each([
  [[], ['a'], [], [], 'pinAdded'],
  [['a', 'b'], ['b'], ['x'], ['x'], 'pinRemoved'],
  [['a'], ['a'], [], ['x'], 'probeAdded'],
  [[], [], ['x'], [], 'probeRemoved'],
  [['a'], ['b'], [], [], 'changed'],
] as const)('pins %j → %j and probes %j → %j: %s', (pins, pinsAfter, probes, probesAfter, expected) =>
  expect(watchedChange({ pins, probes }, { pins: pinsAfter, probes: probesAfter })).toBe(expected),
)

import { expect, test } from 'vitest'

import { hasMarks, isAsItHappened, limitOf, shownBy } from './happened'

test.each<[string, Record<string, string>, boolean, string]>([
  ['none', {}, true, 'As it happened'],
  ['none', { ignore_compaction: 'true' }, false, 'What if: none at 80k'],
  ['cwl', {}, false, 'What if: cwl at 80k'],
])('a view of %s with %j', (policy, options, isFact, words) => {
  const view = { policy, options }
  expect(isAsItHappened(view)).toBe(isFact)
  expect(limitOf(view, { budget: 80_000 })).toBe(isFact ? null : 80_000)
  expect(shownBy(view, { budget: 80_000 })).toBe(words)
})

test.each<['annotated' | 'none' | 'unknown', string, boolean]>([
  ['annotated', 'auto', true],
  ['unknown', 'auto', true],
  ['none', 'auto', false],
  ['none', 'inferred', false],
  ['none', 'mine', true],
  ['none', '/marks.json', true],
])('a log that is %s, with the annotation %s', (annotation, asked, expected) => {
  expect(hasMarks({ annotation }, asked)).toBe(expected)
})

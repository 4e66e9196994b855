import { expect, test } from 'vitest'

import { choicesOf } from './annotation'

test.each([
  ['declared', 'auto', 'declared', ['declared', 'inferred']],
  ['inferred', 'auto', 'inferred', ['declared', 'inferred']],
  ['written', './a/marks.json', './a/marks.json', ['declared', 'inferred', './a/marks.json']],
] as const)('%s episodes, asked as %s', (source, asked, value, values) => {
  const choices = choicesOf({ source, name: 'marks.json' }, asked)
  expect(choices.value).toBe(value)
  expect(choices.options.map((option) => option.value)).toEqual(values)
})

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

test('the agent’s own marks can be filled up, where there are any', () => {
  const valuesOf = (source: 'declared' | 'filled', hasOwn: boolean) =>
    choicesOf({ source, name: null }, source, [], hasOwn).options.map(({ value }) => value)
  expect(valuesOf('declared', true)).toEqual(['declared', 'inferred', 'filled'])
  expect(valuesOf('declared', false)).toEqual(['declared', 'inferred'])
  expect(valuesOf('filled', false)).toEqual(['declared', 'inferred', 'filled'])
})

test('sets of marks that are kept can be chosen, each once', () => {
  const kept = [
    { name: 'my marks', by: null },
    { name: 'of A', by: 'A' },
  ]
  const choices = choicesOf({ source: 'written', name: 'of A' }, 'of A', kept)
  expect(choices.value).toBe('of A')
  expect(choices.options.map(({ value }) => value)).toEqual(['declared', 'inferred', 'my marks', 'of A'])
  expect(choices.options[3]?.about).toContain('A marked')
})

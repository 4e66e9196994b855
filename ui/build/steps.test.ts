import { expect, test } from 'vitest'

import { rulesOf } from './steps'

test('a class with numbers is one declaration', () => {
  const check = (source: string, ...rules: string[]) => expect(rulesOf(source), source).toEqual(rules)
  check('row gap-8 gap-8', '.gap-8 { gap: var(--s-8) }')
  check('p-4-12 px-6', '.p-4-12 { padding: var(--s-4) var(--s-12) }', '.px-6 { padding: 0 var(--s-6) }')
  check('mt-2 top-0', '.mt-2 { margin-top: var(--s-2) }', '.top-0 { top: 0 }')
  check('max-w-560', '.max-w-560 { max-width: 560px }')
  check('tab-1 step-4 level-3 stop-2-3')
})

test('a step that is not of the scale is an error', () => {
  expect(() => rulesOf('gap-7')).toThrow('7 is no step')
})

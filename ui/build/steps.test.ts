import { expect, test } from 'vitest'

import { rulesOf } from './steps'

test('a class with numbers is one declaration', () => {
  const check = (source: string, ...rules: string[]) => expect(rulesOf(source), source).toEqual(rules)
  check('row gap-8 gap-8', '.gap-8 { gap: var(--s-8) }')
  check('p-4-12 px-6', '.p-4-12 { padding: var(--s-4) var(--s-12) }', '.px-6 { padding: 0 var(--s-6) }')
  check('mt-2 top-0', '.mt-2 { margin-top: var(--s-2) }', '.top-0 { top: 0 }')
  check('max-w-560', '.max-w-560 { max-width: 560px }')
  check(
    '-ml-4 -mx-6',
    '.-ml-4 { margin-left: calc(-1 * var(--s-4)) }',
    '.-mx-6 { margin: 0 calc(-1 * var(--s-6)) }',
  )
  check('m-4-0-6', '.m-4-0-6 { margin: var(--s-4) 0 var(--s-6) }')
  check('z-2 leading-15', '.leading-15 { line-height: 15px }', '.z-2 { z-index: 2 }')
  check('max-w-96ch max-h-40%', '.max-h-40\\% { max-height: 40% }', '.max-w-96ch { max-width: 96ch }')
  check('tab-1 step-4 level-3 stop-2-3')
})

test('a class may name a size, a radius, an edge or a colour', () => {
  expect(rulesOf('border-b border-active text-xl rounded-full bg-panel text-nothing tab-text-s')).toEqual([
    '.bg-panel { background: var(--panel) }',
    '.border-b { border-bottom: 1px solid var(--line) }',
    '.rounded-full { border-radius: var(--r-full) }',
    '.text-xl { font-size: var(--text-xl) }',
    '.border-active { border-color: var(--active) }',
  ])
})

test('a step that is not of the scale is an error', () => {
  expect(() => rulesOf('gap-7')).toThrow('7 is no step')
})

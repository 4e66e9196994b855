import { expect, test } from 'vitest'

import { offScale, tooLong } from './offScale.js'

test('lengths that are not of the scales are found', () => {
  const check = (css: string, found: string[]) => expect(offScale(css), css).toEqual(found)
  check('.a { padding: var(--s-4) 0; width: 17px; }', [])
  check('.a { gap: 17px; }', ['1: gap: 17px;'])
  check('.a {\n  color: red;\n  margin: 0 calc(100% - 3px);\n}', ['3: margin: 0 calc(100% - 3px);'])
  check('.a { font: 600 12px serif; }', ['1: font: 600 12px serif;'])
  check('.a { font-size: 1.2em; border-top-left-radius: 2px; }', [
    '1: font-size: 1.2em;',
    '1: border-top-left-radius: 2px;',
  ])
  check('.a { top: 42%; left: 50vw; font-weight: 600; /* gap: 3px; */ }', [])
})

test('a scale does not grow', () => {
  const scale = (n: number) =>
    `:root { ${Array.from({ length: n }, (_, at) => `--text-${at}: 1px;`).join(' ')} }`
  expect(tooLong(scale(7))).toEqual([])
  expect(tooLong(scale(8))).toEqual(['--text-* has 8 steps, and may have 7'])
})

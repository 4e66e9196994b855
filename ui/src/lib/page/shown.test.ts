import { expect, test } from 'vitest'

import { jsx, jsxs } from './jsx-runtime'
import { jsxDEV } from './jsx-dev-runtime'

/** Turns the direction of text. */
const TURN = '\u202e'

test.each<[Record<string, unknown>, Record<string, unknown>]>([
  [{ children: `safe${TURN}txt.exe` }, { children: 'safe[U+202E]txt.exe' }],
  [{ children: ['a', `b${TURN}`, [`c\u200b`]] }, { children: ['a', 'b[U+202E]', ['c[U+200B]']] }],
  [
    { title: TURN, 'aria-label': '\u{e0041}', label: '\ufeff' },
    { title: '[U+202E]', 'aria-label': '[U+E0041]', label: '[U+FEFF]' },
  ],
  [
    { value: TURN, className: 'a', children: 7 },
    { value: TURN, className: 'a', children: 7 },
  ],
  [{ children: 'می\u200cخواهم' }, { children: 'می\u200cخواهم' }],
])('an element of %j shows %j', (given, props) => {
  const made = Array.isArray(given.children) ? jsxs('p', given) : jsx('p', given)
  expect(made).toMatchObject({ type: 'p', props })
  expect(jsxDEV('p', given, undefined, Array.isArray(given.children))).toMatchObject({ type: 'p', props })
})

test('properties without hidden characters stay the same object', () => {
  const parts = ['a', 'b']
  expect((jsxs('p', { children: parts }).props as { children: unknown }).children).toBe(parts)
})

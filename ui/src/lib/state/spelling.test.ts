import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { Spelling } from './spelling'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const check = (keys: string, last: string | null, typed: string | null) => {
  const spelling = new Spelling()
  const answers = keys.split(' ').map((key) => spelling.press(key))
  expect(answers.at(-1), keys).toBe(last)
  expect(spelling.store.get().typed, keys).toBe(typed)
  spelling.end()
}

test('a quote begins a name, and letters alone are no part of one', () => {
  check('x', null, null)
  check("'", '', '')
  check("' m a p", 'map', 'map')
  check("' m a Backspace", 'm', 'm')
  check("' m Enter", '', null)
  check("' m Escape", '', null)
  check("' m ArrowLeft", null, null)
  check("' m Escape x", null, null)
})

test('a name is over when nothing is typed', () => {
  const spelling = new Spelling()
  spelling.press("'")
  vi.advanceTimersByTime(1500)
  spelling.press('m')
  vi.advanceTimersByTime(1500)
  expect(spelling.press('a')).toBe('ma')
  vi.advanceTimersByTime(1700)
  expect(spelling.press('p')).toBeNull()
})

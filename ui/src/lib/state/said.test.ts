import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { SaidOnce } from './said'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('what is said stays a while, and longer while somebody is at it', () => {
  const said = new SaidOnce()
  const check = (after: number, expected: string | null) => {
    vi.advanceTimersByTime(after)
    expect(said.store.get().said?.text ?? null).toBe(expected)
  }
  said.say('Copied')
  check(5900, 'Copied')
  said.say('Removed')
  check(5900, 'Removed')
  said.hold()
  check(60_000, 'Removed')
  said.go()
  check(5900, 'Removed')
  check(200, null)
})

test('what is offered runs once', () => {
  const said = new SaidOnce()
  let n = 0
  said.say('Removed', { label: 'Undo', run: () => (n += 1) })
  said.act()
  said.act()
  expect(n).toBe(1)
  expect(said.store.get().said).toBeNull()
})

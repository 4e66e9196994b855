import { expect, test } from 'vitest'

import type { LiveProcessRow } from '../ipc/generated/LiveProcessRow'
import { changeBack, changeTo, isInForce } from './steer'

const process = (policy: string, budget: number, options: Record<string, string>) =>
  ({ policy, budget, options }) as LiveProcessRow

test('a view in force is one, however it is spelt', () => {
  const check = (inForce: LiveProcessRow, policy: string, budget: number, options: object, same: boolean) =>
    expect(isInForce(inForce, changeTo({ policy, options: options as Record<string, string> }, budget))).toBe(
      same,
    )
  const kept = { keep_last_turn: 'true' }
  check(process('cwl+', 80_000, kept), 'cwl+', 80_000, {}, true)
  check(process('cwl+', 80_000, kept), 'cwl+', 80_000, { ignore_eviction: 'true' }, true)
  check(process('cwl+', 80_000, kept), 'cwl+', 60_000, {}, false)
  check(process('cwl+', 80_000, kept), 'cwl', 80_000, {}, false)
  check(process('cwl+', 80_000, {}), 'cwl+', 80_000, { low_water: '500' }, false)
  check(
    process('cwl', 80_000, { levels: '12', low_water: '500' }),
    'cwl',
    80_000,
    { low_water: '500', levels: '12' },
    true,
  )
  check(process('none', 80_000, kept), 'none', 60_000, {}, true)
})

test('the way back is what was in force', () => {
  const before = process('cwl', 60_000, { keep_last_turn: 'true', levels: '234' })
  expect(changeBack(before)).toEqual({ policy: 'cwl', budget: '60000', options: { levels: '234' } })
  expect(isInForce(before, changeBack(before))).toBe(true)
})

import { expect, test } from 'vitest'

import { nearest } from './exported'
import { foundAt } from './recorded'

test('a budget that is not in the page is answered with the nearest one', () => {
  const view = (budget: string) => ({ budget }) as never
  const views = [40_000, 80_000, 120_000].map((budget) => ({
    view: view(budget === 80_000 ? '80k' : String(budget)),
    replay: { budget } as never,
  }))
  const check = (budget: string, at: number) => expect(nearest(views, view(budget)), budget).toBe(at)
  check('80k', 1)
  check('40000', 0)
  check('41000', 0)
  check('70000', 1)
  check('1', 0)
  check('9999999', 2)
  check('half', 0)
})

test('a finding is there from the step on that brought it about', () => {
  const one = (code: string, rest: object) =>
    ({ code, turn: 3, last_turn: null, step: null, watched: false, ...rest }) as never
  const findings = [
    one('stays', { turn: 1 }),
    one('step', { step: 2 }),
    one('end', {}),
    one('short', { last_turn: 3, step: 1 }),
    one('pin', { watched: true, step: 1 }),
  ]
  const at = (turn: number, step: number, nSteps: number) =>
    foundAt(findings, turn, step, nSteps).map(({ code }) => code)
  expect(at(1, 0, 0)).toEqual(['stays'])
  expect(at(3, 0, 3)).toEqual(['stays'])
  expect(at(3, 1, 3)).toEqual(['pin', 'stays', 'short'])
  expect(at(3, 2, 3)).toEqual(['pin', 'stays', 'step', 'short'])
  expect(at(3, 3, 3)).toEqual(['pin', 'stays', 'step', 'end', 'short'])
  expect(at(4, 0, 2)).toEqual(['pin', 'stays', 'step', 'end'])
})

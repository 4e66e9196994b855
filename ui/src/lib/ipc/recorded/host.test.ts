import { expect, test } from 'vitest'

import { nearest } from './host'

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

test('a view of the same policy is nearer than one of the same budget', () => {
  const views = [
    { view: { policy: 'cwl', budget: '9000' }, replay: { budget: 9_000 } },
    { view: { policy: 'window', budget: '80000' }, replay: { budget: 80_000 } },
  ] as never
  expect(nearest(views, { policy: 'window', budget: '9000' } as never)).toBe(1)
})

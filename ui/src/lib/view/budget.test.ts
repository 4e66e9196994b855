import { expect, test } from 'vitest'

import {
  SLIDER_STEPS,
  budgetAt,
  budgetOf,
  cleanBudget,
  groupedBudget,
  isBudget,
  nudge,
  positionOf,
  sliderRange,
  tidyBudget,
} from './budget'

test.each(['80000', '80k', '80K', ' 80 k ', '1.5M', '80,000', '80_000', '50%', '0'])(
  '%s is a budget',
  (typed) => expect(isBudget(typed)).toBe(true),
)
test.each(['', 'k', 'eighty', '-5', '80kk', '5 %%', '1e5', '80k tokens', '٣'])('%s is no budget', (typed) =>
  expect(isBudget(typed)).toBe(false),
)
test.each([
  ['80000', '80,000'],
  ['1234567', '1,234,567'],
  ['999', '999'],
  ['80k', '80k'],
  ['50%', '50%'],
  ['1.5M', '1.5M'],
])('%s is shown as %s, which is the same budget', (budget, shown) => {
  expect(groupedBudget(budget)).toBe(shown)
  expect(isBudget(shown)).toBe(true)
  expect(cleanBudget(shown)).toBe(budget)
})
const traced = (budget: number | null) => ({ recorded: { budget, passes: [] } })
test.each<[string | null, Parameters<typeof budgetOf>[1], string, string]>([
  [null, null, '80000', 'default'],
  [null, { recorded: null }, '80000', 'default'],
  [null, traced(null), '80000', 'default'],
  [null, traced(900), '900', 'trace'],
  [null, traced(80_000), '80000', 'trace'],
  ['50%', traced(900), '50%', 'yours'],
  ['80000', { recorded: null }, '80000', 'yours'],
])('set %s on %j is %s, %s', (given, session, budget, source) =>
  expect(budgetOf(given, session, '80000')).toEqual({ budget, source }),
)

test('what is sent has no separators', () => expect(cleanBudget(' 80,000 ')).toBe('80000'))

test('every place of the slider gives a budget that is at that place, and more is more', () => {
  for (const [most, window] of [
    [0, null],
    [59_000, null],
    [5_400_000, 200_000],
  ] as const) {
    const range = sliderRange(most, window)
    let before = 0
    for (let position = 0; position <= SLIDER_STEPS; position += 1) {
      const budget = budgetAt(position, range)
      expect(budget).toBeGreaterThanOrEqual(before)
      expect(Math.abs(positionOf(budget, range) - position)).toBeLessThanOrEqual(8)
      before = budget
    }
    expect(budgetAt(SLIDER_STEPS, range)).toBeGreaterThanOrEqual(most)
  }
})

test('a nudge always moves, in its direction, and never below one', () => {
  for (let tokens = 1; tokens < 3_000_000; tokens = Math.ceil(tokens * 1.37)) {
    expect(nudge(tokens, 1)).toBeGreaterThan(tokens)
    expect(nudge(tokens, -1)).toBeGreaterThan(0)
    if (tokens > 100) expect(nudge(tokens, -1)).toBeLessThan(tokens)
  }
})

test('budgets are tidy', () => {
  expect(tidyBudget(0.2)).toBe(1)
  expect(tidyBudget(4_321)).toBe(4_300)
  expect(tidyBudget(80_400)).toBe(80_000)
})

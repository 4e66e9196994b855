import { expect, test } from 'vitest'

import type { StepRow } from '../ipc/generated/StepRow'
import { saidAt, sentenceOf, whyNothing } from './steps'

test.each([
  [
    'fix-a',
    'fix-a is the oldest closed act: 3 tokens removed',
    'fix-a is the oldest closed act: 3 tokens removed',
  ],
  ['map', 'no act can go; map is the oldest exploration', 'No act can go; map is the oldest exploration'],
  ['the output of bash (a:0)', 'the output of bash (a:0) is cleared', 'The output of bash (a:0) is cleared'],
  ['turns 1 to 4', 'turns 1 to 4 are summarised', 'Turns 1 to 4 are summarised'],
])('a step of %s', (name, sentence, shown) => {
  expect(sentenceOf({ name, sentence })).toBe(shown)
})

const STEP = { name: 'fix-a', sentence: 'fix-a is removed' } as StepRow

test.each([
  ['what fits says so', 60, 60, [], 0, /60 tokens and fits τ/],
  [
    'a request above τ of which nothing may go',
    220,
    220,
    [],
    0,
    /220 tokens, 120 above τ, and this policy may evict nothing more/,
  ],
  ['before the first step', 220, 90, [STEP], 0, /nothing at this turn yet: 220 tokens, 120 above τ/],
  ['after a pass that took nothing out', 220, 90, [STEP], 1, /90 tokens and fits τ/],
])('nothing is evicted: %s', (_, before, after, steps, step, said) => {
  const at = { turn: 3, message: null, before, after, over_budget: after > 100, steps }
  expect(whyNothing({ ...at, previous_with_steps: null, next_with_steps: null }, step, 100)).toMatch(said)
})

test('a request that fits without what is not in the log says so', () => {
  const at = { turn: 3, message: null, before: 220, after: 220, over_budget: false, steps: [] }
  const steps = { ...at, previous_with_steps: null, next_with_steps: null }
  expect(whyNothing(steps, 0, 100)).toMatch(/220 tokens; its logged part fits τ/)
  expect(saidAt(steps, 0, 100).words).toMatch(/the logged part of the request fits τ/)
  expect(saidAt(steps, 0, 300).words).toMatch(/the request fits τ/)
})

test('as it happened there is no τ to fit', () => {
  const at = { turn: 3, message: null, before: 220, after: 220, over_budget: true, steps: [] }
  const steps = { ...at, previous_with_steps: null, next_with_steps: null }
  const said = saidAt(steps, 0, null)
  expect(said.words).toMatch(/^As it happened: /)
  expect(said.over).toBe(false)
  expect(whyNothing(steps, 0, null)).toMatch(/no policy evicts anything/)
})

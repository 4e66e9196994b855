import { expect, test } from 'vitest'

import { sentenceOf } from './steps'

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

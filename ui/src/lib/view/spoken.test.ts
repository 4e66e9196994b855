import { expect, test } from 'vitest'

import { spokenOf, type Heard } from './spoken'

const OPEN: Heard = {
  session: '7',
  title: 'tidewater',
  nEpisodes: 115,
  nTurns: 1362,
  turn: 12,
  step: 0,
  nSteps: 2,
  sentence: '',
  policy: 'cwl',
  budget: 80_000,
  sent: 61_000,
  unseen: 0,
}

test('what changed is said, and nothing else', () => {
  const check = (change: Partial<Heard>, said: string | null, from: Partial<Heard> = {}) =>
    expect(spokenOf({ ...OPEN, ...from }, { ...OPEN, ...change }), JSON.stringify(change)).toBe(said)
  check({}, null)
  check({ session: null }, null)
  check({}, 'Opened: tidewater, 1,362 turns, 115 episodes.', { session: null })
  check({ session: '8', turn: 3 }, 'Opened: tidewater, 1,362 turns, 115 episodes.')
  check({ turn: 13, sentence: 'It fits.' }, 'Turn 13. It fits.')
  check({ step: 2, sentence: 'fix-retry goes.' }, 'Turn 12. Step 2 of 2. fix-retry goes.')
  check({ budget: 60_000 }, 'Policy cwl, τ 60,000: 61,000 tokens are sent.')
  check({ policy: 'mask', turn: 13 }, 'Policy mask, τ 80,000: 61,000 tokens are sent. Turn 13.')
  check({ unseen: 3 }, '3 new turns.')
  check({ unseen: 1 }, '1 new turn.')
  check({ unseen: 0 }, null, { unseen: 3 })
  check({ sentence: 'Other words for the same step.' }, null)
})

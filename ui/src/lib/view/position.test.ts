import { expect, test } from 'vitest'

import {
  beginsPass,
  passFrom,
  playForward,
  positionAt,
  progressAt,
  shareBefore,
  stepBack,
  stepForward,
  totalAt,
  type Position,
} from './position'

const N = [0, 0, 2, 0, 1, 0]
const walk = (from: Position, next: (at: Position) => Position | null) => {
  const way = [from]
  for (let at = next(from); at && way.length < 50; at = next(at)) way.push(at)
  return way.map(({ turn, step }) => `${turn}.${step}`).join(' ')
}

test('a cut is made concrete and kept in range', () => {
  expect(positionAt({ turn: null, step: null }, 6, N)).toEqual({ turn: 6, step: 0 })
  expect(positionAt({ turn: 3, step: null }, 6, N)).toEqual({ turn: 3, step: 2 })
  expect(positionAt({ turn: 3, step: 9 }, 6, N)).toEqual({ turn: 3, step: 2 })
  expect(positionAt({ turn: 99, step: 1 }, 6, N)).toEqual({ turn: 6, step: 0 })
  expect(positionAt({ turn: 0, step: -1 }, 6, [])).toEqual({ turn: 1, step: 0 })
})

test('steps forward go through every step of every pass, then to now', () => {
  expect(walk({ turn: 1, step: 0 }, (at) => stepForward(at, 6, N))).toBe('1.0 3.0 3.1 3.2 5.0 5.1 6.0')
})

test('steps back are the same way', () => {
  expect(walk({ turn: 6, step: 0 }, (at) => stepBack(at, N))).toBe('6.0 5.1 5.0 3.2 3.1 3.0 1.0')
})

test('a step forth and a step back is where one was, anywhere on the way', () => {
  for (let turn = 1; turn <= 6; turn += 1) {
    for (let step = 0; step <= (N[turn - 1] ?? 0); step += 1) {
      if ((N[turn - 1] ?? 0) === 0) continue
      const next = stepForward({ turn, step }, 6, N)
      if (next && next.turn !== 6) expect(stepBack(next, N)).toEqual({ turn, step })
    }
  }
})

test('passes are jumped between', () => {
  expect(passFrom({ turn: 1, step: 0 }, 1, 6, N)).toEqual({ turn: 3, step: 2 })
  expect(passFrom({ turn: 6, step: 0 }, -1, 6, N)).toEqual({ turn: 5, step: 1 })
  expect(passFrom({ turn: 3, step: 2 }, -1, 6, N)).toBeNull()
})

test('playing shows every turn and every step once', () => {
  expect(walk({ turn: 1, step: 0 }, (at) => playForward(at, 6, N))).toBe(
    '1.0 2.0 3.0 3.1 3.2 4.0 5.0 5.1 6.0',
  )
})

test('the total is that of the step one stands on', () => {
  const replay = { after: [10, 20, 70] }
  const steps = { turn: 3, before: 95, steps: [{ after: 90 }, { after: 70 }] }
  expect([0, 1, 2].map((step) => totalAt({ turn: 3, step }, replay, steps))).toEqual([95, 90, 70])
  expect(totalAt({ turn: 2, step: 0 }, replay, steps)).toBe(20)
  expect(totalAt({ turn: 9, step: 0 }, replay, null)).toBe(0)
})

test('progress counts the steps of the whole session', () => {
  const at = (turn: number, step: number) => {
    const { taken, all } = progressAt({ turn, step }, N)
    return `${taken}/${all}`
  }
  expect([at(1, 0), at(3, 0), at(3, 1), at(3, 9), at(4, 0), at(5, 1), at(6, 0)]).toEqual([
    '0/3',
    '0/3',
    '1/3',
    '2/3',
    '2/3',
    '3/3',
    '3/3',
  ])
  expect(progressAt({ turn: 1, step: 0 }, [])).toEqual({ taken: 0, all: 0 })
})

test('a pass begins before its first step', () => {
  const begins = [1, 2, 3, 4, 5].filter((turn) => beginsPass({ turn, step: 0 }, N))
  expect(begins).toEqual([3, 5])
  expect(beginsPass({ turn: 3, step: 1 }, N)).toBe(false)
})

test.each([
  [{ turn: 1, step: 0 }, 0, 4, 0.25],
  [{ turn: 62, step: 0 }, 0, 62, 1],
  [{ turn: 2, step: 0 }, 4, 4, 0.25],
  [{ turn: 2, step: 1 }, 4, 4, 0.3125],
  [{ turn: 2, step: 9 }, 4, 4, 0.5],
])('the share of the session before %j of %i steps and %i turns', (at, nSteps, nTurns, share) => {
  expect(shareBefore(at, nSteps, nTurns)).toBeCloseTo(share)
})

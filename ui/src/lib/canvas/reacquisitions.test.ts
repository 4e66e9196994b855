import { expect, test } from 'vitest'

import { ACT, EXPLORE, rowsOf } from '../view/lanes'
import { TURNS, scaleOf } from '../view/scale'
import { reacquiredAt, turnAgainAt } from './reacquisitions'

const WIDTH = 1000
const SCALE = scaleOf({ axis: TURNS, x0: 0, x1: 100 }, WIDTH)

test('a press on a mark of the timeline means its turn', () => {
  const check = (x: number, y: number, expected: number | null) =>
    expect(turnAgainAt([10, 10.5, 40], SCALE, 200, x, y)).toBe(expected)
  check(SCALE.px(10), 168, 10)
  check(SCALE.px(10) + 8, 168, 10)
  check(SCALE.px(40) - 8, 176, 40)
  check(SCALE.px(40) - 9, 168, null)
  check(SCALE.px(40), 191, null)
})

test('a press on a mark of the graph means its episode', () => {
  const rows = rowsOf(300)
  const seen = (turn: number) =>
    ({
      scene: {
        lanes: {
          boxes: [
            { x0: 20, x1: 30, lane: ACT },
            { x0: 20, x1: 30, lane: EXPLORE },
          ],
        },
      },
      look: {
        turn,
        reacquisitions: new Map([
          [0, { gone_turn: 50 }],
          [1, { gone_turn: 50 }],
        ]),
      },
      rows,
      scale: SCALE,
      width: WIDTH,
    }) as never
  expect(reacquiredAt(seen(60), SCALE.px(25), rows.againAbove)).toBe(1)
  expect(reacquiredAt(seen(60), SCALE.px(25) + 9, rows.againAbove)).toBe(null)
  expect(reacquiredAt(seen(60), SCALE.px(25), rows.exploreFoot + 8)).toBe(null)
  expect(reacquiredAt(seen(60), SCALE.px(25), rows.againBelow)).toBe(0)
  // Nothing of it is gone yet.
  expect(reacquiredAt(seen(40), SCALE.px(25), rows.againAbove)).toBe(null)
})

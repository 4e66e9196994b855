import { expect, test } from 'vitest'

import type { Severity } from '../ipc/generated/Severity'
import { EXPLORE, rowsOf } from '../view/lanes'
import { TURNS, scaleOf } from '../view/scale'
import { problemsAt, worst } from './problems'

const WIDTH = 1000
const SCALE = scaleOf({ axis: TURNS, x0: 0, x1: 100 }, WIDTH)

test('a press on a mark means its episodes, all of those that it stands for', () => {
  const rows = rowsOf(300)
  const box = (x0: number) => ({ x0, x1: x0 + 1, lane: EXPLORE })
  const severity = new Map<number, Severity>([
    [2, 'info'],
    [0, 'warning'],
    [1, 'error'],
  ])
  const seen = {
    scene: { lanes: { boxes: [box(20), box(21), box(60)] } },
    look: { severity },
    rows,
    scale: SCALE,
    width: WIDTH,
  } as never
  const check = (x: number, y: number, expected: readonly number[] | null) =>
    expect(problemsAt(seen, x, y)).toEqual(expected)
  const y = rows.problems + 7
  check(SCALE.px(20.5), y, [0, 1])
  check(SCALE.px(60.5), y, [2])
  check(SCALE.px(60.5) + 9, y + 9, [2])
  check(SCALE.px(60.5) + 10, y, null)
  check(SCALE.px(60.5), y + 10, null)
})

test('the graver of two severities', () => {
  expect(worst('info', 'warning')).toBe('warning')
  expect(worst('error', 'warning')).toBe('error')
  expect(worst('info', 'info')).toBe('info')
})

import { expect, test } from 'vitest'

import { columnsPath, condense, linePath, requestAt, runningSums } from './requests'

test.each([
  [[], 10, ''],
  [[5], 10, 'M0 10V5.0H20.0V10Z'],
  [[5, 10], 10, 'M0 10V5.0H10.0V0.0H20.0V10Z'],
  // A value beyond the upper edge ends at it.
  [[50], 10, 'M0 10V0.0H20.0V10Z'],
])('columns of %j below %d', (values, top, path) => {
  expect(columnsPath(values, top, 20, 10)).toBe(path)
})

test('a line ends where the last column does', () => {
  expect(linePath([1, 2], 2, 20, 10)).toBe('M0 10L10.0 5.0L20.0 0.0')
  expect(linePath([0], 0, 20, 10)).toBe('')
})

test.each([
  [[1, 5, 2, 0], 4, [1, 5, 2, 0]],
  [[1, 5, 2, 0], 2.9, [5, 2]],
  [[1, 5, 2], 2, [5, 2]],
  [[1, 5, 2], 0, [5]],
  [[], 3, []],
])('the largest of %j on each of %d pixels', (values, width, largest) => {
  expect(condense(values, width, Math.max)).toEqual(largest)
})

test('costs add up', () => {
  expect(runningSums([1, 0, 2])).toEqual([1, 1, 3])
})

test.each([
  [0, 0],
  [9.9, 0],
  [10, 1],
  [500, 1],
  [-3, 0],
])('the request at %d pixels', (px, at) => {
  expect(requestAt(px, 20, 2)).toBe(at)
})

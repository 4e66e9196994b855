import { expect, test } from 'vitest'

import type { ReacquisitionStoryRow } from '../ipc/generated/ReacquisitionStoryRow'
import { placeOf, storiesOf, type StoryPick } from './stories'

const story = (again: string, turn: number, blocks: string[], episodes: number[], cause = 'undeclared') =>
  ({ again: { block: again, turn }, blocks, episodes, cause }) as ReacquisitionStoryRow

const STORIES = [
  story('r1:0', 9, ['a:0', 'b:0'], [2]),
  story('r2:0', 12, ['c:0'], [2, 3], 'changed'),
  story('r3:0', 12, ['d:0'], []),
]

test('a mark leads to the first story that it is about', () => {
  const check = (pick: StoryPick | null, expected: number) => expect(placeOf(STORIES, pick)).toBe(expected)
  check({ by: 'story', block: 'r2:0' }, 1)
  check({ by: 'block', block: 'b:0' }, 0)
  check({ by: 'block', block: 'd:0' }, 2)
  check({ by: 'episode', episode: 3 }, 1)
  check({ by: 'turn', turn: 12 }, 1)
  check({ by: 'turn', turn: 13 }, 0)
  check(null, 0)
  expect(placeOf([], { by: 'turn', turn: 12 })).toBe(-1)
})

test('stories of one cause', () => {
  expect(storiesOf(STORIES, 'changed').map((one) => one.again.block)).toEqual(['r2:0'])
  expect(storiesOf(STORIES, null)).toBe(STORIES)
})

import type { ReacquisitionCauseName } from '../ipc/generated/ReacquisitionCauseName'
import type { ReacquisitionStoryRow } from '../ipc/generated/ReacquisitionStoryRow'

/** The way to a story: one of its blocks, an episode whose content was missed, a turn, or the story itself by the block that came back. */
export type StoryPick =
  | { by: 'story'; block: string }
  | { by: 'block'; block: string }
  | { by: 'episode'; episode: number }
  | { by: 'turn'; turn: number }

const fits = (story: ReacquisitionStoryRow, pick: StoryPick): boolean => {
  switch (pick.by) {
    case 'story':
      return story.again.block === pick.block
    case 'block':
      return story.blocks.includes(pick.block)
    case 'episode':
      return story.episodes.includes(pick.episode)
    case 'turn':
      return story.again.turn === pick.turn
  }
}

/** The stories of a cause, or all of them. */
export function storiesOf(
  stories: readonly ReacquisitionStoryRow[],
  cause: ReacquisitionCauseName | null,
): readonly ReacquisitionStoryRow[] {
  return cause === null ? stories : stories.filter((story) => story.cause === cause)
}

/** The place of the story that is meant; the first one where nothing else is, and -1 where there is none. */
export function placeOf(stories: readonly ReacquisitionStoryRow[], pick: StoryPick | null): number {
  const found = pick === null ? -1 : stories.findIndex((story) => fits(story, pick))
  return found < 0 ? Math.min(0, stories.length - 1) : found
}

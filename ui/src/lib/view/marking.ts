import type { EpisodeNode } from '../ipc/generated/EpisodeNode'
import type { GraphAnswer } from '../ipc/generated/GraphAnswer'

/** The turn to whose request an episode's first reply came. */
export const replyOf = ({ first_turn }: Pick<EpisodeNode, 'first_turn'>): number =>
  Math.max(1, first_turn - 1)

/** The first turn whose request holds the reply to a turn: graph and table number an episode by that. */
export const shownTurn = (replied: number): number => replied + 1

/** The turn whose reply first stands in the request of a turn: marks number an episode by that. */
export const repliedTurn = (shown: number): number => Math.max(1, shown - 1)

/** The turn to whose request an episode's last reply came. */
export const lastReply = (episode: Pick<EpisodeNode, 'first_turn' | 'last_turn'>): number =>
  Math.max(replyOf(episode), episode.last_turn - 1)

/**
 * The names of the explorations before an act that it does not draw on yet: those whose names it uses (`used`), then the
 * nearest first.
 */
export function mayDrawOn(
  { episodes, edges }: Pick<GraphAnswer, 'episodes' | 'edges'>,
  act: number,
  used: readonly number[] = [],
): string[] {
  const drawn = new Set(edges.filter(([, to]) => to === act).map(([from]) => from))
  const possible = episodes
    .slice(0, act)
    .flatMap(({ kind, name }, idx) => (kind === 'expl' && !drawn.has(idx) ? [{ idx, name }] : []))
    .reverse()
  const isUsed = ({ idx }: { idx: number }) => used.includes(idx)
  return [...possible.filter(isUsed), ...possible.filter((one) => !isUsed(one))].map(({ name }) => name)
}

/** Something that a drag in the graph would change. */
export type Pending =
  | { what: 'link'; from: number; to: number | null; x: number; y: number }
  | { what: 'edge'; idx: number; edge: 'begin' | 'end'; turn: number }

/** The edge of a box that is near enough to be taken, pixels. */
const NEAR_PX = 5

/** The edge of a box at a place, if any; a narrow box has its right edge only from outside. */
export function edgeAt(x0: number, x1: number, x: number): 'begin' | 'end' | null {
  const near = Math.min(NEAR_PX, Math.max(2, (x1 - x0) / 3))
  if (Math.abs(x - x0) <= near) return 'begin'
  return Math.abs(x - x1) <= near ? 'end' : null
}

import type { RecordedPasses } from '../ipc/generated/RecordedPasses'
import type { RecordedPass } from '../ipc/generated/RecordedPass'
import { text } from '../text'
import { count } from './format'

/** How many names stand in a sentence; a pass may have taken from hundreds of episodes. */
const NAMES = 6

/** The harness's own passes before the request of a turn, in order. */
export function passesAt(recorded: RecordedPasses | null | undefined, turn: number): RecordedPass[] {
  return recorded?.passes.filter((pass) => pass.turn === turn) ?? []
}

/** The turns that have such a pass, each once, in order. Passes whose turn is not known have none. */
export function passTurns(recorded: RecordedPasses | null | undefined): number[] {
  const turns = recorded?.passes.flatMap((pass) => pass.turn ?? []) ?? []
  return [...new Set(turns)].sort((a, b) => a - b)
}

/** Returns the words for a pass of the harness: `82,310 → 64,100 tokens, removed expl-1, act-2`. */
export function passText(pass: RecordedPass): string {
  const parts = [text.recorded.sizes(count(pass.before), count(pass.after))]
  if (pass.removed.length > 0) parts.push(text.recorded.removed(names(pass.removed)))
  if (pass.stripped.length > 0) parts.push(text.recorded.stripped(names(pass.stripped)))
  return parts.join(', ')
}

function names(all: readonly string[]): string {
  const more = all.length - NAMES
  return more > 0
    ? `${all.slice(0, NAMES).join(', ')} ${text.recorded.moreNames(count(more))}`
    : all.join(', ')
}

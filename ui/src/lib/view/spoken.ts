import { text } from '../text'
import { count } from './format'

/** The state that a screen reader is told about. */
export interface Heard {
  /** The open session; `null` without one. */
  session: string | null
  title: string
  nEpisodes: number
  nTurns: number
  turn: number
  step: number
  nSteps: number
  /** The sentence of the step at the cut. */
  sentence: string
  policy: string
  /** As it happened, there is none. */
  budget: number | null
  sent: number
  /** How many turns came while the cut stood elsewhere. */
  unseen: number
}

/** Tells a change in a sentence or two; `null` when nothing that matters has changed. */
export function spokenOf(before: Heard, now: Heard): string | null {
  const words = text.spoken
  if (now.session === null) return null
  if (now.session !== before.session) return words.opened(now.title, count(now.nTurns), count(now.nEpisodes))
  const said: string[] = []
  if (now.policy !== before.policy || now.budget !== before.budget)
    said.push(
      now.budget === null
        ? text.happened.spoken(count(now.sent))
        : words.view(now.policy, count(now.budget), count(now.sent)),
    )
  if (now.turn !== before.turn || now.step !== before.step) {
    said.push(words.turn(count(now.turn)))
    if (now.step > 0) said.push(words.step(count(now.step), count(now.nSteps)))
    if (now.sentence !== '') said.push(now.sentence)
  }
  if (now.unseen > before.unseen) said.push(words.unseen(count(now.unseen)))
  return said.length > 0 ? said.join(' ') : null
}

import { text } from '../text'
import { count } from './format'

/** What those who listen to the window hear of. */
export interface Heard {
  /** The open session; `null` without one. */
  session: string | null
  title: string
  nEpisodes: number
  nTurns: number
  turn: number
  step: number
  nSteps: number
  /** What the step at the cursor did. */
  sentence: string
  policy: string
  budget: number
  sent: number
  /** Turns that came while the cursor stood elsewhere. */
  unseen: number
}

/** What has changed, in a sentence or two; `null` when nothing that matters has. */
export function spokenOf(before: Heard, now: Heard): string | null {
  const words = text.spoken
  if (now.session === null) return null
  if (now.session !== before.session) return words.opened(now.title, count(now.nTurns), count(now.nEpisodes))
  const said: string[] = []
  if (now.policy !== before.policy || now.budget !== before.budget)
    said.push(words.view(now.policy, count(now.budget), count(now.sent)))
  if (now.turn !== before.turn || now.step !== before.step) {
    said.push(words.turn(count(now.turn)))
    if (now.step > 0) said.push(words.step(count(now.step), count(now.nSteps)))
    if (now.sentence !== '') said.push(now.sentence)
  }
  if (now.unseen > before.unseen) said.push(words.unseen(count(now.unseen)))
  return said.length > 0 ? said.join(' ') : null
}

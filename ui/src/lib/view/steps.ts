import type { StepRow } from '../ipc/generated/StepRow'
import type { StepsAnswer } from '../ipc/generated/StepsAnswer'
import { text } from '../text'
import { capital, count } from './format'

/** Returns the sentence of a step with a capital letter. A name at its beginning stays as the agent wrote it. */
export function sentenceOf(step: Pick<StepRow, 'name' | 'sentence'>): string {
  const isPhrase = /^(the|turns?) /.test(step.name)
  return isPhrase ? capital(step.sentence) : aboutEpisode(step.name, step.sentence)
}

/** Returns a sentence about an episode with a capital letter, unless it begins with the episode's name. */
export const aboutEpisode = (name: string, sentence: string): string =>
  sentence.startsWith(name) ? sentence : capital(sentence)

/** The words about a cut. */
export interface Said {
  words: string
  /** The step that was taken last; none before the first. */
  taken: StepRow | undefined
  /** True after the last step of a pass that could not meet the budget. */
  over: boolean
}

/** Tells in words what happened at a step of a turn, or what the next step will do; as it happened, `budget` is `null`. */
export function saidAt(steps: StepsAnswer, step: number, budget: number | null): Said {
  const n = steps.steps.length
  if (budget === null) return { words: text.transport.asSent, taken: undefined, over: false }
  const taken = step > 0 ? steps.steps[step - 1] : undefined
  const over = steps.over_budget && n > 0 && step === n
  const above = Math.max(0, steps.before - budget)
  if (taken) return { words: sentenceOf(taken), taken, over }
  if (n > 0) return { words: text.transport.beforePass(count(steps.before), count(above)), taken, over }
  if (steps.over_budget) return { words: text.transport.overBudget, taken, over }
  // A policy may leave out what is not in the log when it holds a request against τ.
  const words = steps.after > budget ? text.transport.loggedPartFits : text.transport.nothingEvicted
  return { words, taken, over }
}

/** Tells why nothing is evicted at a step of a turn: the pass is still to come, τ cannot be met, or all of it fits. */
export function whyNothing(steps: StepsAnswer, step: number, budget: number | null): string {
  if (budget === null) return text.evicted.asSent
  const above = Math.max(0, steps.before - budget)
  if (step < steps.steps.length) return text.evicted.stillToCome(count(steps.before), count(above))
  if (steps.over_budget) return text.evicted.mayNot(count(steps.after), count(steps.after - budget))
  return steps.after > budget
    ? text.evicted.loggedPartFits(count(steps.after))
    : text.evicted.fits(count(steps.after))
}

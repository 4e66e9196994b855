import type { StepDto } from '../ipc/generated/StepDto'
import { capital } from './format'

/** What a step does as a sentence of its own. A name that it begins with stays as the agent wrote it. */
export function sentenceOf(step: Pick<StepDto, 'name' | 'sentence'>): string {
  const isPhrase = /^(the|turns?) /.test(step.name)
  return step.sentence.startsWith(step.name) && !isPhrase ? step.sentence : capital(step.sentence)
}

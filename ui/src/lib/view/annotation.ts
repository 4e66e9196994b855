import type { EpisodesFromDto } from '../ipc/generated/EpisodesFromDto'
import { text } from '../text'

/** The annotations that can be chosen: the two that every log has, and the one that is shown where it is another. */
export function choicesOf(from: Pick<EpisodesFromDto, 'source' | 'name'>, asked: string) {
  const options = [
    { value: 'declared', label: text.annotation.choice.declared, about: text.annotation.about.declared },
    { value: 'inferred', label: text.annotation.choice.inferred, about: text.annotation.about.inferred },
  ]
  if (from.source !== 'written') return { value: from.source as string, options }
  const written = { value: asked, label: from.name ?? asked, about: text.annotation.about.written }
  return { value: asked, options: [...options, written] }
}

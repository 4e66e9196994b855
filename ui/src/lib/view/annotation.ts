import type { AnnotationOrigin } from '../ipc/generated/AnnotationOrigin'
import type { OverlayRow } from '../ipc/generated/OverlayRow'
import { text } from '../text'

const NOT_KEPT: readonly string[] = ['auto', 'declared', 'inferred', 'filled']

/** Tells whether an annotation is one that is kept under a name or stands in a file. */
export const isKept = (annotation: string): boolean => !NOT_KEPT.includes(annotation)

/**
 * The annotations that can be chosen: the two that every log has, their mixture where the agent marked anything, those that
 * are kept, and the one that is shown.
 */
export function choicesOf(
  from: Pick<AnnotationOrigin, 'source' | 'name'>,
  asked: string,
  overlays: readonly Pick<OverlayRow, 'name' | 'by'>[] = [],
  hasOwn = false,
) {
  const { choice, about } = text.annotation
  const options: { value: string; label: string; about: string }[] = [
    { value: 'declared', label: choice.declared, about: about.declared },
    { value: 'inferred', label: choice.inferred, about: about.inferred },
    ...(hasOwn || from.source === 'filled'
      ? [{ value: 'filled', label: choice.filled, about: about.filled }]
      : []),
    ...overlays.map(({ name, by }) => ({
      value: name,
      label: name,
      about: by === null ? about.written : about.writtenBy(by),
    })),
  ]
  if (from.source !== 'written') return { value: from.source as string, options }
  const isListed = overlays.some(({ name }) => name === asked)
  const written = { value: asked, label: from.name ?? asked, about: about.written }
  return { value: asked, options: isListed ? options : [...options, written] }
}

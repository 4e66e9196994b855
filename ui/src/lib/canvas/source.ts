import type { AnnotationSource } from '../ipc/generated/AnnotationSource'
import { text } from '../text'
import { FONT, type Sheet } from './surface'

/** How an outline is drawn by who marked the episode: dotted where this program inferred it. */
export const DOTTED: readonly number[] = [1.5, 2.5]
/** The gap between an outline and what fills it, where the agent did not mark the episode, pixels. */
export const GAP_PX = 2

/** How strong an outline is, by how sure the start of the episode is. */
export const strengthOf = (confidence: number | null): number =>
  confidence === null ? 1 : 0.35 + 0.65 * confidence

/** Writes whose marks a drawing shows, where they are not the agent's own. */
export function drawSource(
  { ctx, palette }: Pick<Sheet, 'ctx' | 'palette'>,
  source: AnnotationSource | undefined,
  x: number,
  middle: number,
): void {
  if (source === undefined || source === 'declared') return
  const word = text.annotation.word[source]
  ctx.save()
  ctx.font = `italic 600 11px ${FONT}`
  ctx.textBaseline = 'middle'
  const { width } = ctx.measureText(word)
  ctx.fillStyle = palette.bg
  ctx.fillRect(x, middle - 7, width + 6, 14)
  ctx.fillStyle = palette.muted
  ctx.fillText(word, x + 3, middle + 0.5)
  ctx.restore()
}

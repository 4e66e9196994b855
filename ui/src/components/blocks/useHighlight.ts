import { highlighter } from '../../lib/highlight/highlighter'
import { useAnswer } from '../../lib/state/memo'
import type { Code } from '../../lib/view/language'
import type { Span } from '../../lib/view/paint'

const NONE: readonly Span[] = []

/** Colours the code in a text. The text is plain until its colours are known. */
export function useHighlight(text: string, codes: readonly Code[]): readonly Span[] {
  const { answer, to } = useAnswer(codes.length === 0 ? null : [text, codes], async () => {
    const spans = await Promise.all(codes.map((code) => spansOf(text, code)))
    return spans.flat()
  })
  const isOfThis = to !== null && to.key[0] === text && to.key[1] === codes
  return isOfThis && answer !== null ? answer : NONE
}

async function spansOf(text: string, { from, to, language }: Code): Promise<Span[]> {
  const spans = await highlighter().spans(text.slice(from, to), language)
  return spans.map((span) => ({ ...span, from: span.from + from, to: span.to + from }))
}

import { useEffect, useState } from 'react'

import { highlighter } from '../../lib/highlight/highlighter'
import type { Code } from '../../lib/view/language'
import type { Span } from '../../lib/view/paint'

const NONE: readonly Span[] = []

/** How the code in a text is coloured; plain until that is known. */
export function useHighlight(text: string, codes: readonly Code[]): readonly Span[] {
  const [answer, setAnswer] = useState<{
    text: string
    codes: readonly Code[]
    spans: readonly Span[]
  } | null>(null)
  useEffect(() => {
    if (codes.length === 0) return
    let live = true
    const wanted = codes.map(async ({ from, to, language }) =>
      (await highlighter().spans(text.slice(from, to), language)).map((span) => ({
        ...span,
        from: span.from + from,
        to: span.to + from,
      })),
    )
    void Promise.all(wanted).then((spans) => live && setAnswer({ text, codes, spans: spans.flat() }))
    return () => {
      live = false
    }
  }, [text, codes])
  return answer?.text === text && answer.codes === codes ? answer.spans : NONE
}

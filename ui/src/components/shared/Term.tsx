import type { ReactNode } from 'react'

import { text } from '../../lib/text'

/** A word of the field, with its meaning at hover. The help lists all of them. */
export function Term({ word, children }: { word: keyof typeof text.glossary.words; children: ReactNode }) {
  const [name, meaning] = text.glossary.words[word]
  return (
    <span title={`${name}: ${meaning}`} data-term={word}>
      {children}
    </span>
  )
}

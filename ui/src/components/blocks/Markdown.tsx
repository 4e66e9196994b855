import type { ReactNode } from 'react'

import { languageNamed } from '../../lib/view/language'
import { ELEMENTS, type ElementName, type MarkdownPart } from '../../lib/view/markdown'
import { BlockText } from './BlockText'

const isElement = (name: string): name is ElementName => (ELEMENTS as readonly string[]).includes(name)

/** A text in Markdown, as elements that hold text alone: no HTML of the text, no link that leads away, no picture that loads. */
export function Markdown({ parts }: { parts: readonly MarkdownPart[] }) {
  return (
    <div className="markdown block-text prose break-anywhere isolate" dir="auto" data-testid="markdown">
      {parts.map((part, at) => (
        <Part key={at} part={part} />
      ))}
    </div>
  )
}

function Part({ part: { name, text, parts } }: { part: MarkdownPart }): ReactNode {
  const inner = parts.map((part, at) => <Part key={at} part={part} />)
  switch (name) {
    case 'text':
      // As the child of an element it shows hidden characters as codes.
      return <>{text}</>
    case 'code':
      return <code>{text}</code>
    case 'fence':
      return (
        <div className="fence bg-panel rounded-4 p-6-10">
          <BlockText text={text} prose={false} language={languageNamed(parts[0]?.text ?? '')} />
        </div>
      )
    case 'target':
      return <span className="mono muted"> {text}</span>
    case 'hr':
      return <hr className="border-0 border-t" />
    case 'br':
      return <br />
  }
  // The headings of a text are none of the page.
  if (/^h\d$/.test(name)) return <p className="semibold text-l">{inner}</p>
  const Element = isElement(name) ? name : 'span'
  return <Element>{inner}</Element>
}

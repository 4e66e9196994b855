import MarkdownIt from 'markdown-it'

/** A part of a text in Markdown: an element with its parts, or a piece of the text. */
export interface MarkdownPart {
  /** One of `ELEMENTS`, `h1` to `h6`, `hr`, `br`, `link`, or of a piece `text`, `code`, `fence`, `target` (an address). */
  name: string
  text: string
  parts: MarkdownPart[]
}

/** A longer text is shown as it was written, UTF-16 units. */
const MOST = 100_000

/** The elements that a text may become, besides headings, lines and breaks. None loads anything or leads anywhere. */
export const ELEMENTS = [
  ...(['p', 'ul', 'ol', 'li', 'blockquote', 'strong', 'em', 's'] as const),
  ...(['table', 'thead', 'tbody', 'tr', 'th', 'td'] as const),
] as const
export type ElementName = (typeof ELEMENTS)[number]

// Tags of HTML stay text, addresses stay as they were written.
const parser = new MarkdownIt('default', { html: false, linkify: false, breaks: true })
parser.validateLink = () => true
parser.normalizeLink = (address) => address

type Token = ReturnType<typeof parser.parse>[number]

/** Returns the parts of a text in Markdown; `null` if there is no Markdown in it, or too much. */
export function markdownOf(text: string): MarkdownPart[] | null {
  // Codes of a terminal are coloured in a text as it was written.
  if (text.length > MOST || text.includes('\u001b') || !MARKS.test(text)) return null
  const parts = partsOf(parser.parse(text, {}))
  return parts.every(isPlain) ? null : parts
}

/** Without one of these signs there is no Markdown. */
const MARKS = /[*_`#|~>[\]-]|^\s*\d+[.)] /m

const isPlain = ({ name, parts }: MarkdownPart): boolean =>
  name === 'text' || name === 'br' || (name === 'p' && parts.every(isPlain))

/** Builds the tree of a row of tokens that open and close elements. */
function partsOf(tokens: readonly Token[]): MarkdownPart[] {
  const top: MarkdownPart = { name: '', text: '', parts: [] }
  const open = [{ part: top, target: '' }]
  const add = (part: MarkdownPart) => open.at(-1)?.part.parts.push(part)
  for (const token of tokens) {
    if (token.type === 'inline') partsOf(token.children ?? []).forEach(add)
    // The paragraphs of a list without blank lines.
    else if (token.hidden) continue
    else if (token.nesting === 1) {
      const name = token.type === 'link_open' ? 'link' : token.tag
      const part = { name, text: '', parts: [] }
      add(part)
      open.push({ part, target: String(token.attrGet('href') ?? '') })
    } else if (token.nesting === -1) {
      const closed = open.pop()
      if (closed?.part.name === 'link' && textOf(closed.part) !== closed.target)
        closed.part.parts.push({ name: 'target', text: closed.target, parts: [] })
    } else if (token.type !== 'text' || token.content !== '') add(leafOf(token))
  }
  return top.parts
}

function leafOf(token: Token): MarkdownPart {
  const { type, tag, info, content } = token
  const leaf = (name: string, text: string, parts: MarkdownPart[] = []) => ({ name, text, parts })
  switch (type) {
    case 'fence':
    case 'code_block':
      return leaf('fence', content.replace(/\n$/, ''), [leaf('text', info.trim())])
    case 'code_inline':
      return leaf('code', content)
    case 'softbreak':
    case 'hardbreak':
      return leaf('br', '')
    case 'image':
      return leaf('link', '', [leaf('text', content), leaf('target', String(token.attrGet('src') ?? ''))])
    default:
      return leaf(type === 'text' ? 'text' : tag, content)
  }
}

const textOf = ({ text, parts }: MarkdownPart): string => text + parts.map(textOf).join('')

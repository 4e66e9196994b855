import { expect, test } from 'vitest'

import { markdownOf, type MarkdownPart } from './markdown'

/** The parts as one line: `p(one strong(two))`. */
const told = (parts: readonly MarkdownPart[] | null): string =>
  (parts ?? [])
    .map(({ name, text, parts: inner }) => {
      const all = [...(text === '' ? [] : [JSON.stringify(text)]), ...(inner.length > 0 ? [told(inner)] : [])]
      return name === 'text' ? JSON.stringify(text) : `${name}(${all.join(' ')})`
    })
    .join(' ')

test.each([
  ['# One\n\n**two** _three_', 'h1("One") p(strong("two") " " em("three"))'],
  ['- a\n- `b`', 'ul(li("a") li(code("b")))'],
  ['1) a', 'ol(li("a"))'],
  ['a\nb *c*', 'p("a" br() "b " em("c"))'],
  ['```rs\nfn x() {}\n```', 'fence("fn x() {}" "rs")'],
  ['|a|\n|-|\n|b|', 'table(thead(tr(th("a"))) tbody(tr(td("b"))))'],
  // Neither tags nor addresses do anything: both are text.
  ['**a** <img src=x onerror=alert(1)>', 'p(strong("a") " <img src=x onerror=alert(1)>")'],
  ['[a](javascript:alert(1))', 'p(link("a" target("javascript:alert(1)")))'],
  ['![a](http://b/c.png)', 'p(link("a" target("http://b/c.png")))'],
  ['<http://a.b>', 'p(link("http://a.b"))'],
  // No Markdown.
  ['plain words\nin two lines', ''],
  ['a_b and c > d', ''],
])('%j', (text, expected) => {
  expect(told(markdownOf(text))).toBe(expected)
})

test('a text that is too long stays as it is', () => {
  expect(markdownOf(`**a** ${'x'.repeat(100_000)}`)).toBeNull()
})

test('texts that are made to be slow are not', { timeout: 60_000 }, () => {
  const n = 20_000
  const texts = ['>', '[', '![a](', '*a_', '**a', '`', '- ', '> - ', '1. ', '<a ', '|', '[a]:'].map((part) =>
    part.repeat(n / part.length),
  )
  for (const text of texts) markdownOf(`**a**\n\n${text}`)
})

import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import markdown from 'highlight.js/lib/languages/markdown'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

import type { Span } from '../view/paint'

const LANGUAGES = {
  bash, c, cpp, css, diff, go, ini, java, javascript, json, markdown, python, rust, sql, typescript, xml, yaml,
} // prettier-ignore

for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language)

/** A node of the emitter's tree: a text, or a scope around others. */
type Node = string | { scope?: string; children: Node[] }

/** Reads code as its language and returns what each part of it is; nothing is ever made markup. */
export function spansOf(code: string, language: string): Span[] {
  if (!Object.hasOwn(LANGUAGES, language)) return []
  const result = hljs.highlight(code, { language, ignoreIllegals: true })
  const { rootNode } = result._emitter as unknown as { rootNode: { children: Node[] } }
  const spans: Span[] = []
  let at = 0
  // Not by calling itself: what a log holds may nest as deep as it likes.
  const waiting: { node: Node; classes: string }[] = rootNode.children
    .map((node) => ({ node, classes: '' }))
    .reverse()
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, classes } = next
    if (typeof node === 'string') {
      if (classes !== '' && node !== '') spans.push({ from: at, to: at + node.length, classes })
      at += node.length
    } else {
      const own = node.scope === undefined ? classes : classOf(node.scope)
      for (const child of node.children.toReversed()) waiting.push({ node: child, classes: own })
    }
  }
  // A tree that does not say the code to the letter colours nothing.
  return at === code.length ? spans : []
}

/** The tones of code, each with the scopes that have it. */
const TONES = {
  word: 'keyword built literal selector tag name',
  string: 'regexp link char code',
  value: 'number symbol bullet variable',
  quiet: 'comment quote meta doctag',
  title: 'type attr attribute property',
}
const TONE_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(TONES).flatMap(([tone, scopes]) => scopes.split(' ').map((scope) => [scope, tone] as const)),
)

/** The class of a scope: that of its tone, or its first word. Those of a language that is quoted in another have none. */
function classOf(scope: string): string {
  if (scope.startsWith('language:')) return ''
  const [word = ''] = /^[a-z]+/.exec(scope) ?? []
  return `hl-${TONE_OF.get(word) ?? word}`
}

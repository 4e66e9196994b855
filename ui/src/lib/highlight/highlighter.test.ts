import { expect, test } from 'vitest'

import type { Span } from '../view/paint'
import { Highlighter, MOST_CODE, type Answering } from './highlighter'
import { spansOf } from './languages'
import type { Job } from './worker'

test.each([
  ['rust', 'fn main() { let x = "a"; } // end', { word: ['fn', 'let'], string: ['"a"'], quiet: ['// end'] }],
  ['json', '{"a": [1, true]}', { title: ['"a"'], value: ['1'] }],
  ['python', 'def f():\n    return None', { word: ['def', 'return'] }],
  ['diff', '-old\n+new', { deletion: ['-old'], addition: ['+new'] }],
  ['typescript', 'const a: string = `x`', { word: ['const'] }],
  ['bash', 'echo "$HOME"', { word: [], string: [] }],
])('%s is told apart', (language, code, expected) => {
  const spans = spansOf(code, language)
  for (const [tone, texts] of Object.entries(expected)) {
    const found = spans
      .filter(({ classes }) => classes === `hl-${tone}`)
      .map(({ from, to }) => code.slice(from, to))
    for (const text of texts) expect(found).toContain(text)
  }
})

test('spans are in order, do not overlap and stay in the code', () => {
  const codes = [
    '<b>&amp;</b>',
    '"\\u0000',
    '((((',
    '😀 let',
    '```\n',
    '#!/bin/sh\n<script>alert(1)</script>',
  ]
  for (const language of ['rust', 'xml', 'markdown', 'bash', 'yaml', 'none', 'constructor']) {
    for (const code of codes) {
      let last = 0
      for (const { from, to, classes } of spansOf(code, language)) {
        expect(from).toBeGreaterThanOrEqual(last)
        expect(to).toBeLessThanOrEqual(code.length)
        expect(classes).toMatch(/^hl-[a-z]+$/)
        last = to
      }
    }
  }
})

/** A worker that answers when it is told to. */
function worker() {
  const jobs: Job[] = []
  let answer: (id: number, spans: Span[]) => void = () => undefined
  let fail = () => undefined as void
  const it: Answering = {
    post: (job) => jobs.push(job),
    listen: (hear, end) => {
      answer = hear
      fail = end
    },
  }
  return { jobs, it, answer: (id: number, spans: Span[]) => answer(id, spans), fail: () => fail() }
}

const span = (to: number): Span => ({ from: 0, to, classes: 'hl-x' })

test('the same code is coloured once', async () => {
  const { jobs, it, answer } = worker()
  const highlighter = new Highlighter(
    () => it,
    () => Promise.reject(new Error('not here')),
  )
  const asked = [highlighter.spans('a', 'rust'), highlighter.spans('a', 'rust'), highlighter.spans('a', 'go')]
  expect(jobs.map(({ code, language }) => `${code} ${language}`)).toEqual(['a rust', 'a go'])
  answer(2, [span(2)])
  answer(1, [span(1)])
  expect(await Promise.all(asked)).toEqual([[span(1)], [span(1)], [span(2)]])
  expect(await highlighter.spans('x'.repeat(MOST_CODE + 1), 'rust')).toEqual([])
  expect(jobs).toHaveLength(2)
})

test('without a worker short code is coloured here, and long code stays plain', async () => {
  const none = new Highlighter(
    () => {
      throw new Error('refused')
    },
    async (code) => [span(code.length)],
  )
  expect(await none.spans('short', 'rust')).toEqual([span(5)])
  expect(await none.spans('x'.repeat(10_000), 'rust')).toEqual([])
  const { it, fail } = worker()
  const gone = new Highlighter(
    () => it,
    async (code) => [span(code.length)],
  )
  const waiting = gone.spans('short', 'rust')
  fail()
  expect(await waiting).toEqual([span(5)])
  expect(await gone.spans('later', 'go')).toEqual([span(5)])
})

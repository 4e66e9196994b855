// The content of a log is text, whatever it looks like.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'

import { KIND, LIMIT, Stage, cwl, until } from './app.mjs'
import { untilShown } from './page.mjs'
import { after, before, test } from './runner.mjs'

const HOSTILE = [
  '<img src=x onerror="window.cwlHostile=1">',
  '<script>window.cwlHostile=1</script>',
  '<svg onload="window.cwlHostile=1"></svg>',
  '<style>#root { display: none }</style>',
  '</pre></div><iframe src="https://example.org/"></iframe>',
  '[link](javascript:window.cwlHostile=1)',
  '\u001b]8;;https://example.org\u0007link\u001b]8;;\u0007 \u001b[2J',
  '\u202Etxt.exe\u202C \uFFFE \u0000',
].join(' ')

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

test('nothing in a log becomes an element or runs', { timeout: LIMIT, window: true }, async () => {
  const sample = await stage.sample('pi/quickstart')
  const rows = (await readFile(sample, 'utf8')).split('\n').filter(Boolean).map((line) => JSON.parse(line))
  let n = 0
  const spoil = (value) => {
    if (Array.isArray(value)) return value.map(spoil)
    if (value === null || typeof value !== 'object') return value
    const entries = Object.entries(value).map(([key, inner]) => {
      const isText = ['text', 'thinking', 'description'].includes(key) && typeof inner === 'string'
      if (isText) n += 1
      return [key, isText ? HOSTILE + inner : spoil(inner)]
    })
    return Object.fromEntries(entries)
  }
  const file = await stage.file('hostile.jsonl', rows.map((row) => JSON.stringify(spoil(row)) + '\n').join(''))
  assert.ok(n > 20, 'the sample was spoiled in many places')
  const { episodes } = JSON.parse(await cwl('graph', file, '--json'))
  const app = await stage.open([file, '--budget', '8k'])
  await untilShown(app, { names: episodes.map(({ name }) => name) })
  await until('the text itself is on the page', () =>
    app.run(`return document.body.innerText.includes('<script>window.cwlHostile')`),
  )
  const found = await app.run(`
    const odd = document.querySelectorAll('#root iframe, #root script, #root style, [onerror], [onload], [src="x"], a[href^="javascript"]')
    return { ran: window.cwlHostile ?? null, odd: [...odd].map((e) => e.outerHTML.slice(0, 80)), at: location.protocol,
      shown: getComputedStyle(document.querySelector('#root')).display }
  `)
  const at = KIND === 'window' ? 'tauri:' : 'http:'
  assert.deepEqual({ ...found, shown: found.shown !== 'none' }, { ran: null, odd: [], at, shown: true })
})

/** One turns the direction of text, one has no width, one is a tag: a reader sees none of them. */
const HIDDEN = '\u202E\u200B\u{E0041}\u2066'
const CODES = '[U+202E][U+200B][U+E0041][U+2066]'

test('characters that are not seen are shown as their codes wherever a log names something', { timeout: LIMIT, window: true }, async () => {
  const sample = await stage.sample('pi/quickstart')
  const rows = (await readFile(sample, 'utf8')).split('\n').filter(Boolean).map((line) => JSON.parse(line))
  const spoil = (value, key = '') => {
    if (Array.isArray(value)) return value.map((inner) => spoil(inner, key))
    if (typeof value === 'string') {
      const isName = ['name', 'toolName', 'dependencies', 'text', 'description'].includes(key) && value !== 'delimiter'
      return isName ? HIDDEN + value : value
    }
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([inner, of]) => [inner, spoil(of, inner)]))
  }
  const file = await stage.file('hidden.jsonl', rows.map((row) => JSON.stringify(spoil(row)) + '\n').join(''))
  const { episodes } = JSON.parse(await cwl('graph', file, '--json'))
  assert.ok(episodes.length > 3 && episodes.some(({ name }) => name.startsWith(HIDDEN)), 'episodes are named so')
  const app = await stage.open([file, '--budget', '8k'])
  await untilShown(app, { names: episodes.map(({ name }) => name) })
  await until('the title of the page has the codes', () => app.run(`return document.title.includes(arguments[0])`, CODES))
  const tabs = await app.run(`return [...document.querySelectorAll('[role=tab]')].map((tab) => tab.dataset.testid)`)
  assert.ok(tabs.length > 6)
  for (const tab of tabs) {
    await app.click(`[data-testid="${tab}"]`)
    await until(`${tab} is shown`, () =>
      app.run(`return document.querySelector(arguments[0]).getAttribute('aria-selected') === 'true'`, `[data-testid="${tab}"]`),
    )
    const found = await app.run(`
      const hidden = /[\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufeff\\u{e0000}-\\u{e007f}]/u
      const odd = []
      if (hidden.test(document.title)) odd.push(['title', document.title])
      const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
      for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        if (node.nodeType === Node.TEXT_NODE && hidden.test(node.data)) odd.push([node.parentElement.outerHTML.slice(0, 90)])
        for (const name of ['title', 'aria-label', 'aria-description', 'aria-valuetext', 'placeholder', 'alt'])
          if (hidden.test(node.getAttribute?.(name) ?? '')) odd.push([name, node.outerHTML.slice(0, 90)])
      }
      return { odd, hasCodes: document.body.innerText.includes(arguments[0]) }
    `, CODES)
    assert.deepEqual(found, { odd: [], hasCodes: true }, tab)
  }
})

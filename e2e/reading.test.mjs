// Texts of the lists: Markdown, evicted blocks as a table, two turns beside each other, and messages that cover none of it.

import assert from 'node:assert/strict'

import { LIMIT, SAMPLES, Stage, until } from './app.mjs'
import { faultsOfWords } from './layout.mjs'
import { clickOn, settled, shown, textOf, withSettings } from './page.mjs'
import { after, before, test } from './runner.mjs'

const WRITTEN = '# Plan\n\n1. **Read** the `config`\n2. See [the manual](https://example.org/a) ![picture](https://example.org/b.png)\n\n<b>raw</b>'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** A session with one text in Markdown. */
async function written() {
  const row = (id, parentId, role, content, more = {}) =>
    JSON.stringify({ type: 'message', id, parentId, timestamp: '2026-03-09T10:00:00.000Z', message: { role, content, timestamp: 1, ...more } })
  const text = (words) => [{ type: 'text', text: words }]
  const head = { type: 'session', version: 3, id: 'reading1', timestamp: '2026-03-09T10:00:00.000Z', cwd: '/home/dev/tidewater' }
  return stage.file(
    'written.jsonl',
    [
      JSON.stringify(head),
      row('r1', null, 'user', text('What is the plan?')),
      row('r2', 'r1', 'assistant', text(WRITTEN), { provider: 'anthropic', model: 'claude-opus-4-6', stopReason: 'stop' }),
      '',
    ].join('\n'),
  )
}

test('Markdown is rendered, loads nothing, leads nowhere, and can be read as it was written', { timeout: LIMIT }, async () => {
  const app = await stage.open([await written()])
  await until('the session is open', () => app.run(`return !!document.querySelector('[data-testid=tab-context]')`))
  await clickOn(app, 'tab-context')
  const rendered = await until('the text is rendered', () =>
    app.run(`
      const text = document.querySelector('[data-testid=markdown]')
      return text && {
        strong: text.querySelector('strong').textContent, code: text.querySelector('code').textContent,
        items: text.querySelectorAll('ol > li').length, words: text.innerText,
        does: text.querySelectorAll('a, img, b, [href], [src]').length,
      }
    `),
  )
  const { words, ...parts } = rendered
  assert.deepEqual(parts, { strong: 'Read', code: 'config', items: 2, does: 0 })
  for (const part of ['https://example.org/a', 'https://example.org/b.png', '<b>raw</b>']) assert.ok(words.includes(part), part)
  assert.doesNotMatch(words, /\*\*|`/)
  await app.click('[data-testid=as-markdown]')
  await until('it is as it was written', () => app.run(`return document.body.innerText.includes('**Read** the \`config\`')`))
  await app.click('[data-testid=as-markdown]')
  await until('it is rendered again', () => app.run(`return !!document.querySelector('[data-testid=markdown]')`))
  await app.type('[data-testid=context-find] input', 'config')
  await until('a match is marked where it stands', () => app.run(`return document.querySelector('.block-text mark')?.textContent === 'config'`))
})

const CUT = new URLSearchParams({ session: `${SAMPLES}/pi/long/input.jsonl`, turn: '236', step: '12', tau: '60k' })
const long = (size) => stage.open([`cwl-inspector://open?${CUT}`], size)

test('evicted blocks stand in columns, and no row has the id of a record', { timeout: LIMIT }, async () => {
  for (const [width, height] of [[1440, 900], [1280, 720], [420, 800]]) {
    const app = await long({ width, height })
    await until('the graph is drawn', () => shown(app))
    await clickOn(app, 'tab-evicted')
    await until('the rows are there', () => app.run(`return document.querySelectorAll('[data-testid=evicted-list] .rows-place').length > 3`))
    await settled(app)
    const found = await app.run(`
      const isSeen = (cell) => cell.getClientRects().length > 0
      const left = (cell) => Math.round(cell.getBoundingClientRect().left)
      const columns = {}
      for (const name of ['label', 'episode', 'gone', 'again'])
        columns[name] = [...new Set([...document.querySelectorAll('[data-testid=evicted-list] .cell-' + name)].filter(isSeen).map(left))]
      const wide = [...document.querySelectorAll('[data-testid=evicted-list] .evicted-cells > *')].filter(isSeen)
        .filter((cell) => cell.scrollWidth > cell.clientWidth + 1 && getComputedStyle(cell).overflow === 'visible')
      const head = left(document.querySelector('.evicted-heads .cell-gone'))
      return { columns, head, wide: wide.length, ids: /[0-9a-f]{8}-[0-9a-f]{4}-/.test(document.querySelector('[data-testid=evicted-list]').innerText) }
    `)
    for (const [name, lefts] of Object.entries(found.columns)) assert.ok(lefts.length <= 1, `${width}: ${name} begins at ${lefts}`)
    assert.equal(found.columns.gone.length, 1, 'the column is there')
    assert.ok(Math.abs(found.columns.gone[0] - found.head) <= 1, `the head at ${found.head} stands over ${found.columns.gone[0]}`)
    assert.deepEqual([found.ids, found.wide], [false, 0], `${width} pixels`)
  }
  const app = await long({ width: 1440, height: 900 })
  await until('the graph is drawn', () => shown(app))
  await clickOn(app, 'tab-evicted')
  const sizes = () => app.run(`return [...document.querySelectorAll('[data-testid=evicted-list] [data-tokens]')].map((row) => Number(row.dataset.tokens))`)
  const isFalling = (all) => all.length > 3 && all.every((size, n) => n === 0 || size <= all[n - 1])
  await until('the largest come first', async () => isFalling(await sizes()))
  await clickOn(app, 'evicted-by-log')
  await until('they are as in the log', async () => !isFalling(await sizes()))
  await clickOn(app, 'evicted-by-size')
  await until('the largest come first again', async () => isFalling(await sizes()))
})

test('a message covers no row', { timeout: LIMIT, all: true }, async () => {
  for (const [width, height] of [[1440, 900], [420, 800]]) {
    const app = await long({ width, height })
    await until('the graph is drawn', () => shown(app))
    await clickOn(app, 'tab-context')
    await until('the rows are there', () => app.run(`return document.querySelectorAll('[data-testid=context-list] .rows-place').length > 2`))
    const { toast, rows } = await until('it is said', async () => {
      await app.press('j')
      await app.press('c')
      return app.run(`
        const box = (selector) => {
          const found = document.querySelector(selector)?.getBoundingClientRect()
          return found && { top: found.top, bottom: found.bottom, left: found.left, right: found.right }
        }
        const [toast, rows] = [box('[data-testid=said]'), box('[data-testid=context-list]')]
        return toast && { toast, rows }
      `)
    })
    assert.ok(toast.bottom <= rows.top && toast.top >= 0 && toast.left >= 0 && toast.right <= width, JSON.stringify({ toast, rows }))
  }
})

test('any two turns are compared, and a row has one reason', { timeout: LIMIT }, async () => {
  const app = await long({ width: 1440, height: 900 })
  await until('the graph is drawn', () => shown(app))
  await clickOn(app, 'tab-diff')
  await until('the fields are there', () => app.run(`return document.querySelector('[data-testid=diff-turn]') !== null`))
  await app.type('[data-testid=diff-turn]', '100\uE007')
  const sums = () => app.run(`const sums = document.querySelector('[data-testid=diff-sums]')?.dataset; return sums && { ...sums }`)
  const there = await until('the turns differ', async () => {
    const now = await sums()
    return now && (await textOf(app, 'diff-against')) === 'another turn' && Number(now.added) > 0 && Number(now.removed) > 0 && now
  })
  await app.type('[data-testid=diff-here]', '120\uE007')
  await until('the window is at the other turn', async () => (await sums())?.after !== there.after)
  const said = await until('rows have a reason', () =>
    app.run(`
      const rows = [...document.querySelectorAll('[data-testid=diff-list] .diff-row')].map((row) => row.querySelector('.block-head').textContent)
      return rows.length > 0 && rows
    `),
  )
  for (const row of said) assert.ok(!(/\bgone:/.test(row) && /\bkept:/.test(row)), row)
})

test('text of twice the size, as a browser may have it, stands beside other text', { timeout: LIMIT, all: true }, async () => {
  const app = await long({ width: 1280, height: 720 })
  await until('the graph is drawn', () => shown(app))
  await app.run(`document.documentElement.style.fontSize = '200%'; window.dispatchEvent(new Event('resize')); return 1`)
  await until('no word stands over another', async () => (await faultsOfWords(app)).over.length === 0)
})

test('a phone shows the tokens of the request, and a low window the timeline', { timeout: LIMIT, all: true }, async () => {
  for (const textSize of [1, 4]) {
    const app = await long({ width: 420, height: 800 })
    await until('the graph is drawn', () => shown(app))
    await withSettings(app, { textSize })
    const { left, right } = await app.run(`
      const { left, right } = document.querySelector('[data-testid=totals]').getBoundingClientRect()
      return { left, right }
    `)
    assert.ok(left >= 0 && right <= 420, `from ${left} to ${right}`)
  }
  const app = await long({ width: 1280, height: 720 })
  await until('the graph is drawn', () => shown(app))
  await withSettings(app, {})
  const { title, search, timeline } = await app.run(`
    const width = (selector) => document.querySelector(selector).getBoundingClientRect().width
    const title = document.querySelector('[data-testid=session-title]')
    return {
      title: title.scrollWidth - title.clientWidth, search: width('[data-testid=palette-button]'),
      timeline: document.querySelector('[data-testid=timeline]').getBoundingClientRect().height,
    }
  `)
  assert.ok(timeline > 80, `the timeline is ${timeline} pixels high`)
  assert.ok(title <= 0 && search < 60, `the title lacks ${title} pixels beside a search of ${search}`)
})

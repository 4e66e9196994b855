// Requests divided into bands by what blocks are, on a log whose agent marked nothing.

import assert from 'node:assert/strict'

import { LIMIT, Stage, keepPicture, until } from './app.mjs'
import { clickOn, reload, settled, shown } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** The lines of the tip of a turn, as name and tokens. */
const tip = (app) =>
  app.run(`
    return [...document.querySelectorAll('.timeline-tip .tip-values > div')].map((line) => [
      line.querySelector('dt').textContent,
      Number(line.querySelector('dd').textContent.replace(/[^0-9]/g, '')),
    ])
  `)

const CONTENT = ['Human', 'System', 'Replies', 'Calls', 'File reads', 'Searches', 'Shell output', 'Other results']

test('a press shows what requests are made of by content, in the timeline and in Compare', { timeout: LIMIT }, async () => {
  const file = await stage.sample('claude-code/unmarked')
  const app = await stage.open([file])
  await until('the graph is drawn', () => shown(app))
  const said = () =>
    app.run(`
      const parts = document.querySelectorAll('[data-testid="bands-toggle"] > :not([aria-hidden=true])')
      return [...parts].map((part) => part.textContent).join('')
    `)
  assert.equal(await said(), 'episode')
  await clickOn(app, 'bands-toggle')
  await until('it says so', async () => (await said()) === 'content')

  const lines = await until('the tip tells the bands', async () => {
    await app.run(`
      const canvas = document.querySelector('[data-testid="timeline"] canvas')
      const { left, top, width, height } = canvas.getBoundingClientRect()
      const at = { clientX: left + width * 0.6, clientY: top + height * 0.8, bubbles: true }
      canvas.dispatchEvent(new PointerEvent('pointermove', at))
      return 1
    `)
    const lines = await tip(app)
    return lines.some(([name]) => name === 'Shell output') && lines
  })
  const of = (name) => lines.find(([line]) => line === name)?.[1] ?? 0
  assert.ok(of('Calls') > 0 && of('Human') > 0)
  assert.ok(!lines.some(([name]) => ['Explore', 'Act', 'Unannotated', 'Prologue'].includes(name)))
  const bands = ['Unlogged', ...CONTENT, 'Reasoning', 'Descriptions, summaries']
  assert.equal(bands.reduce((sum, name) => sum + of(name), 0), of('sent'), 'the bands are all that is sent')
  await settled(app)
  await keepPicture(app, 'bands-by-content')

  await clickOn(app, 'tab-compare')
  const rows = await until('Compare tells them too', async () => {
    const rows = await app.run(`
      return [...document.querySelectorAll('[data-measure^="band-"]')].map((row) => [
        row.dataset.measure,
        Number(row.querySelector('td').dataset.value),
      ])
    `)
    return rows.some(([name]) => name === 'band-calls') && rows
  })
  const total = await app.run(`return Number(document.querySelector('[data-measure="total"] td').dataset.value)`)
  assert.equal(rows.reduce((sum, [, tokens]) => sum + tokens, 0), total)

  await reload(app)
  await until('the graph is drawn again', () => shown(app))
  assert.equal(await said(), 'content', 'it is remembered')
})

// Another session beside the open one: chosen from the list, aligned as `cwl diff` aligns it, and led to by a click.

import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { HOME, LIMIT, SAMPLES, Stage, cwl, keepPicture, until } from './app.mjs'
import { violations } from './axe.mjs'
import { clickOn, shown, textOf, untilAt } from './page.mjs'
import { after, before, test } from './runner.mjs'

const FOLDER = join(HOME, '.pi/agent/sessions/--home-dev-tidewater--')
const [ONE, OTHER] = ['one', 'other'].map((name) => join(FOLDER, `2026-05-12T14-20-00-000Z_${name}.jsonl`))

/** A sentence of the engine as the page shows it. */
const said = (sentence) => `${sentence.charAt(0).toUpperCase()}${sentence.slice(1).replaceAll('`', '')}.`

let stage
before(async () => {
  const text = await readFile(join(SAMPLES, 'pi/quickstart/input.jsonl'), 'utf8')
  await mkdir(dirname(ONE), { recursive: true })
  await writeFile(ONE, text)
  // The same task, with another check in the middle, and another id.
  const id = JSON.parse(text.slice(0, text.indexOf('\n'))).id
  await writeFile(OTHER, text.replace('cargo check', 'cargo build').replaceAll(id, `${id.slice(0, -4)}beef`))
  stage = await Stage.start()
})
after(() => stage?.stop())

const rows = (app) =>
  app.run(`
    const list = document.querySelector('[data-testid="beside-rows"]')
    if (!list || document.querySelector('[data-testid="beside"]').dataset.busy === 'true') return null
    const turn = (side) => (side.dataset.turn === undefined ? null : Number(side.dataset.turn))
    return {
      n: Number(list.dataset.rows),
      shown: [...list.querySelectorAll('[data-testid="beside-row"]')].map((row) => [
        row.dataset.differs,
        ...[...row.children].map(turn),
      ]),
    }
  `)

test('another session is chosen from the list and stands beside the open one', { timeout: LIMIT }, async () => {
  const told = JSON.parse(await cwl('diff', ONE, OTHER, '--json'))
  assert.equal(told.n_work, 1)
  const app = await stage.open([ONE])
  await until('the graph is drawn', () => shown(app))
  await clickOn(app, 'tab-compare')
  await until('the parts are there', () => app.run(`return !!document.querySelector('[data-testid="compare-sessions"]')`))
  await clickOn(app, 'compare-sessions')
  await clickOn(app, 'beside-choose-first')
  await until('the list waits for a choice', () => textOf(app, 'choosing'))
  const row = `[data-testid="session-row"][data-path="${OTHER}"]`
  await until('the other session is listed', () => app.run(`return !!document.querySelector(arguments[0])`, row))
  // A list that is still filled may move a row away under the pointer.
  await until('the other session is chosen', async () => {
    if (!(await textOf(app, 'choosing'))) return true
    await app.click(row)
    return false
  })
  const all = await until('both stand side by side', () => rows(app))
  assert.equal(all.n, told.rows.length)
  assert.equal(await textOf(app, 'choosing'), null)
  const says = await textOf(app, 'beside-says')
  assert.equal(says.toLowerCase(), `${told.says}.`.toLowerCase())
  const parting = await textOf(app, 'beside-parting')
  for (const side of [told.parting.a, told.parting.b]) assert.ok(parting.includes(said(side)), `${parting}: ${side}`)
  const figures = await app.run(`
    const lines = [...document.querySelectorAll('[data-testid="beside-figures"] [data-figure]')]
    return Object.fromEntries(lines.map((line) => [line.dataset.figure, [...line.querySelectorAll('td')].map((cell) => cell.textContent)]))
  `)
  assert.deepEqual(figures.turns, [String(told.figures[0].a), String(told.figures[0].b), '0'])
  assert.deepEqual(await violations(app), [], 'axe finds nothing')
  await keepPicture(app, 'beside')

  await clickOn(app, 'beside-only')
  const different = await until('only turns that differ', async () => {
    const found = await rows(app)
    return found?.n === told.n_work + told.n_marks && found
  })
  assert.deepEqual(different.shown, [['work', told.parting.a_turn, told.parting.b_turn]])

  // A turn of the open session leads to the first request that has what it did; one of the other opens that session.
  await app.click('[data-testid="beside-row"] > :first-child')
  await untilAt(app, 'the turn of the open session', ({ turn }) => turn === told.parting.a_turn + 1)
  await clickOn(app, 'tab-compare')
  await until('the row is there again', async () => (await rows(app))?.n === 1)
  await app.click('[data-testid="beside-row"] > :last-child')
  await untilAt(app, 'the turn of the other session', ({ turn }) => turn === told.parting.b_turn + 1)
  await until('the other session is open', () => app.run(`return decodeURIComponent(location.href).includes('_other.jsonl')`))
})

test('the palette leads to the choice, and a session beside itself shows no difference', { timeout: LIMIT, all: true }, async () => {
  const app = await stage.open([ONE])
  await until('the graph is drawn', () => shown(app))
  await clickOn(app, 'palette-button')
  await until('the palette', () => app.run(`return !!document.querySelector('[data-testid="palette-field"]')`))
  await app.type('[data-testid="palette-field"]', 'compare with another session')
  await until('it is found', () =>
    app.run(`return document.querySelector('[data-testid="palette-list"] [role=option]')?.textContent.includes('Compare with another session')`),
  )
  await app.click('[data-testid="palette-list"] [role=option]')
  await until('the list waits for a choice', () => textOf(app, 'choosing'))
  const row = `[data-testid="session-row"][data-path="${ONE}"]`
  await until('the session is listed', () => app.run(`return !!document.querySelector(arguments[0])`, row))
  await app.click(row)
  await until('there is no difference', async () => (await textOf(app, 'beside-says')) === 'There is no difference.')
})

// The marks of odd episodes above the lanes of the graph: they tell what is found there, and lead to it in the Problems tab.

import assert from 'node:assert/strict'

import { LIMIT, Stage, cwl, keepPicture, until } from './app.mjs'
import { clickOn, shown } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1)

/** The finding that the Problems tab shows as the one that was wished for: its code and its words. */
const current = (app) =>
  app.run(`
    const row = document.querySelector('.panel [data-testid="problem"][aria-current="true"]')
    if (!row || document.querySelector('[data-testid="tab-problems"]').ariaSelected !== 'true') return null
    const { top, bottom } = row.getBoundingClientRect()
    return { code: row.dataset.code, words: row.querySelector('.problem-text').textContent, isOnScreen: top >= 0 && bottom <= innerHeight }
  `)

/** Moves the pointer to a place of the graph. */
const pointAt = (app, x, y) =>
  app.run(
    `
      const canvas = document.querySelector('[data-testid="graph"] canvas')
      canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: arguments[0], clientY: arguments[1], bubbles: true }))
      return new Promise((done) => requestAnimationFrame(() => done(1)))
    `,
    x,
    y,
  )

test('a mark above the lanes tells its findings, and a press or a key shows them', { timeout: LIMIT }, async () => {
  const file = await stage.sample('pi/long')
  const { session } = JSON.parse(await cwl('report', file, '--json'))
  const [first] = session.problems.filter(({ episode }) => episode !== null)
  const app = await stage.open([file])
  await until('the graph is drawn', () => shown(app))

  // The marks stand in the row of problems; where along it follows from the time axis, so the pointer goes along it.
  const { left, top, width } = await app.run(`
    const { left, top, width } = document.querySelector('[data-testid="graph"] canvas').getBoundingClientRect()
    return { left, top, width }
  `)
  const label = await app.run(`
    const [row] = document.querySelectorAll('[data-testid="graph"] .quiet-row')
    const { top, bottom } = row.getBoundingClientRect()
    return (top + bottom) / 2
  `)
  assert.ok(label > top)
  const tip = () => app.run(`return document.querySelector('[data-testid="tip-problems"]')?.textContent ?? null`)
  let place = null
  for (let x = left + 4; x < left + width && place === null; x += 6) {
    await pointAt(app, x, label)
    if (await tip()) place = { x, y: label }
  }
  assert.ok(place, 'a mark answers the pointer')
  const said = await tip()
  assert.ok(said.includes(`${capital(first.message)}.`), `${said}: ${first.message}`)
  await keepPicture(app, 'finding-tip')
  await app.drag(place, place)
  const found = await until('the finding in the Problems tab', () => current(app))
  assert.ok(found.isOnScreen, 'it is on the screen')
  assert.equal(found.code, first.code)
  assert.ok(found.words.startsWith(capital(first.message)), found.words)
  await keepPicture(app, 'finding')

  // The same by the keyboard, from another tab: the episode is selected by now.
  await clickOn(app, 'tab-context')
  await until('another tab', async () => (await current(app)) === null)
  await app.run(`document.querySelector('[data-testid="graph"] canvas').focus(); return 1`)
  await app.press('q')
  assert.equal((await until('the finding again', () => current(app))).code, first.code)
})

test('the annotation in figures stands above the findings, each with its parts', { timeout: LIMIT, all: true }, async () => {
  const file = await stage.sample('pi/forgotten')
  const told = JSON.parse(await cwl('lint', file, '--budget', '900', '--json')).logs[0]
  const app = await stage.open([file, '--budget', '900'])
  await until('the graph is drawn', () => shown(app))
  await clickOn(app, 'tab-problems')
  const figures = await until('the figures', () =>
    app.run(`
      const all = [...document.querySelectorAll('[data-testid="quality-figure"]')]
      const text = (one, tag) => one.querySelector(tag).textContent
      return all.length > 0 && all.map((one) => [one.dataset.figure, text(one, 'b'), text(one, 'dd')])
    `),
  )
  assert.deepEqual(figures, told.figures.map(({ name, value, says }) => [name, value, `${capital(says)}.`]))
  assert.ok(figures.some(([name]) => name === 'spent'))
  assert.equal(await app.run(`return document.querySelector('[data-testid="quality-note"]')`), null)
  await keepPicture(app, 'quality')

  const unmarked = await stage.sample('claude-code/unmarked')
  const other = await stage.open([unmarked, '--budget', '6k'])
  await until('the graph is drawn', () => shown(other))
  await clickOn(other, 'tab-problems')
  const note = await until('the figures say whom they judge', () =>
    other.run(`return document.querySelector('[data-testid="quality-note"]')?.textContent ?? null`),
  )
  assert.ok(note.includes('not the agent'), note)
  assert.equal(await other.run(`return document.querySelector('[data-figure="spent"]')`), null)
})

test('a pass that takes far more than it must is a warning with its figures', { timeout: LIMIT }, async () => {
  const file = await stage.sample('pi/quickstart')
  const args = ['--budget', '8k', '--turn', '11']
  const { findings } = JSON.parse(await cwl('context', file, ...args, '--json'))
  const { message } = findings.find(({ code }) => code === 'V012')
  const app = await stage.open([file, ...args])
  await until('the warning', () =>
    app.run(`return document.querySelector('[data-testid="pass-findings"]')?.textContent.includes(arguments[0]) ?? false`, message),
  )
})

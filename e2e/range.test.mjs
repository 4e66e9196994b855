// A range of turns: selected by the pointer or by keys, with the figures of the command line, shown and cleared.

import assert from 'node:assert/strict'

import { LIMIT, Stage, cwl, until } from './app.mjs'
import { KEY, clickOn, middleOf, position, shown, textOf, untilAt } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

const BUDGET = '40000'

async function opened() {
  const file = await stage.sample('pi/long')
  const app = await stage.open([file, '--budget', BUDGET])
  await until('the graph is drawn', () => shown(app))
  await until('the range of the test before is gone', async () => (await textOf(app, 'range')) === null)
  const { turns } = JSON.parse(await cwl('replay', file, '--budget', BUDGET, '--json'))
  return { app, turns }
}

const focus = (app, testId) =>
  app.run(`document.querySelector('[data-testid="' + arguments[0] + '"]').focus(); return 1`, testId)
const said = (app, testId) =>
  app.run(`return document.querySelector('[data-testid="' + arguments[0] + '"]').getAttribute('aria-valuetext')`, testId)

/** Reads the range on the page: first and last turn, and the figures as numbers. */
async function range(app) {
  const text = await until('a range', () => textOf(app, 'range'))
  const number = (pattern) => Number((pattern.exec(text)?.[1] ?? '0').replace(/\D/g, ''))
  const [, from, to = from] = /turns? (\d+)(?:–(\d+))?/.exec(text)
  return {
    from: Number(from),
    to: Number(to),
    evicted: number(/([\d,.]+) evicted/),
    steps: number(/in (\d+) steps?/),
  }
}

/** The same by the command line. */
function counted(turns, from, to) {
  const within = turns.filter(({ turn }) => from <= turn && turn <= to)
  return within.reduce((sum, { tokens_before: before, tokens_after: after }) => sum + Math.max(0, before - after), 0)
}

test('a drag over the timeline selects turns and says what happens in them', { timeout: LIMIT, window: true }, async () => {
  const { app, turns } = await opened()
  const before = await position(app)
  const plot = await app.run(`
    const { left, top, width, height } = document.querySelector('[data-testid="timeline"] canvas').getBoundingClientRect()
    return { left, top, width, height }
  `)
  const y = plot.top + plot.height * 0.6
  await app.drag({ x: plot.left + plot.width * 0.4, y }, { x: plot.left + plot.width * 0.6, y })
  const { from, to, evicted, steps } = await range(app)
  assert.ok(from > 1 && to > from + 20 && to < turns.length, `${from} to ${to}`)
  assert.equal(evicted, counted(turns, from, to), 'what the command line says')
  assert.ok(steps > 0 && evicted > 0, 'the policy had something to do')
  assert.deepEqual(await position(app), before, 'the cut stays')

  await app.press('z')
  await until('the view is that of the range', () =>
    app.run(`
      const handle = document.querySelector('[data-testid="playhead"]')
      return handle.hidden
    `),
  )
  await app.press(KEY.escape)
  await until('the range is cleared', async () => (await textOf(app, 'range')) === null)
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('a drag of the cut moves it and selects nothing of the page', { timeout: LIMIT, window: true }, async () => {
  const { app, turns } = await opened()
  const { left, top, width, plot } = await app.run(`
    const { left, top, width } = document.querySelector('[data-testid="playhead"]').getBoundingClientRect()
    return { left, top, width, plot: document.querySelector('[data-testid="timeline"] canvas').getBoundingClientRect().toJSON() }
  `)
  await app.drag({ x: left + width / 2, y: top + 6 }, { x: plot.left + plot.width * 0.5, y: top + 6 })
  await until('the cut has moved', async () => Math.abs((await position(app)).turn - turns.length / 2) < turns.length / 10)
  assert.notEqual(await app.run('return getSelection().type'), 'Range')
})

test('a drag of the line between the panes moves it and selects nothing of the page', { timeout: LIMIT, window: true }, async () => {
  const { app } = await opened()
  const sash = () =>
    app.run(`
      const sash = document.querySelector('.sash[data-axis=row]')
      const { left, top, width } = sash.getBoundingClientRect()
      return { x: left + width / 2, y: top, size: Number(sash.ariaValueNow) }
    `)
  const { x, y, size } = await sash()
  await app.drag({ x, y }, { x, y: y + 60 })
  await until('the line has moved', async () => (await sash()).size === size - 60)
  assert.notEqual(await app.run('return getSelection().type'), 'Range')
})

test('τ is dragged by its grip where the cut stands behind it', { timeout: LIMIT, window: true }, async () => {
  const app = await stage.open([await stage.sample('pi/quickstart'), '--budget', '9k'])
  await until('the graph is drawn', () => shown(app))
  const places = () =>
    Promise.all(['tau-grip', 'playhead'].map((testId) => middleOf(app, `[data-testid="${testId}"]`)))
  const [grip, cut] = await places()
  assert.ok(Math.abs(grip.x - cut.x) < 6, `the cut at ${cut.x} stands behind the middle of the grip, ${grip.x}`)
  await app.drag(grip, { x: grip.x, y: grip.y - 20 })
  await until('τ is higher', () =>
    app.run(`return Number(document.querySelector('[data-testid="tau-grip"]').ariaValueNow) > 9000`),
  )
  assert.equal((await places())[1].x, cut.x, 'the cut stays')
})

test('cut, range and τ are moved by keys', { timeout: LIMIT, window: true }, async () => {
  const { app, turns } = await opened()
  const n = turns.length
  await focus(app, 'playhead')
  await app.press(KEY.left)
  await untilAt(app, 'the turn before', ({ turn }) => turn === n - 1)
  await until('it is said', async () => (await said(app, 'playhead')).startsWith(`turn ${n - 1} of ${n}`))
  await app.press(KEY.left, KEY.shift)
  await app.press(KEY.left, KEY.shift)
  await untilAt(app, 'two turns on', ({ turn }) => turn === n - 3)
  const { from, to, evicted } = await range(app)
  assert.deepEqual([from, to], [n - 3, n - 1])
  assert.equal(evicted, counted(turns, from, to))
  await clickOn(app, 'range-clear')
  await until('the range is cleared', async () => (await textOf(app, 'range')) === null)

  await focus(app, 'tau-grip')
  const tau = await said(app, 'tau-grip')
  await app.press(KEY.down)
  const lower = await until('another τ', async () => {
    const now = await said(app, 'tau-grip')
    return now !== tau && now
  })
  assert.ok(Number(lower.replace(/\D/g, '')) < 40_000, `${tau}, then ${lower}`)
  assert.equal((await position(app)).turn, n - 3, 'the cut stays')
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

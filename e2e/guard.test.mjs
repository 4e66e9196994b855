// A part of the window that cannot be drawn says so in its place; the others go on, and there is a way out.

import assert from 'node:assert/strict'

import { KIND, LIMIT, Stage, keepPicture, until } from './app.mjs'
import { violations } from './axe.mjs'
import { clickOn, position, shown, untilAt } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

const options = { timeout: LIMIT, skip: KIND !== 'browser' && 'answers of the window cannot be spoiled on their way' }

/** From now on answers to a command come without one of their parts, as from a host of another age; `null` ends it. */
const spoil = (app, command, part) =>
  app.run(
    `
    window.cwlSpoilt = arguments[0] && { path: 'call/' + arguments[0], part: arguments[1] }
    if (window.cwlFetch) return 1
    window.cwlFetch = window.fetch
    window.fetch = async (path, ...more) => {
      const answer = await window.cwlFetch(path, ...more)
      if (!window.cwlSpoilt || path !== window.cwlSpoilt.path || !answer.ok) return answer
      const { [window.cwlSpoilt.part]: _, ...rest } = await answer.json()
      return new Response(JSON.stringify(rest), answer)
    }
    return 1
  `,
    command,
    part,
  )

const card = (app, pane) =>
  app.run(`return document.querySelector(arguments[0] + ' [data-testid="drawing-failed"]')?.textContent ?? null`, pane)
const has = (app, selector) => app.run('return document.querySelector(arguments[0]) !== null', selector)
const select = async (app, name) => {
  await clickOn(app, 'tab-episodes')
  await until(`${name} is pressed`, () =>
    app.run(
      `const line = [...document.querySelectorAll('[role=tabpanel] [role=row]')].find((row) => row.textContent.includes(arguments[0]))
      line?.click()
      return !!line`,
      name,
    ),
  )
}

test('a pane that cannot be drawn says so, and the others go on', options, async () => {
  const app = await stage.open([await stage.sample('pi/quickstart')])
  const { names } = await until('the graph is drawn', () => shown(app))
  const [one, two] = names.filter((name) => !name.startsWith('~'))
  await spoil(app, 'episode', 'by_kind')
  await select(app, one)
  const said = await until('the pane says so', () => card(app, '.aside'))
  assert.match(said, /undefined|null/, 'the reason, as the engine of the page gives it')
  assert.ok(!(await has(app, '[data-testid="inspector"]')), 'and nothing that is half drawn')
  await keepPicture(app, 'guard')
  assert.deepEqual(await violations(app), [])

  // The others: tabs change, the cut moves, the graph is there.
  await clickOn(app, 'tab-context')
  await until('the context is listed', () => has(app, '[data-testid="context-list"]'))
  const { turn } = await position(app)
  await app.run('document.activeElement?.blur(); return 1')
  await app.press('\uE011')
  await untilAt(app, 'the first turn', (at) => at.turn === 1 && turn > 1)
  assert.deepEqual((await shown(app)).names, names)

  // To try again with what cannot be drawn is to be told again; with what can it is drawn.
  await app.click('.aside button')
  assert.equal(await until('it says so again', () => card(app, '.aside')), said)
  await spoil(app, null)
  await select(app, two)
  await until('another episode is drawn', () =>
    app.run(`return document.querySelector('[data-testid="inspector"]')?.dataset.episode === arguments[0]`, two),
  )

  // The browser and the host were told what this test did, and nothing else.
  const told = app.problems()
  assert.ok(told.some((line) => line.includes('drawing failed')), told.join('\n'))
  assert.deepEqual(told.filter((line) => !/^console: /.test(line)), [])
  await until('the host was told', () => stage.errors.includes('drawing failed'))
})

test('a tab that cannot be drawn leaves the other tabs', { ...options, all: true }, async () => {
  const app = await stage.open([await stage.sample('pi/quickstart')])
  await until('the graph is drawn', () => shown(app))
  await spoil(app, 'compare', 'columns')
  await clickOn(app, 'tab-compare')
  await until('the tab says so', () => card(app, '.panes'))
  await clickOn(app, 'tab-evicted')
  await until('another tab is drawn', async () => (await has(app, '[data-testid="tab-evicted"][aria-selected=true]')) && !(await card(app, '.panes')))
  assert.ok(await has(app, '[data-episodes]'), 'the graph is there')
  assert.ok(app.problems().some((line) => line.includes('drawing failed')))
})

// Captured bodies: the request as the harness kept it, with its system prompt and tools, beside what the log gives.

import assert from 'node:assert/strict'
import { cp } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { LIMIT, SAMPLES, Stage, cwl, keepPicture, until } from './app.mjs'
import { violations } from './axe.mjs'
import { clickOn, textOf, untilAt } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** The tab as the page shows it. */
const shown = (app) =>
  app.run(`
    const one = (id) => document.querySelector('[data-testid="' + id + '"]')
    if (!one('captured-turn-says')) return null
    return {
      says: one('captured-turn-says').textContent,
      system: Number(one('captured-system').dataset.tokens),
      tools: Number(one('captured-tools').dataset.tools),
      rows: [...document.querySelectorAll('[data-testid="captured-row"]')].map((row) => row.dataset.side),
    }
  `)

/** Opens a session at the captured part of the Request tab. */
async function open(file, turn) {
  const app = await stage.open([file, '--turn', String(turn)])
  await untilAt(app, 'the turn', (at) => at.turn === turn)
  await clickOn(app, 'tab-body')
  await until('the parts of the tab', () =>
    app.run(`return !!document.querySelector('[data-testid="body-captured"]')`),
  )
  await clickOn(app, 'body-captured')
  return app
}

for (const [sample, folder] of [
  ['claude-code/captured', 'bodies'],
  ['codex/traced', 'trace'],
]) {
  test(`${sample}: what was sent stands beside what the log gives`, { timeout: LIMIT, all: folder === 'trace' }, async () => {
    const file = await stage.sample(sample)
    await cp(join(SAMPLES, sample, folder), join(dirname(file), folder), { recursive: true })
    const { turns } = JSON.parse(await cwl('captured', file, '--json'))
    const last = turns.at(-1)
    const told = JSON.parse(await cwl('captured', file, '--turn', String(last.turn), '--json'))
    const { differences } = told.turns.find(({ turn }) => turn === last.turn)
    const app = await open(file, last.turn)
    const now = await until('the body', () => shown(app))
    assert.equal(now.system, last.system)
    assert.equal(now.tools, last.n_tools)
    assert.deepEqual(
      now.rows,
      differences.map(({ block }) => (block === null ? 'body' : 'log')),
    )
    await clickOn(app, 'captured-same')
    await until('equal blocks, too', async () => (await shown(app)).rows.includes('both'))
    assert.deepEqual(await violations(app), [])
    await keepPicture(app, `captured-${folder}`)

    // A block of the log is a way to its place.
    await clickOn(app, 'captured-place')
    await until('the Context tab', () =>
      app.run(`return document.querySelector('[role=tab][aria-selected=true]')?.dataset.testid === 'tab-context'`),
    )
  })
}

test('without bodies the tab says how to get them', { timeout: LIMIT }, async () => {
  const file = await stage.sample('pi/quickstart')
  const app = await open(file, 3)
  const said = await until('it says so', async () => {
    const text = await textOf(app, 'captured')
    return text?.includes('OTEL_LOG_RAW_API_BODIES') && text
  })
  assert.match(said, /No captured bodies lie beside this log/)
})

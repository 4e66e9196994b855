// The Overview tab: what happened, each sentence with a way to its evidence.

import assert from 'node:assert/strict'

import { KIND, LIMIT, Stage, cwl, until } from './app.mjs'
import { violations } from './axe.mjs'
import { clickOn, untilAt } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** Opens a sample at the tab, and returns the page. */
async function open(sample) {
  const file = await stage.sample(sample)
  const app = await stage.open([file])
  await until('the tab is there', () => app.run(`return !!document.querySelector('[data-testid="tab-overview"]')`))
  await clickOn(app, 'tab-overview')
  await until('the overview is there', () => app.run(`return !!document.querySelector('[data-testid="overview"]')`))
  return { app, file }
}

/** The sentences as the page shows them, without their buttons. */
const sentences = (app) =>
  app.run(`return [...document.querySelectorAll('[data-testid^="overview-"]')]
    .filter((item) => item.tagName === 'LI').map((item) => item.firstChild.textContent)`)

for (const sample of ['claude-code/hidden-loss', 'pi/compacted', 'claude-code/two-models'])
  test(`the page shows what the report says: ${sample}`, { timeout: LIMIT, all: sample !== 'claude-code/hidden-loss' }, async () => {
    const { app, file } = await open(sample)
    const { happened } = JSON.parse(await cwl('report', file, '--json'))
    assert.deepEqual(
      await sentences(app),
      happened.map(({ says }) => says),
    )
  })

test('a sentence leads to its evidence', { timeout: LIMIT }, async () => {
  const { app, file } = await open('pi/compacted')
  const { happened } = JSON.parse(await cwl('report', file, '--json'))
  const fullest = happened.find(({ kind }) => kind === 'fullest')
  await clickOn(app, 'evidence-fullest')
  await untilAt(app, 'the fullest request', ({ turn }) => turn === fullest.turn)
  assert.equal(await app.run(`return document.querySelector('[data-testid="tab-context"]').ariaSelected`), 'true')
  await app.press('u')
  await clickOn(app, 'evidence-compactions')
  await until('the compactions are shown', () =>
    app.run(`return document.querySelector('[data-testid="tab-compactions"]').ariaSelected === 'true'`),
  )
})

test('consumers are listed with their shares, and lead to their largest blocks', { timeout: LIMIT }, async () => {
  const { app } = await open('pi/compacted')
  const rows = await app.run(`return [...document.querySelectorAll('[data-testid="consumers"] tbody tr')].map((row) => [
    row.dataset.kind, row.querySelector('.share').textContent])`)
  assert.ok(rows.length > 3, JSON.stringify(rows))
  const shares = rows.map(([, share]) => Number.parseFloat(share))
  assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100) < 1.5, JSON.stringify(rows))
  await app.run(`document.querySelector('[data-testid="consumers"] tbody tr[data-kind="tool"] button').click()`)
  await until('a block is chosen in the context', () =>
    app.run(`return document.querySelector('[data-testid="tab-context"]').ariaSelected === 'true'`),
  )
})

test('a press on the chart goes to the request', { timeout: LIMIT, skip: KIND === 'window' }, async () => {
  const { app } = await open('pi/compacted')
  await app.run(`
    const chart = document.querySelector('[data-testid="request-sizes"]')
    const { left, top, height } = chart.getBoundingClientRect()
    const at = { bubbles: true, clientX: left + 2, clientY: top + height / 2 }
    chart.dispatchEvent(new MouseEvent('mousemove', at))
    chart.dispatchEvent(new MouseEvent('click', at))`)
  await untilAt(app, 'the first request', ({ turn }) => turn === 1)
  assert.match(await app.run(`return document.querySelector('[data-testid="overview-at"]').textContent`), /^Turn 1: /)
})

test('a session opens at its overview', { timeout: LIMIT }, async () => {
  const app = await stage.open([await stage.sample('pi/compacted')], { firstTab: true })
  await until('the overview is there', () => app.run(`return !!document.querySelector('[data-testid="overview"]')`))
})

test('the tab has names and contrast', { timeout: LIMIT, skip: KIND === 'window', all: true }, async () => {
  const { app } = await open('claude-code/hidden-loss')
  assert.deepEqual(await violations(app, { all: true }), [])
})

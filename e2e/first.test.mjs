// The first start: the welcome lists what the machine has, each with a line, and the sample is one click away.

import assert from 'node:assert/strict'
import { copyFile, mkdir, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { HOME, LIMIT, SAMPLES, Stage, keepPicture, until } from './app.mjs'
import { violations } from './axe.mjs'
import { clickOn, settled, themed } from './page.mjs'
import { after, before, test } from './runner.mjs'

/** Where harnesses have put their logs, the newest first, and what their lines tell. */
const LOGS = [
  [
    'claude-code/compaction',
    '.claude/projects/-home-dev-tidewater/0a789f64-8ecc-4a6f-a5c7-821d6c5fe4e0.jsonl',
    'compacted',
  ],
  ['pi/long', '.pi/agent/sessions/--home-dev-tidewater--/2026-05-12T14-20-00-000Z_1.jsonl', 'over'],
  ['pi/compacted', '.pi/agent/sessions/--home-dev-tidewater--/2026-05-11T14-20-00-000Z_2.jsonl', 'lost'],
  ['codex/quickstart', '.codex/sessions/2026/03/09/rollout-2026-03-09T08-12-40-1.jsonl', ''],
]

let stage
before(async () => {
  for (const [at, [sample, to]] of LOGS.entries()) {
    const path = join(HOME, to)
    await mkdir(dirname(path), { recursive: true })
    await copyFile(join(SAMPLES, sample, 'input.jsonl'), path)
    const when = Date.now() / 1000 - 3600 * (at + 1)
    await utimes(path, when, when)
  }
  stage = await Stage.start()
})
after(() => stage?.stop())

const lines = (app) =>
  app.run(`
    const line = (row) => row.querySelector('[data-testid="glance"]')
    return [...document.querySelectorAll('[data-testid="newest-row"]')]
      .map((row) => [row.dataset.path, line(row).dataset.marks ?? null, line(row).textContent])
  `)

test('the welcome lists the newest of all harnesses, each with its line', { timeout: LIMIT }, async () => {
  const app = await stage.open([], { width: 1280, height: 720 })
  const found = await until('each has its line', async () => {
    const found = await lines(app)
    return found.length === LOGS.length && found.every(([, marks]) => marks !== null) && found
  })
  for (const [at, [, to, mark]] of LOGS.entries()) {
    assert.equal(found[at][0], join(HOME, to))
    assert.ok(found[at][1].includes(mark), `${found[at]} tells ${mark}`)
    assert.ok(found[at][2].length > 10, found[at][2])
  }
  for (const theme of ['dark', 'light']) {
    await themed(app, theme)
    await settled(app)
    // A line that warns has a colour of its own, and is there only with such a session.
    assert.equal(await app.run(`return document.querySelectorAll('.glance.lost').length`), 1)
    assert.deepEqual(await violations(app), [], theme)
    await keepPicture(app, `welcome-first-${theme}`)
  }
  await app.click(`[data-testid="newest-row"][data-path="${found[0][0]}"]`)
  await until('the newest is open', () =>
    app.run(`return document.querySelector('.session-name')?.dataset.path === arguments[0]`, found[0][0]),
  )
})

test('the sample is one click away, and its budget is its own', { timeout: LIMIT }, async () => {
  const app = await stage.open([])
  await until('the welcome', () => app.run(`return !!document.querySelector('[data-testid="open-sample"]')`))
  await clickOn(app, 'open-sample')
  const tau = () => app.run(`return document.querySelector('[data-testid="tau-input"]')?.value ?? null`)
  await until('the sample under its budget', async () => (await tau()) === '9,000')
  const evicts = () => app.run(`return !!document.querySelector('[data-episodes]')`)
  await until('its graph', evicts)
  await app.click(`[data-testid="session-row"][data-path="${join(HOME, LOGS[1][1])}"]`)
  await until('another session under the usual budget', async () => (await tau()) === '80,000')
})

test('a narrow start is not covered by the sessions', { timeout: LIMIT, all: true }, async () => {
  for (const [width, isOpen] of [[420, false], [1000, false], [1440, true]]) {
    const app = await stage.open([], { width, height: 800 })
    await until('the welcome', () => app.run(`return !!document.querySelector('[data-testid="newest-row"]')`))
    const covered = await app.run(`
      const { left, top } = document.querySelector('.welcome h1').getBoundingClientRect()
      return { drawer: !!document.querySelector('.drawer'), covered: !document.elementFromPoint(left + 4, top + 4)?.closest('.welcome') }
    `)
    assert.deepEqual(covered, { drawer: isOpen, covered: false }, `${width} pixels`)
  }
})

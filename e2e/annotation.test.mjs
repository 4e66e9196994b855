// Whose episodes the window shows: the agent's own, inferred ones, or those that a reader wrote down afterwards.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { LIMIT, Stage, cwl, until } from './app.mjs'
import { KEY, clickOn, untilShown } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** Whose episodes the page says that it shows: the header, and the graph. */
const sourceOf = (app) =>
  app.run(`
    const header = document.querySelector('[data-testid="annotation-source"]')
    const graph = document.querySelector('[data-testid="graph"]')
    return { header: header?.dataset.source, graph: graph?.dataset.source, title: header?.title ?? '' }
  `)

const untilSource = (app, source) =>
  until(`the episodes are ${source}`, async () => {
    const now = await sourceOf(app)
    return now.header === source && now.graph === source && now
  })

async function choose(app, annotation) {
  await clickOn(app, 'annotation')
  const option = `.choice-item[data-value="${annotation}"]`
  await until('it can be chosen', () => app.run(`return !!document.querySelector(arguments[0])`, option))
  await app.run(`document.querySelector(arguments[0]).click()`, option)
}

test('a log without marks shows inferred episodes, and says so', { timeout: LIMIT }, async () => {
  const file = await stage.sample('codex/compacted')
  const app = await stage.open([file])
  const { episodes } = JSON.parse(await cwl('graph', file, '--json'))
  assert.ok(episodes.length > 1 && episodes.every(({ source }) => source === 'inferred'), 'there is something to show')
  await untilShown(app, { names: episodes.map(({ name }) => name) })
  const { title } = await untilSource(app, 'inferred')
  assert.match(title, /^Episodes inferred by this program, not marked by the agent/)
  const labels = await app.run(
    `return [...document.querySelectorAll('[role="option"][data-episode]')].map((one) => one.ariaLabel)`,
  )
  assert.ok(labels.length > 0 && labels.every((label) => label.includes(', inferred ')), String(labels))
  // The header says how an agent marks episodes, and so does the tab that lists them.
  assert.match(title, /An agent can mark them while it works/)
  // The inspector says why an episode begins where it does.
  await app.run(`document.querySelector('[data-testid="graph"] canvas').focus()`)
  const why = await until('the inspector tells why', async () => {
    // A stretch between two episodes has no reason of its own.
    await app.press(KEY.left)
    const told = await app.run(
      `return document.querySelector('[data-testid="source"][data-source="inferred"]')?.textContent`,
    )
    return told?.startsWith('Why') && told
  })
  assert.match(why, /Why does the episode begin here\?Inferred \(\d+ %\)/)
  // The agent's own marks are none.
  await choose(app, 'declared')
  await untilSource(app, 'declared')
  await untilShown(app, { names: [] })
  const empty = await until('it says so', () =>
    app.run(`return document.querySelector('[data-testid="graph-empty"]')?.textContent`),
  )
  assert.match(empty, /^No episodes: the agent marked none\./)
  await choose(app, 'inferred')
  await untilShown(app, { names: episodes.map(({ name }) => name) })
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('a log with marks shows those of the agent', { timeout: LIMIT }, async () => {
  const app = await stage.open([await stage.sample('pi/quickstart')])
  const { title } = await untilSource(app, 'declared')
  assert.match(title, /^Episodes marked by the agent/)
  await choose(app, 'inferred')
  const { title: other } = await untilSource(app, 'inferred')
  assert.match(other, /own marks are set aside/)
})

test('a conversation without tools has nothing to mark', { timeout: LIMIT, all: true }, async () => {
  const app = await stage.open([await stage.sample('mini-swe-agent/bare')])
  const empty = await until('it says so', () =>
    app.run(`return document.querySelector('[data-testid="graph-empty"]')?.textContent`),
  )
  assert.match(empty, /nothing to mark/)
})

test('pi-cwl goes by the agent’s own marks unless others are asked for', { timeout: LIMIT, all: true }, async () => {
  const app = await stage.open([await stage.sample('codex/compacted'), '--policy', 'pi-cwl'])
  await untilSource(app, 'declared')
  await choose(app, 'inferred')
  const { title } = await untilSource(app, 'inferred')
  assert.match(title, /would not do so/)
})

test('a link keeps whose episodes are shown', { timeout: LIMIT, all: true }, async () => {
  const file = await stage.sample('codex/compacted')
  const marks = join(dirname(file), 'marks.json')
  const episodes = [{ name: 'all-of-it', type: 'expl', first: 1, last: 12, dependencies: [] }]
  await writeFile(marks, JSON.stringify({ made_by: 'a reader', episodes }))
  const query = new URLSearchParams({ session: file, annotation: marks })
  const app = await stage.open([`cwl-inspector://open?${query}`])
  const { title } = await untilSource(app, 'written')
  assert.match(title, /^Episodes marked afterwards by a reader \(marks\.json\)/)
  const { names } = await until('they are drawn', () =>
    app.run(`
      const { names } = document.querySelector('[data-testid="graph"]').drawnEpisodes()
      return names.includes('all-of-it') && { names }
    `),
  )
  assert.ok(names.length >= 1)
})

// Logs of every format, opened by their paths one after the other in one window.

import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { LIMIT, SAMPLES, Stage, cwl, until } from './app.mjs'
import { KEY, shown, untilAt, untilShown } from './page.mjs'
import { after, before, test } from './runner.mjs'

/** The formats with the most users; what a format holds is tested in its crate. */
const MOST_USED = ['claude-code', 'codex', 'gemini-cli', 'opencode', 'pi']
const FORMATS = readdirSync(SAMPLES).filter((format) => existsSync(join(SAMPLES, format, 'quickstart')))

let stage
let app
before(async () => {
  stage = await Stage.start()
  app = await stage.open([])
  await until('a welcome', () => app.run(`return !!document.querySelector('[data-testid="welcome"]')`))
})
after(() => stage?.stop())

/** Opens a log as people do who have its path. */
async function openByPath(path) {
  await app.press('o', KEY.control)
  await until('the field has the keyboard', () =>
    app.run(`return document.activeElement?.dataset.testid === 'open-path' && document.activeElement.value === ''`),
  )
  await app.type('[data-testid="open-path"]', `${path}${KEY.enter}`)
  await until(`${path} is open`, () =>
    app.run(`return document.querySelector('.session-name')?.dataset.path === arguments[0]`, path),
  )
}

test('there is a sample of every format', () => assert.ok(FORMATS.length >= 12, String(FORMATS)))

for (const format of FORMATS) {
  test(`${format}: the same episodes as on the command line`, { timeout: LIMIT, all: !MOST_USED.includes(format) }, async () => {
    const file = await stage.sample(`${format}/quickstart`)
    const { episodes, edges, format: said } = JSON.parse(await cwl('graph', file, '--json'))
    // A trace without texts has no marks, and little to infer episodes from.
    const [nEpisodes, nEdges] = format === 'kv-cache-trace' ? [2, 0] : [6, 3]
    assert.ok(episodes.length >= nEpisodes && edges.length >= nEdges, 'the sample has something to show')
    await openByPath(file)
    await untilShown(app, { names: episodes.map(({ name }) => name) })
    const graph = await shown(app)
    assert.equal(graph.names.length, episodes.length)
    assert.deepEqual(graph.kinds, episodes.map(({ kind }) => kind))
    assert.deepEqual(graph.edges, edges)
    await untilAt(app, 'the cut is on a turn', ({ turn }) => turn > 1)
    const name = await app.run(`return document.querySelector('.session-name [data-testid="harness"]').textContent`)
    assert.ok(name.includes(said ?? format), `the header says whose log it is: ${name}`)
    assert.equal(stage.errors, '', 'nothing went wrong on the page')
  })
}

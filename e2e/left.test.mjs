// The window opens as large as it was left, and where.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { ENV, KIND, LIMIT, Stage, until } from './app.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

const KEPT = join(ENV.XDG_CONFIG_HOME, 'dev.cwl-inspector.desktop/.window-state.json')

const size = (app) => app.run('return [innerWidth, innerHeight]')

const options = { timeout: LIMIT, skip: KIND !== 'window' && 'a browser remembers its own windows' }
test('the window opens as large as it was left', { ...options, window: true }, async () => {
  for (const [width, height] of [[1111, 777], [1234, 678]]) {
    const before = await stage.open([], { width, height })
    await until('the window has its size', async () => (await size(before))[0] === width)
    const left = await size(before)
    await until('the size is kept', async () => {
      const { main } = JSON.parse(await readFile(KEPT, 'utf8'))
      return main.width === left[0] && main.height === left[1]
    })
    const app = await stage.open([], { asLeft: true })
    await until('the page is there', () => app.run(`return document.readyState === 'complete'`))
    assert.deepEqual(await size(app), left)
  }
})

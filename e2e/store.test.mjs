// A store that cannot be used: logs open anyway, a card says what, where and the way out, and it goes when it is over.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { LIMIT, Stage, cwl, until } from './app.mjs'
import { violations } from './axe.mjs'
import { KEY, clickOn, textOf, untilShown } from './page.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

const card = (app) =>
  app.run(`
    const card = document.querySelector('[data-testid="store-trouble"]')
    return card && { kind: card.dataset.kind, text: card.textContent }
  `)

const SPOILT = [
  ['unreachable', async (data) => writeFile(data, ''), 'data'],
  [
    'damaged',
    async (data) => {
      await mkdir(data)
      await writeFile(join(data, 'sessions.sqlite'), 'no database at all. '.repeat(1000))
    },
    'sessions.sqlite',
  ],
]

for (const [kind, spoil, named] of SPOILT) {
  test(`${kind}: the log opens, notes are refused, and it ends with another try`, { timeout: LIMIT }, async () => {
    const file = await stage.sample('pi/quickstart')
    const dataDir = join(await stage.folder(), 'data')
    await spoil(dataDir)
    const { episodes } = JSON.parse(await cwl('graph', file, '--json'))
    const names = episodes.map(({ name }) => name)
    const app = await stage.open([file], { dataDir })
    await untilShown(app, { names })
    const told = await until('the card', () => card(app))
    assert.equal(told.kind, kind)
    assert.ok(told.text.includes(named), `it says where: ${told.text}`)
    assert.deepEqual(await violations(app), [])

    await app.run('document.activeElement?.blur()')
    await app.press('n')
    await until('the editor', () => app.run(`return document.activeElement?.dataset.testid === 'note-text'`))
    await app.type('[data-testid="note-text"]', 'kept as a draft')
    await app.press(KEY.enter, KEY.control)
    await until('the reason', async () => /cannot be kept/.test((await textOf(app, 'note-refused')) ?? ''))
    assert.equal(await app.run(`return document.querySelector('[data-testid="note-text"]').value`), 'kept as a draft')
    await app.press(KEY.escape)
    await app.press(KEY.escape)

    await clickOn(app, 'store-retry')
    await until('it was tried', () => app.run(`return !document.querySelector('[data-testid="store-retry"]').disabled`))
    assert.equal((await card(app))?.kind, kind, 'it is still there')
    await rm(join(dataDir, named === 'data' ? '' : named), { recursive: true })
    await clickOn(app, 'store-retry')
    await until('the card goes', async () => (await card(app)) === null)
    await untilShown(app, { names })
    await app.run('document.activeElement?.blur()')
    await app.press('n')
    await until('what was typed is there', () => app.run(`return document.activeElement?.value === 'kept as a draft'`))
    await app.press(KEY.enter, KEY.control)
    await until('the note is kept', async () => (await textOf(app, 'note-row'))?.includes('kept as a draft'))
    assert.ok(!stage.errors.includes('panicked'), stage.errors)
  })
}

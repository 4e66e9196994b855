// A log that cannot be opened gets a card: the mistake, its place, and the remedy.

import assert from 'node:assert/strict'
import { join } from 'node:path'

import { LIMIT, Stage, cwl, until } from './app.mjs'
import { KEY, textOf, untilAt, untilShown } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** Opens `path` and expects the card of `code`, naming the path. */
async function check(path, code, args = []) {
  const app = await stage.open([path, ...args])
  const card = await until(`the card for ${code}`, () =>
    app.run(`
      const card = document.querySelector('[data-testid="failure"]')
      return card && { code: card.dataset.code, text: card.textContent }
    `),
  )
  assert.equal(card.code, code)
  assert.ok(card.text.includes(path), `the card names the file: ${card.text}`)
  return { app, card }
}

const cases = [
  ['missing', async () => join(await stage.folder(), 'none.jsonl')],
  ['empty', () => stage.file('empty.jsonl', '')],
  ['binary', () => stage.file('picture.jsonl', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0xff, 0xfe, 0]))],
  ['unknownFormat', () => stage.file('notes.jsonl', '{"nothing":"of ours"}\n'.repeat(3))],
  ['notAFile', () => stage.folder()],
]

for (const [code, make] of cases) {
  test(`${code}: a card`, { timeout: LIMIT }, async () => {
    await check(await make(), code)
    assert.ok(!stage.errors.includes('panicked'), stage.errors)
  })
}

test('a wrong path leaves the open session as it is, and can be put right', { timeout: LIMIT }, async () => {
  const file = await stage.sample('pi/quickstart')
  const { episodes } = JSON.parse(await cwl('graph', file, '--json'))
  const app = await stage.open([file])
  await untilShown(app, { names: episodes.map(({ name }) => name) })
  await app.run('document.activeElement?.blur(); return 1')
  await app.press(KEY.home)
  await untilAt(app, 'the first turn', ({ turn }) => turn === 1)
  const wrong = join(await stage.folder(), 'none.jsonl')
  const ask = async () => {
    await app.press('o', KEY.control)
    await until('the field has the keyboard', () =>
      app.run(`return document.activeElement?.dataset.testid === 'open-path'`),
    )
    await app.type('[data-testid="open-path"]', wrong)
    await app.press(KEY.enter)
    const said = await until('it says why', () => textOf(app, 'not-opened'))
    assert.equal(await app.run(`return document.querySelector('[data-testid="open-path"]').value`), wrong)
    return said
  }
  assert.match(await ask(), /stays as it is/)
  await app.press(KEY.escape)
  await until('the dialog is closed', () => app.run(`return !document.querySelector('[data-testid="open-path"]')`))
  await untilShown(app, { names: episodes.map(({ name }) => name) })
  await untilAt(app, 'the same turn', ({ turn }) => turn === 1)
  // Put right, it opens.
  await ask()
  const other = await stage.sample('pi/compacted')
  await app.press('a', KEY.control)
  await app.type('[data-testid="open-path"]', other)
  await app.press(KEY.enter)
  await until('the other one is open', () =>
    app.run(`return document.querySelector('.session-name')?.dataset.path === arguments[0]`, other),
  )
  // One step back is the session and the turn of before.
  await app.run('document.activeElement?.blur(); return 1')
  await app.press(KEY.left, KEY.alt)
  await untilShown(app, { names: episodes.map(({ name }) => name) })
  await untilAt(app, 'the turn of before', ({ turn }) => turn === 1)
})

test('a failure has a way back', { timeout: LIMIT }, async () => {
  const { app } = await check(join(await stage.folder(), 'none.jsonl'), 'missing')
  await app.click('[data-testid="failure-back"]')
  await until('the start', () => app.run(`return !!document.querySelector('[data-testid="welcome"]')`))
})

test('without a target the window teaches and lists', { timeout: LIMIT }, async () => {
  const app = await stage.open([])
  await until('a welcome', async () => (await app.run('return document.body.innerText')).length > 40)
  assert.equal(await textOf(app, 'failure'), null, 'nothing is wrong')
})

test('an empty log shows its first lines when they come', { timeout: LIMIT }, async () => {
  const { appendFile, readFile } = await import('node:fs/promises')
  const path = await stage.file('new.jsonl', '')
  const { app } = await check(path, 'empty')
  const sample = await stage.sample('pi/quickstart')
  await appendFile(path, await readFile(sample))
  const retry = await app.run(`return !!document.querySelector('[data-testid="failure"] button')`)
  if (retry) await app.click('[data-testid="failure"] button')
  const { episodes } = JSON.parse(await cwl('graph', sample, '--json'))
  await untilShown(app, { names: episodes.map(({ name }) => name) })
})

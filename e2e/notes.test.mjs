// Notes, bookmarks and sessions kept on top are there after a restart, and every step can be taken back.

import assert from 'node:assert/strict'
import { join } from 'node:path'

import { LIMIT, Stage, until } from './app.mjs'
import { violations } from './axe.mjs'
import { KEY, clickOn, textOf, untilAt, untilShown } from './page.mjs'
import { after, before, test } from './runner.mjs'

const HOSTILE = '<img src=x onerror="window.cwlNote=1"> look here'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

const notes = (app) =>
  app.run(`return [...document.querySelectorAll('[data-testid="note"] p')].map((note) => note.textContent)`)

const untilNotes = (app, wanted) =>
  until(`the notes ${JSON.stringify(wanted)}`, async () => JSON.stringify(await notes(app)) === JSON.stringify(wanted))

const shows = (app, testId) =>
  until(`there is ${testId}`, () => app.run(`return !!document.querySelector('[data-testid="' + arguments[0] + '"]')`, testId))

const hides = (app, testId) =>
  until(`there is no ${testId}`, () => app.run(`return !document.querySelector('[data-testid="' + arguments[0] + '"]')`, testId))

const focused = (app, testId) =>
  until(`${testId} has the keyboard`, () => app.run(`return document.activeElement?.dataset.testid === arguments[0]`, testId))

/** Opens the editor of a block by its button, which shows when the block is pointed at or has the keyboard. */
async function writeOn(app, block) {
  await until('the block is listed', () =>
    app.run(
      `const button = document.querySelector('[data-block="' + arguments[0] + '"] [data-testid="note-write"]')
       button?.click()
       return !!button`,
      block,
    ),
  )
  await focused(app, 'note-text')
}

async function opened(dataDir, file) {
  const app = await stage.open([file, '--budget', '1m'], { dataDir })
  await untilShown(app, {})
  await until('blocks are listed', () => app.run(`return document.querySelectorAll('[data-block]').length > 2`))
  return app
}

/** The last block of the list: that is where the list stands when a session is opened, and where it stays. */
const lastBlock = (app) =>
  until('the end of the list', () =>
    app.run(`
      const list = document.querySelector('.rows')
      const last = list?.querySelector('.rows-place[data-index="' + (list.dataset.items - 1) + '"]')
      return last?.querySelector('[data-block]')?.dataset.block
    `),
  )

test('a note is written, kept, removed and put back', { timeout: LIMIT, window: true }, async () => {
  const file = await stage.sample('pi/quickstart')
  const dataDir = join(await stage.folder(), 'data')
  let app = await opened(dataDir, file)
  const block = await lastBlock(app)
  await writeOn(app, block)
  await app.type('[data-testid="note-text"]', HOSTILE)
  await app.press(KEY.enter, KEY.control)
  await hides(app, 'note-editor')
  await untilNotes(app, [HOSTILE])

  app = await opened(dataDir, file)
  await untilNotes(app, [HOSTILE])
  assert.equal(await app.run('return window.cwlNote ?? null'), null, 'a note is text')
  assert.equal(await app.run(`return document.querySelectorAll('#root img').length`), 0)
  await app.run(`document.querySelector('[data-testid="note-remove"]').click()`)
  await untilNotes(app, [])
  await until('it is said', async () => /Note removed/.test((await textOf(app, 'said')) ?? ''))
  await clickOn(app, 'said-action')
  await untilNotes(app, [HOSTILE])

  // Taken back further, and done again, by keys.
  await app.run('document.activeElement?.blur()')
  await writeOn(app, block)
  await app.type('[data-testid="note-text"]', ' and there')
  await app.press(KEY.enter, KEY.control)
  await untilNotes(app, [`${HOSTILE} and there`])
  await app.run('document.activeElement?.blur()')
  await app.press('z', KEY.control)
  await untilNotes(app, [HOSTILE])
  await app.press('z', KEY.control, KEY.shift)
  await untilNotes(app, [`${HOSTILE} and there`])
})

test('what is half written stays when it is left', { timeout: LIMIT, all: true }, async () => {
  const file = await stage.sample('pi/quickstart')
  const dataDir = join(await stage.folder(), 'data')
  let app = await opened(dataDir, file)
  const block = await lastBlock(app)
  await writeOn(app, block)
  await app.type('[data-testid="note-text"]', 'half a tho')
  await app.press(KEY.escape)
  await hides(app, 'note-editor')
  await shows(app, 'note-draft')
  await app.press(KEY.escape)
  await shows(app, 'note-draft')

  app = await opened(dataDir, file)
  await shows(app, 'note-draft')
  await clickOn(app, 'note-draft')
  await focused(app, 'note-text')
  assert.equal(await app.run(`return document.activeElement.value`), 'half a tho')
  await app.type('[data-testid="note-text"]', 'ught')
  await app.press(KEY.enter, KEY.control)
  await untilNotes(app, ['half a thought'])
  await hides(app, 'note-draft')
})

test('without a pointer: a note on the episode that is selected, and one on the session', { timeout: LIMIT, all: true }, async () => {
  const app = await opened(undefined, await stage.sample('pi/quickstart'))
  await app.run('document.activeElement?.blur()')
  await app.press('n')
  await focused(app, 'note-text')
  await app.type('[data-testid="note-text"]', 'of the whole')
  await app.press(KEY.enter, KEY.control)
  await shows(app, 'note-row')
  assert.deepEqual(await violations(app), [])
  await app.press(KEY.escape)
  await hides(app, 'notes-popup')

  await app.run(`document.querySelector('[data-testid="graph"] canvas').focus()`)
  await app.press(KEY.end)
  await app.press(KEY.enter)
  await shows(app, 'inspector')
  const episode = await app.run(`return document.querySelector('[data-testid="inspector"]').dataset.episode`)
  // In the graph itself letters find episodes by name.
  await app.run('document.activeElement?.blur()')
  await app.press('n')
  await focused(app, 'note-text')
  await app.type('[data-testid="note-text"]', 'of an episode')
  await app.press(KEY.enter, KEY.control)
  await untilNotes(app, ['of an episode'])
  await app.run('document.activeElement?.blur()')
  await app.press('N', KEY.shift)
  await shows(app, 'notes-popup')
  const rows = await app.run(`return [...document.querySelectorAll('[data-testid="note-row"]')].map((row) => row.textContent)`)
  assert.equal(rows.length, 2)
  assert.ok(rows[0].includes('of the whole') && rows[1].includes(`On ${episode}`), rows.join(' / '))
  assert.deepEqual(await violations(app), [])
})

test('a bookmark leads back to its turn, and can be renamed', { timeout: LIMIT, all: true }, async () => {
  const app = await opened(undefined, await stage.sample('pi/quickstart'))
  await app.run('document.activeElement?.blur()')
  await app.press(KEY.left, KEY.shift)
  await app.press(KEY.left, KEY.shift)
  const there = await untilAt(app, 'an earlier turn', ({ turn }) => turn > 0)
  await app.press('b')
  await until('it is said', async () => /Bookmark added/.test((await textOf(app, 'said')) ?? ''))
  await app.press(KEY.end)
  await untilAt(app, 'now', ({ turn }) => turn > there.turn)
  await app.press('N', KEY.shift)
  await shows(app, 'bookmark-row')
  await clickOn(app, 'bookmark-rename')
  await focused(app, 'bookmark-name')
  await app.run('document.activeElement.select()')
  await app.type('[data-testid="bookmark-name"]', `the loop${KEY.enter}`)
  await until('it has its new name', async () => (await textOf(app, 'bookmark-row'))?.includes('the loop'))
  await app.click('[data-testid="bookmark-row"] .made-go')
  await untilAt(app, 'back there', ({ turn }) => turn === there.turn)
  await hides(app, 'notes-popup')
})

test('a session is kept on top, and no longer', { timeout: LIMIT, all: true }, async () => {
  const app = await opened(undefined, await stage.sample('pi/quickstart'))
  await app.run('document.activeElement?.blur()')
  await app.press('b', KEY.control)
  const first = () => app.run(`return document.querySelector('.drawer-group')?.textContent ?? null`)
  await shows(app, 'session-row')
  assert.notEqual(await first(), 'Kept on top')
  await app.run('document.activeElement?.blur()')
  await app.press('*')
  await until('it is on top', async () => (await first()) === 'Kept on top')
  await app.run('document.activeElement?.blur()')
  await app.press('z', KEY.control)
  await until('it is where it was', async () => (await first()) !== 'Kept on top')
})

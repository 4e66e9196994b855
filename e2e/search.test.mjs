// Looking for texts in all sessions, and going to where they stand.

import assert from 'node:assert/strict'
import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { HOME, KIND, LIMIT, SAMPLES, Stage, keepPicture, until } from './app.mjs'
import { violations } from './axe.mjs'
import { KEY, clickOn, settled, textOf, themed, untilAt } from './page.mjs'
import { after, before, test } from './runner.mjs'

const FOLDER = join(HOME, '.pi/agent/sessions/--home-dev-tidewater--')
const LOGS = { quickstart: 'one.jsonl', long: 'two.jsonl', branches: 'three.jsonl' }
const pathOf = (name) => join(FOLDER, LOGS[name])

let stage
let dataDir
before(async () => {
  await mkdir(FOLDER, { recursive: true })
  for (const name of Object.keys(LOGS)) await copyFile(join(SAMPLES, 'pi', name, 'input.jsonl'), pathOf(name))
  stage = await Stage.start()
  dataDir = join(await stage.folder(), 'data')
})
after(() => stage?.stop())

/** Reads the results of a search in the drawer. */
function found(app) {
  return app.run(`
    const all = (id) => [...document.querySelectorAll('.drawer-list [data-testid="' + id + '"]')]
    return {
      query: document.querySelector('[data-testid="searched"]')?.dataset.query ?? null,
      said: document.querySelector('[data-testid="searched"]')?.textContent ?? '',
      sessions: all('session-row').map((row) => row.dataset.path),
      in: all('found').map((head) => head.dataset.path),
      hits: all('hit').map((hit) => ({
        block: hit.dataset.block,
        turn: Number(hit.dataset.turn),
        marks: [...hit.querySelectorAll('mark')].map((mark) => mark.textContent),
        held: hit.querySelector('[data-testid="held"]')?.dataset.held ?? null,
        nElements: hit.querySelectorAll('.hit-text *').length,
      })),
      more: all('more').map((row) => row.textContent),
      notes: all('drawer-note').map((note) => note.textContent),
      pending: document.querySelector('[data-testid="not-indexed"]') !== null,
    }
  `)
}

/** Types what is looked for, and waits for the answer of a whole index. */
async function search(app, query) {
  await app.run(`document.querySelector('[data-testid="find-session"]').select(); return 1`)
  await app.type('[data-testid="find-session"]', query)
  return until(`what is found for ${query}`, async () => {
    const now = await found(app)
    return now.query === query && !now.pending && now
  })
}

/** The window on a store that knows all three sessions, with the drawer open. */
async function opened() {
  let app
  for (const name of Object.keys(LOGS)) {
    app = await stage.open([pathOf(name)], { dataDir })
    await untilAt(app, `${name} is open`, ({ turn }) => turn > 0)
  }
  await app.press('b', KEY.control)
  await until('the drawer is open', () => app.run(`return !!document.querySelector('[data-testid="find-session"]')`))
  return app
}

const focused = (app) =>
  app.run(`
    const { dataset } = document.activeElement
    return dataset.block ?? dataset.path ?? dataset.testid ?? null
  `)

test('texts are found in all sessions, and a hit opens its session at the block', { timeout: LIMIT }, async () => {
  const app = await opened()
  const all = await search(app, 'ratelimited')
  assert.ok(all.in.includes(pathOf('quickstart')) && all.in.includes(pathOf('long')), `in ${all.in}`)
  for (const { marks, nElements } of all.hits) {
    assert.deepEqual([marks.length, nElements], [1, 1], 'one mark, and nothing else that the text could have made')
    assert.match(marks[0], /^ratelimited/i)
  }
  // The session that was opened last is told under the view, and under this view most of its texts are gone.
  const held = all.hits.map((hit) => hit.held)
  assert.ok(held.every((one) => one === 'true' || one === 'false'), `${held}`)
  assert.ok(all.more.some((label) => /more here$/.test(label)), `of many a few are shown: ${all.more}`)

  // By keys alone: into the list, to the second text, and there.
  await app.press(KEY.down)
  await until('a line has the keyboard', async () => (await focused(app)) !== 'find-session')
  const hit = (await found(app)).hits[1]
  for (let n = 0; n < 30 && (await focused(app)) !== hit.block; n += 1) {
    const before = await focused(app)
    await app.press(KEY.down)
    await until('the next line', async () => (await focused(app)) !== before)
  }
  await app.press(KEY.enter)
  await untilAt(app, 'its turn', ({ turn }) => turn === hit.turn)
  const place = await until('the block is in view and marked', () =>
    app.run(
      `
      const list = document.querySelector('[data-testid="context-list"]')?.getBoundingClientRect()
      const row = document.querySelector('.block.selected[data-block="' + arguments[0] + '"]')?.getBoundingClientRect()
      return row && row.bottom > list.top + 8 && row.top < list.bottom - 8 && { top: row.top - list.top }
    `,
      hit.block,
    ),
  )
  assert.ok(place)
  const marked = () =>
    app.run(`return [...document.querySelectorAll('.block.selected mark')].map((mark) => mark.textContent.toLowerCase())`)
  await until('the match is marked in it', async () => (await marked()).includes('ratelimited'))
  assert.equal(await focused(app), hit.block, 'the keyboard stays in the list')
  for (const theme of ['dark', 'light']) {
    await themed(app, theme)
    await settled(app)
    await keepPicture(app, `search-${theme}`)
    assert.deepEqual(await violations(app), [], theme)
  }
  await app.run(`document.querySelector('[data-testid="hit"]').focus(); return 1`)
  await app.press(KEY.escape)
  assert.equal(await focused(app), 'find-session', 'Esc leads back to the field')
  await app.press(KEY.escape)
  await until('a second one ends the search', async () => (await found(app)).hits.length === 0)
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('it looks in the open session alone where that is wanted', { timeout: 3 * LIMIT }, async () => {
  const app = await opened()
  await search(app, 'ratelimited')
  await clickOn(app, 'scope-session')
  const open = pathOf('branches')
  const alone = await until('only this session', async () => {
    const now = await found(app)
    return now.in.every((path) => path === open) && now.query === 'ratelimited' && now
  })
  assert.deepEqual(alone.sessions, [], 'names of sessions are not looked for then')
  await clickOn(app, 'scope-all')
  await until('all of them again', async () => (await found(app)).in.length > 1)
  await search(app, 'one.jsonl')
  assert.deepEqual((await found(app)).sessions, [pathOf('quickstart')], 'a session by the name of its file')
})

test('what cannot be looked for, and what is nowhere, says so', { timeout: LIMIT, all: true }, async () => {
  const app = await opened()
  await app.type('[data-testid="find-session"]', '--')
  await until('the host says why', async () => (await found(app)).notes.join().includes('letter or digit'))
  const none = await search(app, 'xyzzyplugh')
  assert.equal(none.notes.length, 1)
  assert.equal(none.said, '0 sessions, 0 texts found')
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('what was opened last stands first', { timeout: LIMIT, all: true }, async () => {
  const app = await opened()
  const recent = () =>
    app.run(`return [...document.querySelectorAll('[data-testid="recent-row"]')].map((row) => row.dataset.path)`)
  const [last] = await until('others are listed', async () => {
    const now = await recent()
    return now.length > 0 && now
  })
  assert.ok(!(await recent()).includes(pathOf('branches')), 'the open one is not among them')
  await app.run(`document.querySelector('[data-testid="recent-row"]').click(); return 1`)
  await until('it is open', () =>
    app.run(`return document.querySelector('.session-name')?.dataset.path === arguments[0]`, last),
  )
  await until('the one before is first now', async () => (await recent())[0] === pathOf('branches'))
  assert.equal(await textOf(app, 'failure'), null)
})

test('sessions that fit are offered where a path is asked for', { timeout: LIMIT, all: true }, async () => {
  const app = await opened()
  await app.press('o', KEY.control)
  await until('the dialog', () => app.run(`return document.activeElement?.dataset.testid === 'open-path'`))
  await app.type('[data-testid="open-path"]', 'two')
  const offered = () =>
    app.run(`return [...document.querySelectorAll('[data-testid="offered"] [data-path]')].map(({ dataset }) => dataset.path)`)
  assert.deepEqual(await until('what fits is offered', async () => (await offered()).length > 0 && offered()), [
    pathOf('long'),
  ])
  await app.press(KEY.down)
  await app.press(KEY.enter)
  await until('it is open', () =>
    app.run(`return document.querySelector('.session-name')?.dataset.path === arguments[0]`, pathOf('long')),
  )
})

test('of a file that is dropped a browser knows no place, so it is asked for', { timeout: LIMIT, skip: KIND !== 'browser', all: true }, async () => {
  const app = await opened()
  const drag = (name) =>
    app.run(
      `
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['x'], 'two.jsonl'))
      dataTransfer.items.add(new File(['x'], 'three.jsonl'))
      document.body.dispatchEvent(new DragEvent(arguments[0], { dataTransfer, bubbles: true, cancelable: true }))
      return document.querySelector('[data-testid="drop-overlay"]') !== null
    `,
      name,
    )
  const isOver = () => app.run(`return document.querySelector('[data-testid="drop-overlay"]') !== null`)
  await drag('dragenter')
  await until('it says that it may be dropped', isOver)
  await drag('dragleave')
  await until('and no longer', async () => !(await isOver()))
  await drag('dragenter')
  await drag('drop')
  await until('it says why it asks', async () => (await textOf(app, 'dropped'))?.includes('two.jsonl'))
  assert.equal(await isOver(), false)
  await settled(app)
  await keepPicture(app, 'dropped')
  assert.deepEqual(await violations(app), [])
  await app.run(`document.querySelector('[data-testid="offered"] [data-path]').click(); return 1`)
  await until('the session of that name is open', () =>
    app.run(`return document.querySelector('.session-name')?.dataset.path === arguments[0]`, pathOf('long')),
  )
})

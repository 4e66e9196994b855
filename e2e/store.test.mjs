// A store that cannot be used: logs open anyway, a card says what, where and the way out, and it goes when it is over.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { KIND, LIMIT, Stage, cwl, ended, until } from './app.mjs'
import { violations } from './axe.mjs'
import { KEY, clickOn, textOf, untilShown } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

const card = (app) =>
  app.run(`
    const card = document.querySelector('[data-testid="store-trouble"]')
    return card && { kind: card.dataset.kind, text: card.textContent }
  `)

/** Starts a program that stands before another one's arguments, with a file system of two megabytes at `data` that is full. */
const FULL = 'mount -t tmpfs -o size=2m tmpfs "$0" && { cat /dev/zero > "$0/filler" 2> /dev/null; exec "$@"; }'

/**
 * How a store cannot be used: the kind of it, a word of the sentence about it, and a way to make it so. That one answers how
 * to take it back, and what the app is to be started by, if that matters.
 */
const SPOILT = [
  [
    'unreachable',
    'data',
    async (data) => {
      await writeFile(data, '')
      return { mend: () => rm(data) }
    },
  ],
  [
    'damaged',
    'sessions.sqlite',
    async (data) => {
      await mkdir(data)
      const file = join(data, 'sessions.sqlite')
      await writeFile(file, 'no database at all. '.repeat(1000))
      return { mend: () => rm(file) }
    },
  ],
  [
    'locked',
    'sessions.sqlite',
    async (data, t) => {
      await stage.open([], { dataDir: data })
      await stage.close()
      // Another program that is in the middle of a change of both files.
      const other = spawn('sqlite3', [join(data, 'sessions.sqlite')], { stdio: ['pipe', 'pipe', 'inherit'] })
      t.after(() => ended(other))
      other.stdin.write(`ATTACH '${join(data, 'user.sqlite')}' AS user;\nBEGIN IMMEDIATE;\nSELECT 'has it';\n`)
      await once(other.stdout, 'data')
      return { mend: () => ended(other) }
    },
  ],
  [
    'full',
    'data',
    async (data) => {
      await mkdir(data)
      const by = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', FULL, data]
      return { by, mend: (app) => rm(`/proc/${app.pid}/root${data}/filler`) }
    },
    process.platform === 'linux' && KIND === 'browser' ? false : 'a disk is made for the served program alone, on Linux',
  ],
]

for (const [kind, named, spoil, skip = false] of SPOILT) {
  test(`${kind}: the log opens, notes are refused, and it ends with another try`, { timeout: LIMIT, skip, all: kind !== 'damaged' }, async (t) => {
    const file = await stage.sample('pi/quickstart')
    const dataDir = join(await stage.folder(), 'data')
    const { by, mend } = await spoil(dataDir, t)
    const { episodes } = JSON.parse(await cwl('graph', file, '--json'))
    const names = episodes.map(({ name }) => name)
    const app = await stage.open([file], { dataDir, by })
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
    await mend(app)
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

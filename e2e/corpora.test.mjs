// The table of a corpus: its rows are those of the tables, sorted and filtered, and a session opens from it.

import assert from 'node:assert/strict'
import { copyFile, mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { HOME, LIMIT, SAMPLES, Stage, cwl, keepPicture, until } from './app.mjs'
import { violations } from './axe.mjs'
import { KEY, clickOn, settled, textOf, themed, untilAt } from './page.mjs'
import { after, before, test } from './runner.mjs'

const CASES = ['pi/quickstart', 'pi/long', 'codex/quickstart', 'claude-code/quickstart', 'claude-code/compaction']
const FOLDER = join(HOME, '.pi/agent/sessions/--home-dev-tidewater--')
const HOSTILE = '<img src=x onerror="window.cwlHostile=1"><script>window.cwlHostile=1</script>'

let stage
let logs
before(async () => {
  stage = await Stage.start()
  logs = await stage.folder()
  for (const name of CASES)
    await copyFile(join(SAMPLES, name, 'input.jsonl'), join(logs, `${name.replace('/', '-')}.jsonl`))
  const quickstart = await readFile(join(logs, 'pi-quickstart.jsonl'), 'utf8')
  const first = quickstart.split('\n').find((line) => line.includes('"role":"user"'))
  const spoilt = JSON.parse(first)
  spoilt.message.content[0].text = HOSTILE
  await writeFile(join(logs, 'hostile.jsonl'), quickstart.replace(first, JSON.stringify(spoilt)))
  await writeFile(join(logs, 'odd.jsonl'), Buffer.from([0xff, 0xfe, 0, 1]))
})
after(() => stage?.stop())

/** Makes a corpus of some logs. */
async function made(of, ...words) {
  const folder = join(await stage.folder(), 'tables')
  await cwl('corpus', of, '--out', folder, ...words)
  return folder
}

const PLAIN = ['--with-texts', '--no-redact', '--i-know', '--runs', 'cwl,none@40k']

/** Returns the heads that the table shows, and the rows in view by their names, with the texts of their cells. */
function table(app) {
  return app.run(`
    const texts = (row) => [...row.children].map((cell) => cell.textContent.trim())
    const pane = document.querySelector('[data-testid="corpus"]')
    if (!pane) return null
    const places = (row) => Number(row.getAttribute('aria-rowindex'))
    const rows = [...document.querySelectorAll('[data-testid="corpus-row"]')].sort((a, b) => places(a) - places(b))
    return {
      n: Number(pane.dataset.rows),
      facts: document.querySelector('[data-testid="corpus-facts"]').textContent,
      heads: texts(document.querySelector('.corpus-table .table-head') ?? pane),
      sorted: document.querySelector('[aria-sort="ascending"], [aria-sort="descending"]')?.getAttribute('aria-sort') ?? null,
      rows: rows.map(texts),
      targets: rows.map((row) => row.dataset.target ?? null),
    }
  `)
}

const untilTable = (app, what, fits) =>
  until(what, async () => {
    const now = await table(app)
    return now && now.rows.every((cells) => cells.length > 1) && fits(now) && now
  })

const columnOf = ({ heads, rows }, name) => rows.map((cells) => cells[heads.indexOf(name)])

test('a corpus is a table that is sorted and filtered, and opens its sessions', { timeout: LIMIT }, async () => {
  const folder = await made(logs, ...PLAIN)
  const app = await stage.open([folder], { firstTab: true })
  const all = await untilTable(app, 'all logs are listed', ({ n, rows }) => n === 7 && rows.length === 7)
  assert.match(all.facts, /7 logs.*1 unreadable/)
  // The figures are those of the commands.
  const { n_turns: nTurns } = JSON.parse(await cwl('graph', join(logs, 'pi-long.jsonl'), '--json'))
  // The next request has no reply yet, and is none of those that were made.
  const isDown = (now) => now.sorted === 'descending' && columnOf(now, 'turns')[0] === String(nTurns - 1)
  const isUp = (now) => now.sorted === 'ascending' && columnOf(now, 'turns')[5] === String(nTurns - 1)
  await clickOn(app, 'sort-n_turns')
  const turns = columnOf(await untilTable(app, 'the longest stands first', isDown), 'turns')
  assert.deepEqual(turns.slice(0, 6), turns.slice(0, 6).toSorted((a, b) => Number(b) - Number(a)))
  assert.equal(turns[6], '', 'what has no value stands last')
  await clickOn(app, 'sort-n_turns')
  const turned = await untilTable(app, 'the shortest stands first', isUp)
  assert.equal(columnOf(turned, 'turns')[6], '', 'either way')
  // Words of any of the texts filter, and what is hostile is text.
  await app.type('[data-testid="corpus-find"]', 'onerror script')
  const hostile = await untilTable(app, 'one log has these words', ({ n, rows }) => n === 1 && rows.length === 1)
  assert.ok(hostile.rows[0][0].startsWith('<img src=x'), hostile.rows[0][0])
  assert.equal(await app.run(`return window.cwlHostile ?? document.querySelectorAll('.corpus img, .corpus script').length`), 0)
  await app.type('[data-testid="corpus-find"]', 'no such words')
  await until('nothing fits', () => app.run(`return !document.querySelector('[data-testid="corpus-row"]')`))
  await app.run(`[...document.querySelectorAll('.empty button')].at(-1).click(); return 1`)
  await untilTable(app, 'all are back', ({ n }) => n === 7)
  // A session opens under the policy of the tables, and back is the table as it was.
  await clickOn(app, 'sort-n_turns')
  const again = await untilTable(app, 'the longest stands first again', isDown)
  assert.equal(again.targets[0], join(logs, 'pi-long.jsonl'))
  await app.run(`document.querySelector('[data-testid="corpus-row"] .corpus-open').click(); return 1`)
  await untilAt(app, 'the session is open', ({ turn }) => turn > 0)
  await clickOn(app, 'to-corpus')
  const back = await untilTable(app, 'the table is back', isDown)
  assert.deepEqual(columnOf(back, 'turns'), turns)
  await app.run(`history.back(); return 1`)
  await untilAt(app, 'back is the session', ({ turn }) => turn > 0)
  await app.run(`history.back(); return 1`)
  await untilTable(app, 'and before it the table', ({ n }) => n === 7)
  // The keyboard alone does it, too.
  await app.run(`document.querySelector('.corpus-table').focus(); return 1`)
  await app.press(KEY.down)
  await app.press(KEY.enter)
  await untilAt(app, 'the first row is open', ({ turn }) => turn > 0)
})

test('columns are chosen, and stay chosen', { timeout: LIMIT, all: true }, async () => {
  const folder = await made(logs, ...PLAIN)
  let app = await stage.open([folder])
  const usual = await untilTable(app, 'the table is there', ({ rows }) => rows.length === 7)
  assert.ok(!usual.heads.includes('bytes') && usual.heads.includes('cheapest run'))
  assert.ok(columnOf(usual, 'cheapest run').some((cell) => /^(cwl@40,000|none)$/.test(cell)))
  await clickOn(app, 'corpus-columns')
  await clickOn(app, 'column-bytes')
  await clickOn(app, 'column-harness')
  const chosen = await untilTable(app, 'another column', ({ heads }) => heads.includes('bytes') && !heads.includes('harness'))
  assert.ok(columnOf(chosen, 'bytes').every((cell) => / k?B$|MB$/.test(cell)))
  app = await stage.open([folder])
  await untilTable(app, 'the choice is kept', ({ heads }) => heads.includes('bytes') && !heads.includes('harness'))
  await clickOn(app, 'corpus-columns')
  await app.run(`document.querySelector('.corpus-columns > button').click(); return 1`)
  await untilTable(app, 'the usual ones', ({ heads }) => heads.includes('harness') && !heads.includes('bytes'))
})

test('hashed tables open what lies in the folders of the harnesses', { timeout: LIMIT, all: true }, async () => {
  await mkdir(FOLDER, { recursive: true })
  await copyFile(join(SAMPLES, 'pi/quickstart/input.jsonl'), join(FOLDER, 'one.jsonl'))
  const folder = await made(logs)
  let app = await stage.open([folder])
  const hashed = await untilTable(app, 'the table is there', ({ rows }) => rows.length === 7)
  assert.ok(hashed.rows.every(([name]) => /^[0-9a-f]{16}/.test(name)))
  assert.match(hashed.facts, /none opens from here.*names are hashes/)
  assert.deepEqual(hashed.targets, hashed.targets.map(() => null))
  const found = await made(FOLDER)
  app = await stage.open([found])
  const placed = await untilTable(app, 'the one log is there', ({ n, rows }) => n === 1 && rows.length === 1)
  assert.equal(placed.rows[0][0], 'one.jsonl')
  await app.run(`document.querySelector('.corpus-open').click(); return 1`)
  await untilAt(app, 'it opens', ({ turn }) => turn > 0)
})

test('a corpus is opened by its path, and a folder that is none says so', { timeout: LIMIT, all: true }, async () => {
  const folder = await made(logs)
  const app = await stage.open([join(logs, 'pi-quickstart.jsonl')])
  await untilAt(app, 'a session is open', ({ turn }) => turn > 0)
  const open = async (path) => {
    await app.press('o', KEY.control)
    await until('the dialog is open', () => app.run(`return !!document.querySelector('[data-testid="open-path"]')`))
    await app.run(`document.querySelector('[data-testid="open-path"]').select(); return 1`)
    await app.type('[data-testid="open-path"]', path)
    await clickOn(app, 'open-submit')
  }
  await open(folder)
  await untilTable(app, 'the table is there', ({ n }) => n === 7)
  // A table that is damaged.
  await clickOn(app, 'sort-n_turns')
  const [part] = await readdir(join(folder, 'sessions'))
  await rename(join(folder, 'sessions', part), join(folder, 'kept'))
  await writeFile(join(folder, 'sessions', part), 'no table')
  await open(join(logs, 'pi-quickstart.jsonl'))
  await untilAt(app, 'a session is open', ({ turn }) => turn > 0)
  await open(folder)
  await until('it says what is the matter', () => app.run(`return document.querySelector('[data-testid="corpus-failure"]')?.dataset.code`))
  assert.match(await textOf(app, 'corpus-failure'), /cannot be read.*part-000000\.parquet.*--fresh/s)
  await rename(join(folder, 'kept'), join(folder, 'sessions', part))
  await app.run(`document.querySelector('[data-testid="corpus-failure"] button').click(); return 1`)
  await untilTable(app, 'trying again shows the table', ({ n }) => n === 7)
  // A folder of logs.
  await open(logs)
  await until('it says that this is a folder', () =>
    app.run(`return document.querySelector('[data-testid="failure"], [data-testid="not-opened"]')?.dataset.code === 'notAFile'`),
  )
})

test('the table can be read in both themes by everyone', { timeout: LIMIT, all: true }, async () => {
  const app = await stage.open([await made(logs, ...PLAIN)])
  await untilTable(app, 'the table is there', ({ rows }) => rows.length === 7)
  for (const theme of ['light', 'dark']) {
    await themed(app, theme)
    await settled(app)
    await keepPicture(app, `corpus-${theme}`)
    assert.deepEqual(await violations(app), [])
  }
})

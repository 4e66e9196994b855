// A log that grows while it is shown.

import assert from 'node:assert/strict'
import { appendFile, copyFile, mkdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { HOME, LIMIT, SAMPLES, Stage, cwl, until } from './app.mjs'
import { KEY, position, shown, untilAt, untilShown } from './page.mjs'
import { after, before, test } from './runner.mjs'
import { Writer } from './writer.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

async function names(file) {
  return JSON.parse(await cwl('graph', file, '--json')).episodes.map(({ name }) => name)
}

/** A sample's text up to a share of its lines, and the rest. */
async function halves(share) {
  const text = await readFile(join(SAMPLES, 'pi/quickstart/input.jsonl'), 'utf8')
  const lines = text.split(/(?<=\n)/)
  const at = Math.floor(lines.length * share)
  return [lines.slice(0, at).join(''), lines.slice(at).join('')]
}

test('lines that are appended become nodes, and the cut on `now` goes along', { timeout: LIMIT, window: true }, async () => {
  const [first, rest] = await halves(0.5)
  const file = await stage.file('live.jsonl', first)
  const app = await stage.open([file])
  const early = await names(file)
  await untilShown(app, { names: early })
  const at = await untilAt(app, 'the cut is on now', ({ turn }) => turn > 0)

  // A writer does not know about lines: half of one, then everything but the end, then the end.
  const middle = Buffer.from(rest)
  for (const piece of [middle.subarray(0, 100), middle.subarray(100, -1), middle.subarray(-1)]) {
    await appendFile(file, piece)
  }
  const late = await names(file)
  assert.ok(late.length > early.length, 'the second half has episodes of its own')
  await untilShown(app, { names: late })
  await untilAt(app, 'the cut went along', ({ turn }) => turn > at.turn)
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('live is a log that is being written, in the header and in the list', { timeout: LIMIT }, async () => {
  const folder = join(HOME, '.pi/agent/sessions/--home-dev-liveness--')
  await mkdir(folder, { recursive: true })
  const [old, now] = [join(folder, 'old.jsonl'), join(folder, 'now.jsonl')]
  for (const path of [old, now]) await copyFile(join(SAMPLES, 'pi/quickstart/input.jsonl'), path)
  const before = new Date(Date.now() - 3_600_000)
  await utimes(old, before, before)
  try {
    const app = await stage.open([old])
    const header = () => app.run(`return document.querySelector('[data-testid="live"]')?.dataset.live`)
    await until('an old log is idle', async () => (await header()) === 'false')
    await app.press('b', KEY.control)
    // The other one was never opened.
    const listed = () =>
      app.run(`
        return Object.fromEntries(
          [...document.querySelectorAll('[data-testid="session-row"]')].map((row) => [
            row.dataset.path,
            [row.querySelector('.live-dot').dataset.live, row.querySelector('[data-testid="twin"]')?.textContent ?? ''],
          ]),
        )
      `)
    const rows = await until('both are listed', async () => {
      const rows = await listed()
      return rows[old] && rows[now] && rows
    })
    assert.deepEqual([rows[old][0], rows[now][0]], ['false', 'true'])
    assert.deepEqual([rows[old][1], rows[now][1]], ['old.jsonl', 'now.jsonl'], 'one title, told apart')
    await appendFile(old, '{"type":"custom","id":"c1","parentId":null,"customType":"beat"}\n')
    await until('it is written again', async () => (await header()) === 'true')
    await until('the list says so, too', async () => (await listed())[old]?.[0] === 'true')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('a cut in the past stays where it is', { timeout: LIMIT }, async () => {
  const [first, rest] = await halves(0.5)
  const file = await stage.file('live.jsonl', first)
  const app = await stage.open([file, '--turn', '3'])
  await untilAt(app, 'turn 3', ({ turn }) => turn === 3)
  await untilShown(app, { names: await names(file) })
  await appendFile(file, rest)
  await untilShown(app, { names: await names(file) })
  assert.equal((await position(app)).turn, 3, 'new content does not move who looks at old content')
})

test('a log that is written anew is read anew', { timeout: LIMIT, window: true }, async () => {
  const [first, rest] = await halves(0.5)
  const file = await stage.file('live.jsonl', first + rest)
  const app = await stage.open([file])
  await untilShown(app, { names: await names(file) })
  await writeFile(file, first)
  await untilShown(app, { names: await names(file) })
  await writeFile(`${file}.new`, first + rest)
  await rename(`${file}.new`, file)
  await untilShown(app, { names: await names(file) })
})

test('a log that is deleted stays inspectable, also after a restart', { timeout: LIMIT }, async () => {
  const dataDir = join(await stage.folder(), 'data')
  const file = await stage.sample('pi/quickstart')
  const all = await names(file)
  const app = await stage.open([file], { dataDir })
  await untilShown(app, { names: all })
  await rm(file)
  const again = await stage.open([file], { dataDir })
  await untilShown(again, { names: all })
  assert.deepEqual((await shown(again)).names, all)
})

test('a log is left as it is', { timeout: LIMIT }, async () => {
  const file = await stage.sample('pi/quickstart')
  const before = await readFile(file)
  const app = await stage.open([file])
  await untilShown(app, { names: await names(file) })
  await stage.close()
  assert.ok(before.equals(await readFile(file)), 'not a byte was written')
})

test('the demo goes on by itself', { timeout: LIMIT }, async () => {
  const app = await stage.open(['--demo'])
  const at = await untilAt(app, 'the demo has begun', ({ turn }) => turn > 0)
  await untilAt(app, 'the demo went on', ({ turn }) => turn > at.turn)
  await until('its first episode', async () => (await shown(app))?.names.length > 0, 60_000)
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

/** Reads the positions that must not move while lines come in. */
function still(app) {
  return app.run(`
    const list = document.querySelector('[data-testid="context-list"]')
    const top = list.getBoundingClientRect().top
    const first = [...list.querySelectorAll('[data-block]')]
      .map((row) => [row.dataset.block, Math.round(row.getBoundingClientRect().top - top)])
      .sort((a, b) => a[1] - b[1])
      .find(([, at]) => at >= 0)
    const field = document.activeElement
    return {
      first,
      scrolled: Math.round(list.scrollTop),
      field: [field.dataset.testid ?? field.tagName, field.value, field.selectionStart, field.selectionEnd],
      selected: document.querySelector('.inspector h2')?.textContent ?? null,
      link: new URLSearchParams(location.search).get('episode'),
    }
  `)
}

test('lines that come in steal no scroll, focus, selection or cut', { timeout: LIMIT, window: true }, async () => {
  const file = await stage.sample('pi/long')
  const app = await stage.open([file, '--turn', '120'])
  await untilAt(app, 'turn 120', ({ turn }) => turn === 120)
  const { names: before } = await until('the graph', () => shown(app))

  // An episode is selected, the list is scrolled, half a word in a field is selected.
  await until('a block of an episode', () =>
    app.run(`
      const chip = document.querySelector('[data-testid="context-list"] .chip')
      chip?.click()
      return chip !== null
    `),
  )
  await until('the list stands somewhere', () =>
    app.run(`
      const list = document.querySelector('[data-testid="context-list"]')
      if (list.scrollTop === 700) return true
      list.scrollTop = 700
      return false
    `),
  )
  await app.run(`document.querySelector('[data-testid="tau-input"]').focus(); return 1`)
  await app.run(`document.activeElement.setSelectionRange(1, 3); return 1`)
  let held
  await until('everything rests', async () => {
    const now = JSON.stringify(await still(app))
    const same = now === held
    held = now
    return same
  })
  const { turn, step } = await position(app)
  const { first, link, field } = JSON.parse(held)
  assert.ok(first && link, 'a row is in view, and an episode is selected')
  assert.deepEqual([field[0], ...field.slice(2)], ['tau-input', 1, 3])

  const writer = await Writer.at(file)
  for (let n = 0; n < 10; n += 1) await writer.append(10)
  const unseen = () => app.run(`return document.querySelector('[data-testid="new-turns"]')?.textContent ?? ''`)
  await until('it says how many are new', async () => /^50 new turns/.test(await unseen()))
  assert.equal(JSON.stringify(await still(app)), held)
  const now = await position(app)
  assert.deepEqual([now.turn, now.step], [turn, step])
  assert.deepEqual((await shown(app)).names, before)

  // Following is a choice, and it ends as it began.
  await app.run(`document.activeElement.blur(); return 1`)
  await app.press('f')
  const last = await untilAt(app, 'the cut follows', ({ turn }) => turn > 400)
  assert.equal(await unseen(), '', 'nothing is new any more')
  await writer.append(10)
  await untilAt(app, 'and goes along', ({ turn }) => turn === last.turn + 5)
  await app.press('f')
  await writer.append(10)
  await until('new ones are counted again', async () => /^5 new turns/.test(await unseen()))
  assert.equal((await position(app)).turn, last.turn + 5)
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

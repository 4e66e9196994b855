// Links: what the window shows can be opened again, and back and forward go through what was chosen.

import assert from 'node:assert/strict'
import { join } from 'node:path'

import { LIMIT, Stage, cwl, until } from './app.mjs'
import { KEY, clickOn, position, reload, setBudget, untilAt, untilShown } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** Reads the address as an object. */
async function address(app) {
  return Object.fromEntries(new URLSearchParams(await app.run('return location.search')))
}

const selected = (app) =>
  app.run(`return document.querySelector('[data-testid="inspector"]')?.dataset.episode ?? null`)
const tab = (app) => app.run(`return document.querySelector('[role=tab][aria-selected=true]')?.dataset.testid`)

test('a link leads to a turn, a step, a view, an episode and a tab', { timeout: LIMIT, window: true }, async () => {
  const file = await stage.sample('pi/quickstart')
  const { turns, episodes } = JSON.parse(await cwl('replay', file, '--budget', '12k', '--json'))
  const { turn, steps } = turns.find((turn) => turn.steps.length > 1)
  const episode = steps[0].episode
  const query = new URLSearchParams({ session: file, turn, step: 1, tau: '12k', policy: 'cwl', episode, tab: 'evicted' })
  const app = await stage.open([`cwl-inspector://open?${query}`])
  await untilShown(app, { names: episodes.map(({ name }) => name) })
  await untilAt(app, 'the turn and step of the link', (at) => at.turn === turn && at.step === 1)
  await until('the episode of the link is selected', async () => (await selected(app)) === episode)
  await until('the tab of the link', async () => (await tab(app)) === 'tab-evicted')
  assert.equal(await app.run(`return document.querySelector('[data-testid="tau-input"]').value`), '12k')

  // The page that is loaded again is where it was.
  await reload(app)
  await untilAt(app, 'the same place', (at) => at.turn === turn && at.step === 1)
  await until('the same episode', async () => (await selected(app)) === episode)
  await until('the address says it again', async () => (await address(app)).tau === '12k')
})

test('an act says which explorations could go if it went', { timeout: LIMIT, all: true }, async () => {
  const file = await stage.sample('pi/quickstart')
  const { episodes, edges } = JSON.parse(await cwl('graph', file, '--json'))
  const actsOf = (from) => edges.filter(([one]) => one === from).map(([, to]) => to)
  const [freed, [act]] = edges.map(([from]) => [from, actsOf(from)]).find(([, acts]) => acts.length === 1)
  const query = new URLSearchParams({ session: file, tau: '900k', policy: 'cwl', episode: episodes[act].name })
  const app = await stage.open([`cwl-inspector://open?${query}`])
  await untilShown(app, { names: episodes.map(({ name }) => name) })
  await until('the episode of the link is selected', async () => (await selected(app)) === episodes[act].name)
  await until('the exploration that nothing else draws on is named', () =>
    app.run(`return document.querySelector('[data-testid="frees"]')?.textContent.includes(arguments[0]) ?? false`, episodes[freed].name),
  )
})

test('back and forward go through what was chosen', { timeout: LIMIT, all: true }, async () => {
  const file = await stage.sample('pi/quickstart')
  const app = await stage.open([file])
  const last = (await untilAt(app, 'the newest turn', (at) => at.turn > 1)).turn
  await clickOn(app, 'tab-evicted')
  await setBudget(app, '12k')
  await until('the address has the budget', async () => (await address(app)).tau === '12k')
  await app.run('document.activeElement?.blur(); return 1')
  await app.press(KEY.home)
  await untilAt(app, 'the first turn', (at) => at.turn === 1)
  await until('the address has the turn', async () => (await address(app)).turn === '1')

  await app.press(KEY.left, KEY.alt)
  await untilAt(app, 'back at the newest turn', (at) => at.turn === last)
  assert.equal((await address(app)).tau, '12k')
  await app.press(KEY.left, KEY.alt)
  await until('back at the default budget', async () => (await address(app)).tau === undefined)
  assert.equal(await tab(app), 'tab-evicted')
  await app.press(KEY.left, KEY.alt)
  await until('back at the first tab', async () => (await tab(app)) === 'tab-context')
  for (const n of [1, 2, 3]) {
    await app.press(KEY.right, KEY.alt)
    await until(`forward ${n}`, async () => (await address(app)).tab === 'evicted')
  }
  await untilAt(app, 'forward at the first turn', (at) => at.turn === 1)
  assert.deepEqual(await position(app), { turn: 1, step: 0, steps: 0 })
  assert.equal((await address(app)).tau, '12k')
})

/** The policies that are compared, the main one first. */
const compared = (app) =>
  app.run(`return [...document.querySelectorAll('[data-testid^="compare-policy-"]')].map((one) => one.dataset.value)`)

test('a link to a comparison leads to its columns', { timeout: LIMIT, all: true }, async () => {
  const file = await stage.sample('pi/quickstart')
  const query = new URLSearchParams({ session: file, tab: 'compare', with: 'window;tau=9k' })
  const app = await stage.open([`cwl-inspector://open?${query}`])
  await until('the column of the link', async () => (await compared(app)).join() === 'cwl,window')
  await clickOn(app, 'compare-add')
  await until('another column', async () => (await compared(app)).length === 3)
  const three = (await compared(app)).join()
  const link = await until('the address has both', async () => {
    const search = await app.run('return location.search')
    return new URLSearchParams(search).getAll('with').length === 2 && search
  })
  assert.equal(new URLSearchParams(link).getAll('with')[0], 'window;tau=9k')
  await app.run('document.activeElement?.blur(); return 1')
  await app.press(KEY.left, KEY.alt)
  await until('back at one column', async () => (await compared(app)).join() === 'cwl,window')
  await app.press(KEY.right, KEY.alt)
  await until('forward at two', async () => (await compared(app)).join() === three)

  // Where nothing of it is remembered.
  await app.run(`localStorage.clear(); return 1`)
  await stage.open([`cwl-inspector://open${link}`]).then((other) =>
    until('the same columns elsewhere', async () => (await compared(other)).join() === three),
  )
})

test('a link to a session that is not there says so', { timeout: LIMIT }, async () => {
  const app = await stage.open(['cwl-inspector://open?session=/nowhere/at/all.jsonl&turn=3'])
  const code = await until('the failure', () =>
    app.run(`return document.querySelector('[data-testid="failure"]')?.dataset.code`),
  )
  assert.equal(code, 'missing')
  await until('it can be tried again', async () => (await address(app)).turn === '3')
})

/** The answer of the window to a link: what it shows first. */
const answerTo = (app) =>
  until('an answer to the link', () =>
    app.run(`
      const asked = document.querySelector('[data-testid="link-path"]')
      if (asked) return { asked: asked.textContent }
      const failure = document.querySelector('[data-testid="failure"]')
      if (failure) return { refused: failure.dataset.code }
      const opened = document.querySelector('.session-name')?.dataset.path
      return opened ? { opened } : null
    `),
  )
const link = (session) => `cwl-inspector://open?${new URLSearchParams({ session })}`

test('a link opens what is known, asks about another file, and opens no device', { timeout: LIMIT, window: true }, async () => {
  const file = await stage.sample('pi/quickstart')
  const dataDir = join(await stage.folder(), 'data')
  const ask = (session) => stage.open([link(session)], { dataDir, asks: true })

  let app = await ask(file)
  assert.deepEqual(await answerTo(app), { asked: file })
  await app.click('[data-testid="link-leave"]')
  await until('the start, and nothing is asked', () =>
    app.run(`
      const shown = (id) => document.querySelector('[data-testid="' + id + '"]') !== null
      return shown('welcome') && !shown('link-path')
    `),
  )

  app = await ask(file)
  assert.deepEqual(await answerTo(app), { asked: file })
  await app.click('[data-testid="link-open"]')
  await until('the file is open', () =>
    app.run(`return document.querySelector('.session-name')?.dataset.path === arguments[0]`, file),
  )

  app = await ask(file)
  assert.deepEqual(await answerTo(app), { opened: file }, 'it is known now')

  for (const refused of ['/dev/zero', `${file}/../../../dev/zero`, '//server/share/a.jsonl', 'file:///etc/passwd'])
    assert.deepEqual(await answerTo(await ask(refused)), { refused: 'refused' }, refused)
  assert.deepEqual(await answerTo(await ask('no-such-session')), { refused: 'missing' })

  // A path on the command line is the person's own.
  const other = await stage.sample('pi/compacted')
  assert.deepEqual(await answerTo(await stage.open([other], { dataDir })), { opened: other })
})

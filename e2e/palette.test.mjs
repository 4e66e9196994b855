// The palette, the help and the settings: everything that can be done is found by its name, with the keyboard alone.

import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'

import { LIMIT, Stage, cwl, until } from './app.mjs'
import { KEY, reload, textOf, untilAt, untilShown } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

async function opened(sample = 'pi/quickstart') {
  const file = await stage.sample(sample)
  const { episodes } = JSON.parse(await cwl('graph', file, '--json'))
  const names = episodes.map(({ name }) => name)
  const app = await stage.open([file, '--budget', '12k'])
  await untilShown(app, { names })
  return { app, names, file }
}

const FIELD = '[data-testid="palette-field"]'
const isThere = (app, testId) => app.run(`return document.querySelector('[data-testid="' + arguments[0] + '"]') !== null`, testId)
const lines = (app) =>
  app.run(`return [...document.querySelectorAll('[data-testid="palette-list"] [role=option]')].map((line) => line.dataset.key)`)
const focus = (app) => app.run(`return document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName`)

/** Opens the palette, types and waits until it shows what `fits`. */
async function search(app, typed, fits) {
  await app.press('k', KEY.control)
  await until('the palette has the keyboard', () =>
    app.run(`return document.activeElement === document.querySelector(arguments[0])`, FIELD),
  )
  if (typed !== '') await app.type(FIELD, typed)
  return until(`something is found for ${typed}`, async () => {
    const found = await lines(app)
    return fits(found) && found
  })
}

async function choose(app) {
  await app.press(KEY.enter)
  await until('the palette is closed', async () => !(await isThere(app, 'palette')))
}

test('an episode is found, selected and shown, and the keyboard is back where it was', { timeout: LIMIT, window: true }, async () => {
  const { app, names } = await opened()
  await app.run(`document.querySelector('[role=listbox]').focus(); return 1`)
  const before = await focus(app)
  const wanted = names.at(-1)
  await search(app, `@${wanted}`, (found) => found[0] === `episode:${wanted}`)
  await choose(app)
  await until('it is selected', () =>
    app.run(`return document.querySelector('[role=option][aria-selected=true]')?.dataset.episode === arguments[0]`, wanted),
  )
  await until('the keyboard is back', async () => (await focus(app)) === before)
})

test('turns, budgets, policies and commands are places to go', { timeout: LIMIT, all: true }, async () => {
  const { app } = await opened()
  await search(app, '#3', (found) => found[0] === 'turn:3')
  await choose(app)
  await untilAt(app, 'turn 3', ({ turn }) => turn === 3)

  await search(app, 'τ 9k', (found) => found[0] === 'budget:9k')
  await choose(app)
  await until('the budget is 9k', () => app.run(`return document.querySelector('[data-testid="tau-input"]').dataset.budget === '9000'`))

  await search(app, 'policy mask', (found) => found[0] === 'policy:mask')
  await choose(app)
  await until('the policy is mask', () => app.run(`return document.querySelector('[data-testid="policy"]').dataset.value === 'mask'`))

  const found = await search(app, '>evicted', (found) => found.length === 1)
  assert.deepEqual(found, ['command:tab.evicted'])
  await choose(app)
  await until('the tab is open', () =>
    app.run(`return document.querySelector('[data-testid="tab-evicted"]').getAttribute('aria-selected') === 'true'`),
  )

  const first = await search(app, '', (found) => found.length > 5)
  assert.deepEqual(first.slice(0, 2), ['command:tab.evicted', 'policy:mask'], 'what was used last comes first')
})

test('nothing is found, and Escape leads back', { timeout: LIMIT }, async () => {
  const { app } = await opened()
  await app.run(`document.querySelector('[data-testid="tab-context"]').focus(); return 1`)
  await search(app, '>xyzzy', (found) => found.length === 0)
  assert.match(await textOf(app, 'palette'), /Nothing matches/)
  await app.press(KEY.escape)
  await until('the palette is closed', async () => !(await isThere(app, 'palette')))
  await until('the keyboard is back', () => app.run(`return document.activeElement?.dataset.testid === 'tab-context'`))
})

test('a word in the texts of the session, and a word of the field, are found', { timeout: LIMIT, all: true }, async () => {
  const { app } = await opened()
  const found = await search(app, 'retry', (found) => found.some((key) => key.startsWith('hit:')))
  for (let n = found.indexOf('texts'); n > 0; n -= 1) await app.press(KEY.down)
  await choose(app)
  await until('the drawer shows hits of this session', () =>
    app.run(`return document.querySelector('[data-testid="scope-session"]')?.checked && document.querySelectorAll('.hit-row').length > 0`),
  )
  await search(app, 'glossary pass', (found) => found[0]?.startsWith('word:'))
  await choose(app)
  await until('the help is open', () => isThere(app, 'help-find'))
})

test('what people ask first is answered: help, glossary, guide, cost, and a word of the context', { timeout: LIMIT }, async () => {
  const { app } = await opened()
  const answers = { help: 'command:help', glossary: 'word:', guide: 'guide:', cost: 'word:cost' }
  for (const [typed, key] of Object.entries(answers)) {
    await search(app, typed, (found) => found.some((line) => line.startsWith(key)))
    await app.press(KEY.escape)
    await until('the palette is closed', async () => !(await isThere(app, 'palette')))
  }
  const found = await search(app, 'backoff', (found) => found.some((line) => line.startsWith('hit:')))
  const hit = found.find((line) => line.startsWith('hit:'))
  for (let n = found.indexOf(hit); n > 0; n -= 1) await app.press(KEY.down)
  await choose(app)
  await until('the block is in view, with the word marked', () =>
    app.run(
      `const block = document.querySelector('[data-testid=context-list] [data-block="' + arguments[0] + '"]')
      return block !== null && [...block.querySelectorAll('mark')].some((mark) => /backoff/i.test(mark.textContent))`,
      hit.slice('hit:'.length),
    ),
  )
  await search(app, 'mark episodes', (found) => found[0]?.startsWith('guide:'))
  await choose(app)
  await until('the help shows the topic', async () => /delimiter/.test((await textOf(app, 'help-guide')) ?? ''))
})

test('the help lists every key and can be searched', { timeout: LIMIT, all: true }, async () => {
  const { app } = await opened()
  await app.press('?')
  await until('the help is open', () => isThere(app, 'help-find'))
  const rows = () => app.run(`return [...document.querySelectorAll('.help-sections dt')].map((row) => row.textContent)`)
  const all = await rows()
  assert.ok(all.length > 40, `${all.length} rows`)
  await until('its field has the keyboard', () => app.run(`return document.activeElement?.dataset.testid === 'help-find'`))
  await app.type('[data-testid="help-find"]', 'ctrl k')
  await until('one is left', async () => (await rows()).length === 1)
})

test('what is set is seen at once, remembered, and can be reset', { timeout: LIMIT, window: true }, async () => {
  const { app } = await opened()
  const root = () =>
    app.run(`
      const { theme, contrast, motion } = document.documentElement.dataset
      const size = parseFloat(getComputedStyle(document.querySelector('[data-testid="tau-input"]')).fontSize)
      return { theme, contrast, motion, size, graph: document.querySelector('.graph').getBoundingClientRect().height > 50 }
    `)
  const set = async (testId, value) => {
    await until(`${testId} is there`, () => isThere(app, testId))
    await app.run(
      `document.querySelector('[data-testid="' + arguments[0] + '"]' + (arguments[1] ? ' input[value="' + arguments[1] + '"]' : '')).click(); return 1`,
      testId,
      value,
    )
  }
  const usual = await root()
  await app.press(',', KEY.control)
  await set('set-theme', 'dark')
  await set('set-contrast', 'high')
  await set('set-motion', 'reduced')
  await set('set-text', '4')
  await set('set-graph', '')
  const wanted = { theme: 'dark', contrast: 'high', motion: 'reduced', size: usual.size * 1.5, graph: false }
  const asWanted = async () => isDeepStrictEqual(await root(), wanted)
  await until('the page looks so', asWanted)

  await reload(app)
  await until('the page is there', () => app.run(`return document.querySelector('.graph') !== null`))
  await until('it does so after the page is loaded again', asWanted)

  await app.press(',', KEY.control)
  await set('reset-settings', '')
  await until('it is as it was', async () => (await root()).size === usual.size && (await root()).graph)
})

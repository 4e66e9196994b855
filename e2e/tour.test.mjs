// The tour of the window: offered at the first start, never forced, and each stop beside its part. And the tooltips, which say what a
// figure means and where it comes from.

import assert from 'node:assert/strict'

import { LIMIT, Stage, keepPicture, until } from './app.mjs'
import { KEY, clickOn, settled, textOf } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

const isThere = (app, testid) => app.run(`return !!document.querySelector('[data-testid="' + arguments[0] + '"]')`, testid)

/** The pointer comes to rest on a part. */
const rest = (app, testid) =>
  app.run(
    `
    const part = document.querySelector('[data-testid="' + arguments[0] + '"]')
    part.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, pointerType: 'mouse' }))
    return 1
  `,
    testid,
  )

/** The stop that shows, and whether its card and its part are in view. */
const stop = (app) =>
  app.run(`
    const card = document.querySelector('[data-testid="tour"]')
    const part = document.querySelector('.toured')
    if (!card || !part) return null
    const inView = (one) => {
      const { left, right, top, bottom, width } = one.getBoundingClientRect()
      return width > 0 && left >= -1 && right <= innerWidth + 1 && top >= -1 && bottom <= innerHeight + 1
    }
    return { name: card.dataset.stop, words: card.innerText, card: inView(card), part: inView(part) }
  `)

/** Opens the window as at its first start: a browser remembers the tour from test to test. */
async function offered(size) {
  const before = await stage.open([], { ...size, firstTab: true })
  await before.run(`localStorage.removeItem('cwl-inspector.tour'); return 1`)
  const app = await stage.open([], { ...size, firstTab: true })
  await until('it is offered', () => isThere(app, 'tour-offer'))
  return app
}

const STOPS = ['overview', 'graph', 'budget', 'evicted', 'duel']

for (const [width, height] of [
  [1440, 900],
  [1280, 720],
]) {
  test(`five stops on the sample, each in view, ${width} × ${height}`, { timeout: 2 * LIMIT, all: width > 1280 }, async () => {
    const app = await offered({ width, height })
    assert.ok(!(await isThere(app, 'tour')), 'and does not begin by itself')
    await clickOn(app, 'tour-start')
    for (const [n, name] of STOPS.entries()) {
      const found = await until(`the stop ${name}`, async () => {
        const now = await stop(app)
        return now?.name === name && now
      })
      assert.ok(found.words.includes(`Step ${n + 1} of 5`), found.words)
      await until(`${name} and its card are in view`, async () => {
        const now = await stop(app)
        return now?.card && now.part
      })
      await settled(app)
      await keepPicture(app, `tour-${n + 1}-${width}`)
      if (n < STOPS.length - 1) await clickOn(app, 'tour-next')
    }
    await clickOn(app, 'tour-duel')
    await until('the duel', () => isThere(app, 'duel'))
    assert.ok(!(await isThere(app, 'tour')), 'the tour is over')
    assert.equal(stage.errors, '', 'nothing went wrong on the page')
  })
}

test('it is refused, left with Esc, and found in the palette', { timeout: 2 * LIMIT, all: true }, async () => {
  const app = await offered()
  await clickOn(app, 'tour-refuse')
  await until('it is offered no more', async () => !(await isThere(app, 'tour-offer')))
  await clickOn(app, 'open-sample')
  await until('the sample', () => isThere(app, 'duel-open'))
  assert.ok(!(await isThere(app, 'tour')))
  await app.run('document.activeElement?.blur(); return 1')
  await app.press('k', KEY.control)
  await until('the palette', () => isThere(app, 'palette-field'))
  await app.type('[data-testid="palette-field"]', 'tour of the window')
  await until('the command', () => app.run(`return /Tour of the window/.test(document.querySelector('[data-testid="palette-list"]')?.innerText ?? '')`))
  await app.press(KEY.enter)
  await until('the first stop', async () => (await stop(app))?.name === 'overview')
  await app.press(KEY.escape)
  await until('it is left', async () => !(await isThere(app, 'tour')))
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('a tooltip explains a figure and names its origin', { timeout: 2 * LIMIT }, async () => {
  const file = await stage.sample('pi/quickstart')
  const app = await stage.open([file, '--budget', '8k'])
  await until('the figures', () => isThere(app, 'totals'))
  const titled = () => app.run(`return document.querySelector('[data-testid="totals"]').title`)
  const title = await titled()
  const words = await until('the tooltip', async () => {
    // A list that scrolls meanwhile takes the tooltip away.
    await rest(app, 'totals')
    return textOf(app, 'tooltip')
  })
  assert.ok(words.startsWith(title) && /Origin: Every figure is counted in .+/.test(words), words)
  await rest(app, 'play')
  await until('that of another part', async () => /Play/.test((await textOf(app, 'tooltip')) ?? ''))
  assert.equal(await titled(), title, 'the title is where it was')
  await app.press(KEY.escape)
  await until('a key takes it away', async () => (await textOf(app, 'tooltip')) === null)
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

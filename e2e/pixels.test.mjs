// Parts of the window as they were last accepted, pixel by pixel, each once, on fixed data. Whole pages are for people: `make
// screenshots`. `make pixels` accepts what is there now.

import assert from 'node:assert/strict'
import { copyFile, readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'

import { build } from '../ui/node_modules/vite/dist/node/index.js'
import { HOME, KIND, LIMIT, SAMPLES, Stage, until } from './app.mjs'
import { ROOT } from './ground.mjs'
import { clickOn, settled, shown } from './page.mjs'
import { ACCEPTED, IS_BLESSING, compare } from './pixels.mjs'
import { after, before, test } from './runner.mjs'

/** Today, as the page sees it: the sample is some days older. */
const NOW = new Date('2026-06-15T12:00:00Z')
const WRITTEN = new Date('2026-06-12T09:30:00Z')
/** In the middle of a pass, an episode chosen. */
const PLACE = { turn: '236', step: '12', tau: '60k', policy: 'cwl', episode: 'survey-tracking-parameters' }

/** How many pictures may be kept, and of how many bytes together. */
const MOST = { files: 20, bytes: 600_000 }

const PANEL = '[role=tabpanel]:not([hidden])'
/** The parts of each tab: their names, and selectors of them. */
const PARTS = [
  {
    theme: 'dark',
    tab: 'context',
    parts: {
      'top-bar': '.topbar',
      tabs: '.tabs',
      transport: '.transport',
      graph: '[data-testid=graph]',
      strip: '.strip',
      'block-row': '[data-testid=context-list] .rows-place',
    },
  },
  { theme: 'dark', tab: 'diff', parts: { 'diff-row': '[data-testid=diff-list] .rows-place' } },
  { theme: 'dark', tab: 'problems', parts: { 'problem-row': `${PANEL} .rows-place` } },
  { theme: 'dark', tab: 'reacquisitions', parts: { story: '[data-testid=story]' } },
  {
    theme: 'light',
    tab: 'evicted',
    parts: {
      legend: '.legend',
      timeline: '[data-testid=timeline]',
      'episode-card': '.inspector',
      'evicted-row': '[data-testid=evicted-list] .rows-place',
    },
  },
  { theme: 'light', tab: 'episodes', parts: { 'episode-row': '[data-testid=episode-row]' } },
  { theme: 'light', tab: 'compare', parts: { 'compare-head': '[data-testid=compare-table][data-busy=false] thead' } },
  { theme: 'light', tab: 'reacquisitions', parts: { 'story-row': '[data-testid=story-row]' } },
]

/** The pages of the gallery (`ui/src/gallery`), which shows every widget in its states: the name of a picture, and what it is of. */
const WIDGETS = {
  'widgets-light': ['?theme=light', '[data-testid=widgets]'],
  'widgets-dark': ['?theme=dark', '[data-testid=widgets]'],
  dialog: ['?theme=dark&dialog', '[role=dialog]'],
}
const GALLERY = join(ROOT, 'test-output/gallery')
const GALLERY_HOST = 'http://gallery.test/'

const options = { timeout: 2 * LIMIT, skip: KIND !== 'browser' && 'a window has no still pictures' }

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** Lists begin at their end, which is where rows are measured that were not in view before. */
const toTop = (app) =>
  app.run(`
    for (const element of document.querySelectorAll('[role=tabpanel], [role=tabpanel] *')) element.scrollTop = 0
    return 1
  `)

/** Hides the home directory: a path in a picture does not depend on where the test ran. */
const anonymous = (app) =>
  app.run(
    `
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walk.nextNode()) {
      const node = walk.currentNode
      if (node.data.includes(arguments[0])) node.data = node.data.replaceAll(arguments[0], '/home/nobody')
    }
    return 1
  `,
    HOME,
  )

test('each part of the window looks as it was accepted', options, async () => {
  const file = join(await stage.folder(), 'session.jsonl')
  await copyFile(join(SAMPLES, 'pi/long/input.jsonl'), file)
  await utimes(file, WRITTEN, WRITTEN)
  const app = await stage.open([`cwl-inspector://open?${new URLSearchParams({ session: file, ...PLACE })}`], { now: NOW })
  await until('the graph is drawn, and the tabs tell their counts', async () => {
    const isCounted = await app.run(`return ['problems', 'reacquisitions'].every((tab) => document.querySelector('[data-testid="tab-' + tab + '"] .badge'))`)
    return isCounted && shown(app)
  })
  const wrong = []
  for (const { theme, tab, parts } of PARTS) {
    await app.prefer(theme)
    await clickOn(app, `tab-${tab}`)
    for (const [name, selector] of Object.entries(parts))
      await until(`${name} is there`, () => app.run('return document.querySelector(arguments[0]) !== null', selector))
    await app.run('document.activeElement?.blur(); return 1')
    await settled(app)
    await toTop(app)
    await settled(app)
    await anonymous(app)
    assert.deepEqual(await app.foreignTexts(), [])
    for (const [name, selector] of Object.entries(parts))
      wrong.push(await compare(name, await app.pictureOf(selector), stage.host.version))
  }
  assert.deepEqual(wrong.filter(Boolean), [])
})

test('each widget looks as it was accepted', options, async () => {
  const ui = join(ROOT, 'ui')
  await build({
    root: ui,
    configFile: join(ui, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: GALLERY, emptyOutDir: true, rolldownOptions: { input: join(ui, 'gallery.html') } },
  })
  const page = await stage.host.newPage()
  await page.setViewportSize({ width: 800, height: 900 })
  await page.route(`${GALLERY_HOST}**`, (route) => route.fulfill({ path: join(GALLERY, new URL(route.request().url()).pathname) }))
  const wrong = []
  for (const [name, [query, selector]] of Object.entries(WIDGETS)) {
    await page.goto(`${GALLERY_HOST}gallery.html${query}`)
    await page.evaluate(() => document.fonts.ready)
    const picture = await page.locator(selector).screenshot({ animations: 'disabled' })
    wrong.push(await compare(name, picture, stage.host.version))
  }
  await page.close()
  assert.deepEqual(wrong.filter(Boolean), [])
})

test('no picture is kept of what is not looked at, and all of them are small', options, async () => {
  const names = [...PARTS.flatMap(({ parts }) => Object.keys(parts)), ...Object.keys(WIDGETS)].map((name) => `${name}.png`)
  const kept = (await readdir(ACCEPTED).catch(() => [])).filter((name) => name.endsWith('.png'))
  const odd = kept.filter((name) => !names.includes(name))
  if (IS_BLESSING) for (const name of odd) await rm(join(ACCEPTED, name))
  else assert.deepEqual(odd, [])
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(ACCEPTED, name))).size))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  assert.ok(names.length <= MOST.files && bytes <= MOST.bytes, `${names.length} pictures of ${bytes} bytes`)
})

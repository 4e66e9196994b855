// The main views as they were last accepted, pixel by pixel: both themes, three widths; the tabs
// without a layout of their own at one. `make pixels` accepts what is
// there now.

import assert from 'node:assert/strict'
import { copyFile, readdir, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { HOME, KIND, LIMIT, SAMPLES, Stage, until } from './app.mjs'
import { settled } from './page.mjs'
import { ACCEPTED, IS_BLESSING, compare } from './pixels.mjs'

const THEMES = ['dark', 'light']
const SIZES = [
  [1000, 700],
  [1440, 900],
  [1920, 1080],
]
/** Today, as the page sees it: the sample is some days older. */
const NOW = new Date('2026-06-15T12:00:00Z')
const WRITTEN = new Date('2026-06-12T09:30:00Z')
/** Where in the sample most pictures are: in the middle of a pass, an episode chosen. */
const PLACE = { turn: '236', step: '12', tau: '60k', policy: 'cwl', episode: 'survey-tracking-parameters' }

/** The graph is drawn, and what is asked after it has come: findings and stories are counted in their tabs. */
const drawn = (app) =>
  until('the graph is drawn, and the tabs tell their counts', () =>
    app.run(`
      const isCounted = (tab) => !!document.querySelector('[data-testid="tab-' + tab + '"] .badge')
      return !!document.querySelector('[data-episodes]') && ['problems', 'regrets'].every(isCounted)
    `),
  )
const shows = (app, what, selector) =>
  until(what, () => app.run(`return document.querySelector(arguments[0]) !== null`, selector))

/** The other tabs: what each shows when its answer is there. */
const TABS = {
  diff: '[data-testid=diff-list] .rows-place',
  body: '[data-testid=body-json] .rows-inner > *',
  episodes: '[data-testid=episode-row]',
  problems: '[data-testid=lint-sum]',
  compactions: '[role=tabpanel]:not([hidden]) .empty > :nth-child(2)',
  regrets: '[data-testid=story-place] .place-text',
}

/** One size is enough for what has no layout of its own. */
const ONE = [[1440, 900]]

/** The pictures: where the app is opened, and a check that it is there. Without `sizes` there are all. */
const VIEWS = {
  ...Object.fromEntries(
    Object.entries(TABS).map(([tab, selector]) => [
      tab,
      {
        tab,
        sizes: ONE,
        async reach(app) {
          await drawn(app)
          await shows(app, 'the tab is there', selector)
        },
      },
    ]),
  ),
  drawer: {
    tab: 'context',
    sizes: ONE,
    async reach(app) {
      await drawn(app)
      await app.click('[data-testid=toggle-sessions]')
      await shows(app, 'the session is listed', '.drawer-list [role=listitem]')
    },
  },
  zoom: {
    tab: 'context',
    sizes: ONE,
    async reach(app) {
      await drawn(app)
      for (let n = 0; n < 4; n += 1) await app.press('+')
    },
  },
  welcome: { reach: (app) => shows(app, 'the welcome is there', '[data-testid=welcome]') },
  failure: { at: '/nowhere/session.jsonl', reach: (app) => shows(app, 'the card is there', '[data-testid=failure]') },
  // With the frame of the row that has the keyboard.
  context: {
    tab: 'context',
    async reach(app) {
      await drawn(app)
      await toTop(app)
      await settled(app)
      await app.press('j')
    },
  },
  evicted: { tab: 'evicted', reach: drawn },
  compare: {
    tab: 'compare',
    async reach(app) {
      await drawn(app)
      await shows(app, 'the figures are there', '[data-testid=compare-table][data-busy=false] [data-testid=compare-said]')
    },
  },
  presenter: {
    tab: 'context',
    async reach(app) {
      await drawn(app)
      await app.press('p')
      await shows(app, 'the presentation is on', '[data-testid=presentation]')
    },
  },
}

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

for (const [view, { at, tab, reach, sizes = SIZES }] of Object.entries(VIEWS)) {
  const options = { timeout: 2 * LIMIT, skip: KIND !== 'browser' && 'a window has no still pictures' }
  test(`${view} looks as it was accepted`, options, async () => {
    // A browser of its own, in which nothing was opened before.
    const stage = await Stage.start()
    try {
      const file = join(await stage.folder(), 'session.jsonl')
      await copyFile(join(SAMPLES, 'pi/long/input.jsonl'), file)
      await utimes(file, WRITTEN, WRITTEN)
      const link = `cwl-inspector://open?${new URLSearchParams({ session: file, ...PLACE, tab })}`
      const target = tab ? [link] : at ? [at] : []
      const app = await stage.open(target, { now: NOW })
      await reach(app)
      await settled(app)
      assert.deepEqual(await app.foreignTexts(), [])
      const wrong = []
      for (const theme of THEMES) {
        await app.prefer(theme)
        for (const [width, height] of sizes) {
          await app.resize(width, height)
          await settled(app)
          await toTop(app)
          await settled(app)
          await anonymous(app)
          wrong.push(await compare(`${view}-${theme}-${width}`, await app.picture(), stage.host.version))
        }
      }
      stage.complain()
      assert.deepEqual(wrong.filter(Boolean), [])
    } finally {
      await stage.stop()
    }
  })
}

test('no picture is kept of what is not looked at', { skip: KIND !== 'browser' }, async () => {
  const names = Object.entries(VIEWS).flatMap(([view, { sizes = SIZES }]) =>
    THEMES.flatMap((theme) => sizes.map(([width]) => `${view}-${theme}-${width}.png`)),
  )
  const odd = (await readdir(ACCEPTED).catch(() => [])).filter((name) => name.endsWith('.png') && !names.includes(name))
  if (IS_BLESSING) for (const name of odd) await rm(join(ACCEPTED, name))
  else assert.deepEqual(odd, [])
})

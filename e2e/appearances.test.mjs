// One walk through all views in one look after another: a size of the window, a theme, a contrast and a size of text. In each view no
// words are cut or lie over others, and axe finds nothing: contrast in every look, and in the first one names and structure too. Tabs
// are walked as the page lists them, so that a new one is walked as well.

import assert from 'node:assert/strict'

import { KIND, LIMIT, SAMPLES, Stage, keepPicture, until } from './app.mjs'
import { violations } from './axe.mjs'
import { faultsOfPage, faultsOfWords, legendOf } from './layout.mjs'
import { KEY, chooseLook, clickOn, closeSettings, shown } from './page.mjs'
import { after, before, test } from './runner.mjs'

/** As in `TEXT_SCALES`. */
const SCALES = [0.875, 1, 1.125, 1.25, 1.5]
const SIZES = [
  [900, 700],
  [1000, 700],
  [1280, 720],
  [1440, 900],
  [1920, 1080],
]
const THEMES = ['dark', 'light'].flatMap((theme) => ['normal', 'high'].map((contrast) => ({ theme, contrast })))

const look = ([width, height], { theme, contrast }, text) => ({
  width, height, theme, contrast, text,
  name: `${width} × ${height}, ${theme}, ${contrast} contrast, text ${SCALES[text]}`,
})
/** The looks that `make test` walks: both themes, one with the size of text at which there is little room. */
const GATE = [
  look([1440, 900], { theme: 'dark', contrast: 'normal' }, 1),
  look([1280, 720], { theme: 'light', contrast: 'normal' }, 3),
]
/** Both themes with high contrast, at the least room. */
const HIGH = [
  look([1000, 700], { theme: 'light', contrast: 'high' }, 1),
  look([1000, 700], { theme: 'dark', contrast: 'high' }, 4),
]
const names = [...GATE, ...HIGH].map(({ name }) => name)
/** Each size with each size of text; themes and contrasts take turns, so that each meets all of both. */
const OTHERS = SIZES.flatMap((size, n) => SCALES.map((_, text) => look(size, THEMES[(n + text) % THEMES.length], text)))
const ALL = [...GATE, ...HIGH, ...OTHERS.filter(({ name }) => !names.includes(name))]
// The window takes several times as long, and its looks differ by styles alone.
const LOOKS = KIND === 'window' ? [GATE[0], HIGH[0]] : ALL

let stage
before(async () => (stage = await Stage.start({ width: 2000, height: 1300 })))
after(() => stage?.stop())

const has = (app, selector) => app.run('return document.querySelector(arguments[0]) !== null', selector)
const shows = (app, what, selector) => until(`${what} is there`, () => has(app, selector))
const hides = (app, what, selector) => until(`${what} is gone`, async () => !(await has(app, selector)))

/** The part of each tab that is there when its answer is; other tabs have any words. */
const ANSWERS = {
  'tab-context': '[data-testid=context-list] .rows-place',
  'tab-evicted': '[data-testid=evicted-list] .rows-place',
  'tab-diff': '[data-testid=diff-list] .rows-place',
  'tab-body': '[data-testid=body-json]',
  'tab-episodes': '[data-testid=episode-row]',
  'tab-problems': '[data-testid=lint-sum]',
  'tab-compare': '.compare-figures:has([data-testid=compare-table][data-busy=false]) [data-testid=verdict-said]',
  'tab-compactions': '[role=tabpanel]:not([hidden]) .empty > :nth-child(2)',
  'tab-reacquisitions': '[data-testid=story-place] .place-text',
}

const escape = (app) => app.press(KEY.escape)
/** The views besides the tabs: how each is known to be there, how it is opened, and how it is closed. */
const OVERLAYS = [
  ['the presentation', '[data-testid=presentation]', (app) => app.press('p'), escape],
  ['the help', '[data-testid=help-find]', (app) => app.press('?'), escape],
  ['the palette', '[data-testid=palette-field]', (app) => app.press('k', KEY.control), escape],
  ['the dialog that opens a log', '[data-testid=open-path]', (app) => app.press('o', KEY.control), escape],
  ['the sessions', '[data-testid=session-row]', (app) => clickOn(app, 'toggle-sessions'), (app) => clickOn(app, 'toggle-sessions')],
  ['the legend', '[data-testid=legend-popup] dt', (app) => clickOn(app, 'legend-all'), escape],
]

/** Waits until nothing is asked and all words stand still, and returns what is wrong with them. */
async function settledWords(app) {
  let [last, nAlike] = ['', 0]
  return until('all words stand still', async () => {
    const now = await faultsOfWords(app)
    nAlike = now.places === last ? nAlike + 1 : 0
    last = now.places
    return nAlike === 2 && now
  })
}

/** Looks at one view after another, and keeps what is wrong. */
class ViewCheck {
  wrong = []

  constructor(app, look) {
    this.app = app
    this.look = look
    this.rules = { all: look === LOOKS[0] }
  }

  async see(view, nLeast = 5) {
    // Blocks that the harness puts in stand at the top.
    await this.app.run(`for (const list of document.querySelectorAll('.rows')) list.scrollTop = 0; return 1`)
    const { nWords, cut, over } = await settledWords(this.app)
    assert.ok(nWords >= nLeast, `${nWords} words were found in ${view}`)
    const found = [
      ...cut.map((text) => `"${text}" is cut`),
      ...over.map((pair) => `one over the other: ${pair}`),
      ...(await violations(this.app, this.rules)),
    ]
    if (found.length > 0) await keepPicture(this.app, `${this.look.name}, ${view}`.replace(/[^\w.]+/g, '-'), { isFault: true })
    this.wrong.push(...found.map((what) => `${view}: ${what}`))
  }

  /** Opens the settings, sees them, and chooses there how the page looks. */
  async choose() {
    await chooseLook(this.app, this.look)
    await this.see('settings')
    await closeSettings(this.app)
  }

  async tabs() {
    const { app } = this
    const tabs = await app.run(`return [...document.querySelectorAll('.tabs [role=tab]')].map((tab) => tab.dataset.testid)`)
    assert.ok(tabs.length > 5, 'the tabs are found')
    for (const tab of tabs) {
      await clickOn(app, tab)
      await until(`${tab} is chosen`, () => has(app, `[data-testid=${tab}][aria-selected=true]`))
      if (ANSWERS[tab]) await shows(app, `what ${tab} shows`, ANSWERS[tab])
      else await until(`${tab} shows words`, () => app.run(`return document.querySelector('[role=tabpanel]:not([hidden])').innerText.length > 20`))
      await this.see(tab, 15)
    }
  }

  async overlays() {
    for (const [view, selector, open, close] of OVERLAYS) {
      await open(this.app)
      await shows(this.app, view, selector)
      await this.see(view)
      await close(this.app)
      await hides(this.app, view, selector)
    }
  }

  /** The legend names all that it marks, and nothing of it is cut; the window has no scroll bars and no empty drawing. */
  async frame() {
    const { app, look } = this
    const { cut, levels, all, unseen, said } = await legendOf(app)
    this.wrong.push(...cut.map((mark) => `the legend: "${mark}" is cut`))
    assert.equal(said, unseen, 'the legend says how many signs have no room')
    if (look.width >= 1280 && SCALES[look.text] <= 1) assert.equal(levels, 5, 'there is room for all levels')
    await clickOn(app, 'legend-all')
    await shows(app, 'the list of all marks', '[data-testid=legend-popup] dt')
    const listed = await app.run(`return document.querySelectorAll('[data-testid=legend-popup] dt').length`)
    assert.equal(listed, all + 6, 'levels, heights and marks')
    await escape(app)
    await hides(app, 'the list of all marks', '[data-testid=legend-popup] dt')
    assert.deepEqual(await faultsOfPage(app), { wide: 0, high: 0, blank: 0 }, 'no scroll bars of the window, no empty canvas')
  }
}

/** In the middle of a pass, where the legend has most to say. */
const PLACE = new URLSearchParams({ session: `${SAMPLES}/pi/long/input.jsonl`, turn: '236', step: '12', tau: '60k' })

for (const look of LOOKS) {
  const options = { timeout: 3 * LIMIT, all: !GATE.includes(look) }
  test(`every view can be read: ${look.name}`, options, async () => {
    const app = await stage.open([`cwl-inspector://open?${PLACE}`], look)
    await until('the graph is drawn', () => shown(app))
    await shows(app, 'what was read again', '[data-testid=legend-reacquisition]')
    const walk = new ViewCheck(app, look)
    await walk.choose()
    await walk.frame()
    await walk.tabs()
    await walk.overlays()
    assert.deepEqual(walk.wrong, [])
    assert.equal(stage.errors, '', 'nothing went wrong on the page')
  })

  test(`what is shown without a session can be read: ${look.name}`, options, async () => {
    const app = await stage.open([await stage.file('empty.jsonl', '')], look)
    await shows(app, 'the failure', '[data-testid=failure]')
    const walk = new ViewCheck(app, look)
    await walk.choose()
    await walk.see('failure')
    await clickOn(app, 'failure-back')
    await shows(app, 'the welcome', '[data-testid=welcome]')
    await walk.see('welcome')
    assert.deepEqual(walk.wrong, [])
  })
}

test('axe would say so', { timeout: LIMIT }, async () => {
  const app = await stage.open([])
  await shows(app, 'the welcome', '[data-testid=welcome]')
  await app.run(`document.body.append(document.createElement('button')); return 1`)
  assert.match((await violations(app)).join(), /button-name/)
})

// Reads the page and acts in it. The element of the graph tells the state of all episodes.

import { until } from './app.mjs'

const GRAPH = '[data-episodes]'

/** The graph as the page shows it: names and levels by place, `null` before it is drawn. */
export function shown(app) {
  return app.run(`
    return document.querySelector('${GRAPH}')?.drawnEpisodes() ?? null
  `)
}

/** Waits until the page shows exactly these episodes with these levels; what is left out may be anything. */
export async function untilShown(app, { names, levels }) {
  let last
  const same = (a, b) => b === undefined || JSON.stringify(a) === JSON.stringify(b)
  try {
    return await until('the graph is as expected', async () => {
      last = await shown(app)
      return last && same(last.names, names) && same(last.levels, levels) && last
    })
  } catch (error) {
    const wanted = JSON.stringify({ names, levels })
    throw new Error(`${error.message}\nwanted ${wanted}\nshown  ${JSON.stringify(last)}`, { cause: error })
  }
}

/** Where the cut is: turn, step, and how many steps the turn has. */
export function position(app) {
  return app.run(`
    const at = document.querySelector('[data-turn][data-step]')
    return at && { turn: Number(at.dataset.turn), step: Number(at.dataset.step), steps: Number(at.dataset.steps) }
  `)
}

/** Waits until the cut is where `fits` says. */
export async function untilAt(app, what, fits) {
  return until(what, async () => {
    const at = await position(app)
    return at && fits(at) && at
  })
}

/** Types a token budget over the one that is there. */
export async function setBudget(app, text) {
  const field = '[data-testid="tau-input"]'
  await app.click(field)
  await until('what was there is selected', () =>
    app.run(`
      const field = document.querySelector(arguments[0])
      return document.activeElement === field && field.selectionEnd - field.selectionStart === field.value.length
    `, field),
  )
  await app.type(field, `${text}${KEY.enter}`)
}

/** The middle of an element, for the pointer. */
export function middleOf(app, selector) {
  return app.run(`
    const { left, top, width, height } = document.querySelector(arguments[0]).getBoundingClientRect()
    return { x: left + width / 2, y: top + height / 2 }
  `, selector)
}

/** The middle of an episode's box in the graph, which shows the whole session. */
export function middleOfEpisode(app, episodes, { first_turn, last_turn, kind }) {
  return app.run(
    `
      const { left, width, top, height } = document.querySelector('[data-testid="graph"] canvas').getBoundingClientRect()
      const { turns, first, last, isAct } = arguments[0]
      return { x: left + (width * (first + last) / 2) / turns, y: top + height * (isAct ? 0.64 : 0.4) }
    `,
    {
      turns: Math.max(...episodes.map((episode) => episode.last_turn)) + 1,
      first: first_turn - 1,
      last: last_turn,
      isAct: kind === 'act',
    },
  )
}

export function clickOn(app, testId) {
  return app.click(`[data-testid="${testId}"]`)
}

/** The text of the first element with a test id, `null` without one. */
export function textOf(app, testId) {
  return app.run(`return document.querySelector('[data-testid="' + arguments[0] + '"]')?.textContent ?? null`, testId)
}

/** Keys by their WebDriver code points. */
export const KEY = {
  back: '\uE003',
  tab: '\uE004',
  left: '\uE012',
  right: '\uE014',
  up: '\uE013',
  down: '\uE015',
  home: '\uE011',
  end: '\uE010',
  enter: '\uE007',
  escape: '\uE00C',
  shift: '\uE008',
  alt: '\uE00A',
  control: '\uE009',
  space: ' ',
}

/** Loads the page again, and waits until it is another one. */
export async function reload(app) {
  await app.run('window.isPageBefore = true; setTimeout(() => location.reload()); return 1')
  await until('the page is there again', () =>
    app.run(`return !window.isPageBefore && document.readyState === 'complete'`),
  )
}

/** Opens the page anew with these settings, as if a person had made them before. */
export async function withSettings(app, settings) {
  await app.run(`localStorage.setItem('cwl-inspector.settings', JSON.stringify(arguments[0])); return 1`, settings)
  await reload(app)
  await until('the graph is drawn', () => shown(app))
}

/** Presses the theme button until the page has this theme. */
export async function themed(app, theme) {
  const now = () => app.run('return document.documentElement.dataset.theme ?? null')
  await until('the window has its buttons', () => app.run(`return !!document.querySelector('[data-testid="theme"]')`))
  for (let n = 0; n < 3 && (await now()) !== theme; n += 1) {
    const before = await now()
    await clickOn(app, 'theme')
    await until('another theme', async () => (await now()) !== before)
  }
}

const SETTINGS = '[data-testid=settings]'

/** Opens the dialog of settings, and chooses there how the page looks: theme, contrast, and the size of text by its place. */
export async function chooseLook(app, { theme, contrast = 'normal', text = 1 }) {
  // A window that has just come up may not have the keyboard yet; an open dialog takes no second press.
  await until('the settings are open', async () => {
    if (await app.run('return document.querySelector(arguments[0]) !== null', SETTINGS)) return true
    await app.press(',', KEY.control)
    return false
  })
  await app.run(
    `for (const [name, value] of arguments[0])
      document.querySelector('[data-testid="set-' + name + '"] input[value="' + value + '"]').click()
    return 1`,
    [['theme', theme], ['contrast', contrast], ['text', String(text)]],
  )
  await until('the page looks so', () =>
    app.run(
      `const now = document.documentElement.dataset
      return now.theme === arguments[0] && now.contrast === arguments[1]`,
      theme,
      contrast,
    ),
  )
}

export async function closeSettings(app) {
  await app.press(KEY.escape)
  await until('the settings are closed', () => app.run('return document.querySelector(arguments[0]) === null', SETTINGS))
}

/** Waits until fonts are there and three pictures in a row are alike: nothing loads or moves any more. */
export async function settled(app) {
  await until('fonts are loaded', () => app.run(`return document.fonts.status === 'loaded'`))
  let same = 0
  let last
  await until('the picture stands still', async () => {
    const picture = await app.glance()
    same = picture === last ? same + 1 : 0
    last = picture
    return same === 2
  })
}

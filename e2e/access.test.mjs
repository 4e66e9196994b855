// The window for those who do not see it or do not use a pointer, checked by axe in the real window.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { KIND, LIMIT, Stage, cwl, keepPicture, until } from './app.mjs'
import { violations } from './axe.mjs'
import { KEY, shown, untilShown } from './page.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

async function opened() {
  const file = await stage.sample('pi/quickstart')
  const { episodes } = JSON.parse(await cwl('graph', file, '--json'))
  const app = await stage.open([file, '--budget', '12k'])
  await untilShown(app, { names: episodes.map(({ name }) => name) })
  return app
}

/** Chooses in the settings how the page looks. */
async function looking(app, { theme, contrast, text }) {
  // A window that has just come up may not have the keyboard yet; an open dialog takes no second press.
  await until('the settings are open', async () => {
    if (await there(app, '[data-testid="settings"]')) return true
    await app.press(',', KEY.control)
    return false
  })
  await app.run(
    `for (const [name, value] of arguments[0])
      document.querySelector('[data-testid="set-' + name + '"] input[value="' + value + '"]').click()
    return 1`,
    [['theme', theme], ['contrast', contrast], ['text', text]],
  )
  await until('the page looks so', () =>
    app.run(
      `const { theme, contrast } = document.documentElement.dataset
      return theme === arguments[0] && contrast === arguments[1]`,
      theme,
      contrast,
    ),
  )
}

const there = (app, selector) => app.run(`return document.querySelector(arguments[0]) !== null`, selector)

async function escaped(app, selector) {
  await app.press(KEY.escape)
  await until(`${selector} is closed`, async () => !(await there(app, selector)))
}

const LOOKS = [
  { theme: 'dark', contrast: 'normal', text: '1' },
  { theme: 'light', contrast: 'normal', text: '1' },
  { theme: 'dark', contrast: 'high', text: '1' },
  { theme: 'light', contrast: 'high', text: '1' },
  { theme: 'light', contrast: 'normal', text: '4' },
]

/** The panes that open over the session, by their keys. */
const OVERLAYS = [
  { what: 'palette', keys: ['k', KEY.control], selector: '[data-testid="palette-field"]' },
  { what: 'help', keys: ['?'], selector: '[data-testid="help-find"]' },
  { what: 'open dialog', keys: ['o', KEY.control], selector: '[data-testid="open-path"]' },
  { what: 'presentation', keys: ['p'], selector: '[data-testid="presentation"]' },
]

// A window takes several times longer to look at, and its looks differ by styles alone.
for (const look of KIND === 'window' ? [LOOKS[0], LOOKS[3]] : LOOKS) {
  const name = `${look.theme}, ${look.contrast} contrast${look.text === '4' ? ', largest text' : ''}`
  test(`axe has nothing to say of a session: ${name}`, { timeout: 2 * LIMIT }, async () => {
    const rules = { all: look === LOOKS[0] }
    const app = await opened()
    await looking(app, look)
    assert.deepEqual(await violations(app, rules), [], 'settings')
    await escaped(app, '[data-testid="settings"]')
    const nTabs = await app.run(`return document.querySelectorAll('.tabs [role=tab]').length`)
    assert.ok(nTabs >= 6)
    for (let tab = 1; tab <= nTabs; tab += 1) {
      await app.press(String(tab))
      await until(`tab ${tab} is open`, () =>
        app.run(
          `return document.querySelectorAll('.tabs [role=tab]')[arguments[0] - 1].getAttribute('aria-selected') === 'true'`,
          tab,
        ),
      )
      assert.deepEqual(await violations(app, rules), [], `tab ${tab}`)
    }
    await app.press('b', KEY.control)
    await until('the drawer is open', () => there(app, '[data-testid="session-row"]'))
    assert.deepEqual(await violations(app, rules), [], 'drawer')
    await app.press('b', KEY.control)
    for (const { what, keys, selector } of OVERLAYS) {
      await app.press(...keys)
      await until(`the ${what} is open`, () => there(app, selector))
      assert.deepEqual(await violations(app, rules), [], what)
      await escaped(app, selector)
    }
  })
}

for (const look of [LOOKS[0], LOOKS[3], LOOKS[4]]) {
  test(`axe has nothing to say without a session: ${Object.values(look).join(', ')}`, { timeout: LIMIT }, async () => {
    const rules = { all: look === LOOKS[0] }
    const welcome = await stage.open([])
    await until('the welcome is there', () => there(welcome, '[data-testid="welcome"]'))
    await looking(welcome, look)
    await escaped(welcome, '[data-testid="settings"]')
    assert.deepEqual(await violations(welcome, rules), [], 'welcome')

    const failed = await stage.open([await stage.file('empty.jsonl', '')])
    await until('the failure is there', () => there(failed, '[data-testid="failure"]'))
    assert.deepEqual(await violations(failed, rules), [], 'failure')
  })
}

test('what changes is said, and the title tells session and turn', { timeout: LIMIT }, async () => {
  const app = await opened()
  const said = () => app.run(`return document.querySelector('[data-testid="spoken"]').textContent`)
  await until('opening is said', async () => (await said()).startsWith('Opened: '))
  await app.press(KEY.left, KEY.shift)
  await until('the turn is said', async () => /^Turn \d+\./.test(await said()))
  const [, turn] = /^Turn (\d+)\./.exec(await said())
  await until('the title tells it', () => app.run(`return document.title.startsWith('Turn ' + arguments[0] + ' · ')`, turn))
})

test('everything that can be pressed is reached by Tab, in sight and marked', { timeout: LIMIT }, async () => {
  const app = await opened()
  const seen = []
  await app.run(`
    document.body.tabIndex = -1
    document.body.focus()
    return 1
  `)
  for (let n = 0; n < 200; n += 1) {
    await app.press(KEY.tab)
    const at = await app.run(`
      const element = document.activeElement
      if (element === document.body) return null
      const { width, height, left, top } = element.getBoundingClientRect()
      const style = getComputedStyle(element)
      const ringed = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0
      const inSight = width > 0 && height > 0 && left < innerWidth && top < innerHeight && left + width > 0 && top + height > 0
      const first = element.dataset.seen === undefined
      element.dataset.seen = 'true'
      return {
        name: element.getAttribute('aria-label') ?? element.textContent.slice(0, 40),
        ok: inSight && (ringed || style.boxShadow !== 'none' || style.backgroundImage !== 'none'),
        first,
      }
    `)
    if (at === null || !at.first) break
    seen.push(at)
  }
  assert.deepEqual(seen.filter(({ ok }) => !ok).map(({ name }) => name), [])
  const missed = await app.run(`
    const outside = '[data-base-ui-focus-guard], .rows *, [role=tab], [tabindex="-1"], .no-graph .graph *'
    return [...document.querySelectorAll('button, input, select, textarea, a[href], [tabindex="0"]')]
      .filter((element) => !element.disabled && element.dataset.seen === undefined && !element.matches(outside))
      .filter((element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility !== 'hidden')
      .map((element) => element.getAttribute('aria-label') ?? element.outerHTML.slice(0, 80))
  `)
  assert.deepEqual(missed, [])
  assert.ok(seen.length > 25, `${seen.length} were reached`)
})

test('axe would say so', { timeout: LIMIT }, async () => {
  const app = await opened()
  await app.run(`document.body.append(document.createElement('button')); return 1`)
  assert.match((await violations(app)).join(), /button-name/)
})

test('the graph is walked by arrow keys, and says where one is', { timeout: LIMIT }, async () => {
  const app = await opened()
  const active = () =>
    app.run(`
      const id = document.querySelector('[role=listbox]').getAttribute('aria-activedescendant')
      const option = id && document.getElementById(id)
      return option && { name: option.dataset.episode, label: option.getAttribute('aria-label'), level: option.dataset.level }
    `)
  await app.run(`document.querySelector('[role=listbox]').focus(); return 1`)
  await app.press(KEY.left)
  const first = await until('an episode is active', active)
  await app.press(KEY.left)
  const second = await until('another is', async () => {
    const now = await active()
    return now && now.name !== first.name && now
  })
  const { names, levels } = await shown(app)
  assert.ok(second.label.includes(second.name), 'the label names it')
  assert.equal(Number(second.level), levels[names.indexOf(second.name)], 'the option tells its level')
})

const browserOnly = { timeout: 3 * LIMIT, skip: KIND !== 'browser' && 'the screen of a window forces no colours' }

for (const scheme of ['dark', 'light']) {
  test(`with the system's own colours everything can be read and told apart (${scheme})`, browserOnly, async () => {
    const app = await opened()
    try {
      // An earlier choice of theme does not win over the colours of the system.
      await looking(app, { theme: scheme === 'dark' ? 'light' : 'dark', contrast: 'normal', text: '1' })
      await escaped(app, '[data-testid="settings"]')
      await app.prefer(scheme, 'active')
      await until('the page has the scheme of the system', () =>
        app.run('return document.documentElement.dataset.theme === arguments[0]', scheme),
      )
      for (const tab of ['context', 'evicted', 'problems', 'compare']) {
        await app.click(`[data-testid="tab-${tab}"]`)
        await until(`${tab} is chosen`, () => there(app, `[data-testid="tab-${tab}"][aria-selected=true]`))
        assert.deepEqual(await violations(app), [], tab)
        const outlines = await app.run(`
          const outline = (tab) => getComputedStyle(tab).outlineStyle
          return [...document.querySelectorAll('[role=tab]')].map((tab) => [tab.ariaSelected, outline(tab)].join(' '))
        `)
        assert.equal(outlines.filter((one) => one === 'true solid').length, 1, outlines.join(', '))
        assert.equal(outlines.filter((one) => one === 'false none').length, outlines.length - 1, outlines.join(', '))
        await keepPicture(app, `forced-${scheme}-${tab}`)
      }
      // The canvases are drawn with the colours of the system: the ground of the timeline, the line of the cut.
      const [ground, cut] = await until('the canvases are drawn anew', () =>
        app.run(`
          const asked = document.createElement('canvas').getContext('2d')
          const system = (name) => {
            asked.fillStyle = name
            asked.fillStyle = asked.fillStyle.replace(/^rgba\\((.+), [\\d.]+\\)$/, 'rgb($1)')
            asked.fillRect(0, 0, 1, 1)
            return asked.getImageData(0, 0, 1, 1).data.slice(0, 3).join()
          }
          const canvas = document.querySelector('[data-testid=graph] canvas')
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
          const counts = new Map()
          for (let at = 0; at < data.length; at += 4) {
            if (data[at + 3] < 255) continue
            const colour = data.slice(at, at + 3).join()
            counts.set(colour, (counts.get(colour) ?? 0) + 1)
          }
          const n = (name) => counts.get(system(name)) ?? 0
          return n('Canvas') > 1000 && n('Highlight') > 20 ? [n('Canvas'), n('Highlight')] : null
        `),
      )
      assert.ok(ground > cut)
    } finally {
      await app.prefer('light')
      await app.run('localStorage.clear(); return 1')
    }
  })
}

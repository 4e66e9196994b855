// The window for those who do not see it, do not use a pointer, or have colours of their own.

import assert from 'node:assert/strict'

import { KIND, LIMIT, Stage, cwl, keepPicture, until } from './app.mjs'
import { violations } from './axe.mjs'
import { KEY, chooseLook, closeSettings, shown, untilShown } from './page.mjs'
import { after, before, test } from './runner.mjs'

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

const there = (app, selector) => app.run(`return document.querySelector(arguments[0]) !== null`, selector)

test('what changes is said, and the title tells session and turn', { timeout: LIMIT }, async () => {
  const app = await opened()
  const said = () => app.run(`return document.querySelector('[data-testid="spoken"]').textContent`)
  await until('opening is said', async () => (await said()).startsWith('Opened: '))
  await app.press(KEY.left, KEY.shift)
  await until('the turn is said', async () => /^Turn \d+\./.test(await said()))
  const [, turn] = /^Turn (\d+)\./.exec(await said())
  await until('the title tells it', () => app.run(`return document.title.startsWith('Turn ' + arguments[0] + ' · ')`, turn))
})

test('everything that can be pressed is reached by Tab, in sight and marked', { timeout: LIMIT, window: true }, async () => {
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
    const outside = '[data-base-ui-focus-guard], .rows *, [role=tab], [tabindex="-1"], [type=radio]:not(:checked), .no-graph .graph *'
    return [...document.querySelectorAll('button, input, select, textarea, a[href], [tabindex="0"]')]
      .filter((element) => !element.disabled && element.dataset.seen === undefined && !element.matches(outside))
      .filter((element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility !== 'hidden')
      .map((element) => element.getAttribute('aria-label') ?? element.outerHTML.slice(0, 80))
  `)
  assert.deepEqual(missed, [])
  assert.ok(seen.length > 25, `${seen.length} were reached`)
})

test('the graph is walked by arrow keys, and says where one is', { timeout: LIMIT, window: true }, async () => {
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
  test(`with the system's own colours everything can be read and told apart (${scheme})`, { ...browserOnly, all: scheme === 'light' }, async () => {
    const app = await opened()
    try {
      // An earlier choice of theme does not win over the colours of the system.
      await chooseLook(app, { theme: scheme === 'dark' ? 'light' : 'dark' })
      await closeSettings(app)
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

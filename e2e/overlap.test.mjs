// No text is cut and none lies over another: the boxes of all words on the screen, at several widths and sizes
// of text, in every tab.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { LIMIT, SAMPLES, Stage, keepPicture, until } from './app.mjs'
import { KEY, clickOn, settled, shown, withSettings } from './page.mjs'

const SIZES = [
  [1000, 700],
  [1280, 720],
  [1440, 900],
]
/** As in `TEXT_SCALES`: the smallest, the normal and the largest. */
const TEXTS = [0, 1, 4]

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/**
 * Returns the words that are cut without a sign of it, and the pairs that lie over each other. A part that scrolls may cut; an
 * ellipsis is a sign; a picture has its own rules, and so has text that is there for a screen reader alone.
 */
const faults = (app) =>
  app.run(`
    /** The parts around an element that cut what stands in them, from the inside out, and whether each gives a sign of it. */
    const clipsOf = (element) => {
      const clips = []
      for (let at = element; at && at !== document.documentElement; at = at.parentElement) {
        const style = getComputedStyle(at)
        if (style.overflowX === 'visible' && style.overflowY === 'visible') continue
        const { left, top, right, bottom } = at.getBoundingClientRect()
        const scrolls = /auto|scroll/.test(style.overflowX + style.overflowY)
        // A long block ends in a button that shows all of it.
        const isTold = scrolls || at.matches('.block-body') || style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none'
        clips.push({ left, top, right, bottom, isTold })
      }
      return [...clips, { left: 0, top: 0, right: innerWidth, bottom: innerHeight, isTold: false }]
    }
    const isSeen = (element) => {
      const style = getComputedStyle(element)
      if (style.visibility !== 'visible' || style.clipPath !== 'none') return false
      for (let at = element; at; at = at.parentElement) if (getComputedStyle(at).opacity === '0') return false
      return true
    }
    const cut = []
    const over = []
    const words = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.data.trim()
      const element = node.parentElement
      if (text === '' || element.closest('svg') || !isSeen(element)) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      const clips = clipsOf(element)
      for (const box of range.getClientRects()) {
        let seen = { left: box.left, top: box.top, right: box.right, bottom: box.bottom }
        let isCut = false
        for (const clip of clips) {
          isCut ||= !clip.isTold && (seen.right > clip.right + 1.5 || seen.left < clip.left - 1.5 || seen.bottom > clip.bottom + 4)
          seen = {
            left: Math.max(seen.left, clip.left), top: Math.max(seen.top, clip.top),
            right: Math.min(seen.right, clip.right), bottom: Math.min(seen.bottom, clip.bottom),
          }
        }
        if (seen.right - seen.left < 1 || seen.bottom - seen.top < 1) continue
        // Rows scroll under heads that stay: such words are covered, and no fault.
        const onTop = document.elementFromPoint((seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2)
        if (onTop && !onTop.contains(element) && !element.contains(onTop)) continue
        if (isCut) cut.push(text)
        words.push({ node, text, ...seen })
      }
    }
    words.forEach((a, at) => {
      for (const b of words.slice(at + 1)) {
        // A text with an ellipsis has a box for all of it and one for its beginning.
        if (a.node === b.node) continue
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left)
        const tall = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
        // Lines of text are a little higher than their letters.
        if (wide > 2 && tall > 5) over.push(a.text.slice(0, 40) + ' | ' + b.text.slice(0, 40))
      }
    })
    for (const list of document.querySelectorAll('.rows:has([data-block])'))
      if (list.scrollWidth > list.clientWidth + 1) cut.push('a row wider than its list')
    return { nWords: words.length, cut: [...new Set(cut)], over: [...new Set(over)] }
  `)

/** The views besides the tabs: how each is known to be there, how it is opened, and how it is closed. */
const OVERLAYS = [
  ['the presentation', '[data-testid=presentation]', (app) => app.press('p'), (app) => app.press(KEY.escape)],
  ['the help', '[role=dialog]', (app) => app.press('?'), (app) => app.press(KEY.escape)],
  ['the sessions', '[data-testid=drawer]', (app) => clickOn(app, 'toggle-sessions'), (app) => clickOn(app, 'toggle-sessions')],
]

for (const [width, height] of SIZES) {
  test(`no words are cut or lie over others at ${width} by ${height}`, { timeout: 3 * LIMIT }, async () => {
    const place = new URLSearchParams({ session: `${SAMPLES}/pi/long/input.jsonl`, turn: '236', step: '12', tau: '60k' })
    const app = await stage.open([`cwl-inspector://open?${place}`], { width, height })
    await until('the graph is drawn', () => shown(app))
    const tabs = await app.run(`return [...document.querySelectorAll('.tabs [role=tab]')].map((tab) => tab.dataset.testid)`)
    assert.ok(tabs.length > 5, 'the tabs are found')
    const wrong = []
    const look = async (view, textSize) => {
      // Blocks that the harness puts in stand at the top.
      await app.run(`for (const list of document.querySelectorAll('.rows')) list.scrollTop = 0; return 1`)
      await settled(app)
      const { nWords, cut, over } = await faults(app)
      assert.ok(nWords > 15, `${nWords} words were found in ${view}`)
      if (cut.length + over.length > 0) await keepPicture(app, `overlap-${width}-${textSize}-${view}`)
      wrong.push(...cut.map((text) => `${view}, text ${textSize}: "${text}" is cut`))
      wrong.push(...over.map((pair) => `${view}, text ${textSize}: ${pair}`))
    }
    for (const textSize of TEXTS) {
      await withSettings(app, { textSize })
      for (const tab of tabs) {
        await app.click(`[data-testid="${tab}"]`)
        await look(tab, textSize)
      }
      for (const [view, selector, opens, closes] of OVERLAYS) {
        const isThere = () => app.run(`return !!document.querySelector(arguments[0])`, selector)
        await opens(app)
        await until(`${view} is there`, isThere)
        await look(view, textSize)
        await closes(app)
        await until(`${view} is gone`, async () => !(await isThere()))
      }
    }
    assert.deepEqual(wrong, [])
  })
}

test('the tools of a row hide the words below them', { timeout: LIMIT }, async () => {
  const app = await stage.open([join(SAMPLES, 'pi/long/input.jsonl'), '--budget', '40000'], { width: 1000, height: 700 })
  const seen = await until('a row has its tools', () =>
    app.run(`
      const tools = document.querySelector('.block .block-tools')
      tools?.querySelector('button')?.focus()
      if (!tools || getComputedStyle(tools).opacity !== '1') return null
      return [...tools.children].map((tool) => [tool.ariaLabel || tool.textContent, getComputedStyle(tool).backgroundColor])
    `),
  )
  assert.ok(seen.length > 2, 'the tools are found')
  const through = seen.filter(([, colour]) => colour === 'transparent' || /, 0\)$/.test(colour))
  assert.deepEqual(through, [], 'no tool lets words through')
})

// Text of every size: drawings grow with it, what lies over them is where it is drawn, every tab is in reach, and nothing of
// the legend is cut.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import pngjs from '../ui/node_modules/pngjs/lib/png.js'
import { LIMIT, SAMPLES, Stage, keepPicture, until } from './app.mjs'
import { KEY, middleOf, position, settled, shown, withSettings } from './page.mjs'

const { PNG } = pngjs
/** As in `TEXT_SCALES`. */
const SCALES = [0.875, 1, 1.125, 1.25, 1.5]
const SIZES = [
  [900, 700],
  [1024, 768],
  [1280, 720],
  [1440, 900],
]

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** In the middle of a pass, where the legend has most to say. */
const open = (size) => {
  const [width, height] = size
  const place = new URLSearchParams({ session: `${SAMPLES}/pi/long/input.jsonl`, turn: '236', step: '12', tau: '60k' })
  return stage.open([`cwl-inspector://open?${place}`], { width, height })
}

/** Returns the marks of the legend and the tabs that are cut off, how many levels are seen, and how many marks there are. */
const legendOf = (app) =>
  app.run(`
    const box = (element) => element.getBoundingClientRect()
    const within = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1
    const legend = box(document.querySelector('.legend'))
    const line = box(document.querySelector('.legend-marks'))
    const marks = [...document.querySelectorAll('.legend-marks > *')]
    const isShown = (one) => one.getClientRects().length > 0
    const must = [...document.querySelectorAll('.legend-levels > *, .legend-all')].filter(isShown)
    const tabs = [...document.querySelectorAll('.tabs [role=tab]')]
    const bar = box(document.querySelector('.tabs-line'))
    return {
      cut: [
        ...tabs.filter((one) => !within(box(one), bar) || box(one).right > innerWidth),
        ...must.filter((one) => !within(box(one), legend) || box(one).right > innerWidth),
        ...marks.filter((one) => !within(box(one), line) && box(one).top < line.bottom),
      ].map((one) => one.textContent),
      levels: must.filter((one) => one.classList.contains('legend-level')).length,
      all: marks.length,
    }
  `)

for (const [width, height] of SIZES) {
  test(`nothing of the legend is cut at ${width} pixels`, { timeout: 2 * LIMIT }, async () => {
    const app = await open([width, height])
    await until('the graph is drawn', () => shown(app))
    for (const [textSize, scale] of SCALES.entries()) {
      await withSettings(app, { textSize })
      await until('what was read again is known', () =>
        app.run(`return document.querySelector('[data-testid=legend-regret]') !== null`),
      )
      const { cut, levels, all } = await legendOf(app)
      assert.deepEqual(cut, [], `text ${scale}`)
      if (width >= 1280 && scale <= 1) assert.equal(levels, 5, `text ${scale}: there is room for all levels`)
      await app.click('[data-testid=legend-all]')
      const listed = await until('all marks are listed', () =>
        app.run(`return document.querySelector('[data-testid=legend-popup]')?.querySelectorAll('dt').length`),
      )
      assert.equal(listed, all + 6, 'levels, heights and marks')
      await app.press(KEY.escape)
    }
  })
}

/** The colour of the page at a point, in a picture of it. */
function colourAt({ width, data }, x, y) {
  const from = (Math.round(y) * width + Math.round(x)) * 4
  return [...data.subarray(from, from + 3)]
}
const near = (a, b) => a.every((part, at) => Math.abs(part - b[at]) < 40)

test('drawings grow with text, and what lies over them is where it is drawn', { timeout: 3 * LIMIT }, async () => {
  const app = await open([1440, 900])
  await until('the graph is drawn', () => shown(app))
  for (const [textSize, scale] of SCALES.entries()) {
    await withSettings(app, { textSize, timeline: true, theme: textSize % 2 ? 'light' : 'dark' })
    await settled(app)
    const picture = PNG.sync.read(await keepPicture(app, `text-${scale}`))
    const at = await app.run(`
      const box = (selector) => {
        const { left, top, width, height } = document.querySelector(selector).getBoundingClientRect()
        return { left, top, width, height }
      }
      const canvas = document.createElement('canvas').getContext('2d')
      const colour = (name) => {
        canvas.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--' + name)
        canvas.fillRect(0, 0, 1, 1)
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
      }
      return {
        plot: box('[data-testid=timeline] canvas'), graph: box('[data-testid=graph] canvas'),
        grip: box('[data-testid=tau-grip]'), playhead: box('[data-testid=playhead]'),
        lane: box('.lane-row'), size: parseFloat(getComputedStyle(document.querySelector('.lane-row')).fontSize),
        error: colour('error'), selection: colour('selection'), explore: colour('explore'),
      }
    `)
    const column = (x, from, to, colour) => {
      const found = []
      for (let y = Math.ceil(from); y < to; y += 1) if (near(colourAt(picture, x, y), colour)) found.push(y)
      return found
    }
    // The line of tau is drawn, its handle is page text: 9 of its 20 pixels are above the line.
    const [line] = column(at.plot.left + 2, at.plot.top, at.plot.top + at.plot.height, at.error)
    const handle = at.grip.top + 9 * scale
    assert.ok(Math.abs(line - handle) <= 2, `text ${scale}: tau is drawn at ${line}, its handle at ${handle}`)
    // The badge of the cursor is drawn, 16 pixels tall at the normal size of text; the handle is an element.
    const middle = at.playhead.left + at.playhead.width / 2
    const foot = at.graph.top + at.graph.height
    const badge = column(middle - 12 * scale, foot - 20 * scale, foot, at.selection).length
    assert.ok(Math.abs(badge - 16 * scale) <= 3, `text ${scale}: the badge is ${badge} pixels tall`)
    // The name of the lane stands beside it.
    const name = at.lane.top + at.lane.height / 2
    const boxes = []
    for (let x = at.graph.left; x < at.graph.left + at.graph.width; x += 2)
      boxes.push(...column(x, at.graph.top + 40 * scale, at.graph.top + at.graph.height / 2, at.explore))
    const [top, bottom] = [Math.min(...boxes), Math.max(...boxes)]
    assert.ok(top <= name && name <= bottom, `text ${scale}: the lane is at ${top}..${bottom}, its name at ${name}`)
    // A press on the axis goes to the turn that is labelled there.
    await app.drag({ x: middle + 60, y: foot - 6 }, { x: middle + 60, y: foot - 6 }, 1)
    await until('the cursor is where it was pressed', async () => {
      const now = await middleOf(app, '[data-testid=playhead]')
      return (await position(app)).turn > 236 && Math.abs(now.x - middle - 60) < 4
    })
  }
})

// Text of every size: drawings grow with it, and what lies over them is where it is drawn.

import assert from 'node:assert/strict'

import pngjs from '../ui/node_modules/pngjs/lib/png.js'
import { LIMIT, SAMPLES, Stage, until } from './app.mjs'
import { IS_ALL } from './ground.mjs'
import { middleOf, position, settled, shown, withSettings } from './page.mjs'
import { after, before, test } from './runner.mjs'

const { PNG } = pngjs
/** As in `TEXT_SCALES`. */
const SCALES = [0.875, 1, 1.125, 1.25, 1.5]
/** Places in them: the smallest and the largest, and in `make test-all` all. */
const SIZES = IS_ALL ? SCALES.keys() : [0, 4]

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** In the middle of a pass, where the legend has most to say. */
const open = () => {
  const place = new URLSearchParams({ session: `${SAMPLES}/pi/long/input.jsonl`, turn: '236', step: '12', tau: '60k' })
  return stage.open([`cwl-inspector://open?${place}`])
}

/** The colour of the page at a point, in a picture of it. */
function colourAt({ width, data }, x, y) {
  const from = (Math.round(y) * width + Math.round(x)) * 4
  return [...data.subarray(from, from + 3)]
}
const near = (a, b) => a.every((part, at) => Math.abs(part - b[at]) < 40)

test('drawings grow with text, and what lies over them is where it is drawn', { timeout: 3 * LIMIT, all: true }, async () => {
  const app = await open()
  await until('the graph is drawn', () => shown(app))
  for (const textSize of SIZES) {
    const scale = SCALES[textSize]
    await withSettings(app, { textSize, timeline: true, theme: textSize % 2 ? 'light' : 'dark' })
    await settled(app)
    const picture = PNG.sync.read(await app.picture())
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

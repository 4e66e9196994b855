// Graph and timeline as a saved picture: it shows what the screen shows, and both kinds show the same.

import assert from 'node:assert/strict'

import pixelmatch from '../ui/node_modules/pixelmatch/index.js'
import pngjs from '../ui/node_modules/pngjs/lib/png.js'
import { KIND, LIMIT, Stage, until } from './app.mjs'
import { clickOn, settled, shown, themed } from './page.mjs'
import { after, before, test } from './runner.mjs'

const { PNG } = pngjs
// The window asks a person where to save.
const options = { timeout: LIMIT, skip: KIND === 'browser' ? false : 'a dialog of the platform asks where to save' }

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** Saves a picture and returns its name and bytes, as the browser was given them. */
async function saved(app, kind) {
  await app.run(`
    const make = (window.cwlMake ??= URL.createObjectURL.bind(URL))
    window.cwlKept = null
    URL.createObjectURL = (blob) => {
      const reader = new FileReader()
      reader.onload = () => (window.cwlKept = reader.result)
      reader.readAsDataURL(blob)
      return make(blob)
    }
    return 1
  `)
  await clickOn(app, 'save-picture')
  await until('the menu is open', () => app.run(`return document.querySelector('[data-testid="save-${kind}"]') !== null`))
  await clickOn(app, `save-${kind}`)
  const address = await until('the picture is saved', () => app.run('return window.cwlKept'))
  return Buffer.from(address.slice(address.indexOf(',') + 1), 'base64')
}

/** The texts of an SVG file, read as a browser reads them. */
const textsOf = (page, svg) =>
  page.evaluate((file) => {
    const read = new DOMParser().parseFromString(file, 'image/svg+xml')
    if (read.querySelector('parsererror')) throw new Error(read.querySelector('parsererror').textContent)
    return {
      texts: [...read.querySelectorAll('text')].map((text) => text.textContent),
      title: read.querySelector('title').textContent,
      about: read.querySelector('desc').textContent,
      scripts: read.querySelectorAll('script, foreignObject, image, a').length,
    }
  }, svg)

/** A picture at half its size: the mean of four pixels each. */
function halved({ width, height, data }) {
  const half = new PNG({ width: width >> 1, height: height >> 1 })
  for (let y = 0; y < half.height; y += 1)
    for (let x = 0; x < half.width; x += 1)
      for (let part = 0; part < 4; part += 1) {
        const of = (dx, dy) => data[((2 * y + dy) * width + 2 * x + dx) * 4 + part]
        half.data[(y * half.width + x) * 4 + part] = (of(0, 0) + of(1, 0) + of(0, 1) + of(1, 1)) / 4
      }
  return half
}

for (const theme of ['light', 'dark']) {
  test(`a saved picture is what the screen shows (${theme})`, { ...options, all: theme === 'light' }, async () => {
    const app = await stage.open([await stage.sample('pi/quickstart')])
    const { names } = await until('the graph is drawn', () => shown(app))
    await themed(app, theme)
    await settled(app)
    const svg = (await saved(app, 'svg')).toString('utf8')
    const png = PNG.sync.read(await saved(app, 'png'))

    const page = await stage.host.newPage()
    try {
      const { texts, title, about, scripts } = await textsOf(page, svg)
      assert.equal(scripts, 0, 'there is nothing in it that runs or is fetched')
      assert.ok(title.length > 0 && /turn .+ · What if: cwl at 80k · /.test(about), about)
      const named = names.filter((name) => texts.some((text) => text === name))
      // Where two would overlap, one is cut or left out, as on the screen.
      const near = names.filter((name) => !name.startsWith('~'))
      assert.ok(named.length >= near.length / 2, `${named.length} of ${near.length} are named`)
      for (const word of ['Explore', 'Act', 'Context', 'τ 80k']) assert.ok(texts.includes(word), word)

      const size = { width: png.width / 2, height: png.height / 2 }
      await page.setViewportSize(size)
      await page.goto(`data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`)
      await page.evaluate('document.fonts.ready.then(() => 1)')
      const drawn = PNG.sync.read(await page.screenshot())
      const other = halved(png)
      assert.deepEqual([drawn.width, drawn.height], [other.width, other.height])
      const off = pixelmatch(drawn.data, other.data, null, drawn.width, drawn.height, { threshold: 0.25 })
      const share = off / (drawn.width * drawn.height)
      assert.ok(share < 0.01, `${(share * 100).toFixed(2)} % of the pixels differ`)
    } finally {
      await page.close()
    }
  })
}

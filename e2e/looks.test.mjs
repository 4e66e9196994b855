// Pictures of the window in both themes and at its sizes, for people to look at; and what no picture shows.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { LIMIT, Stage, cwl, keepPicture, until } from './app.mjs'
import { reload, settled, themed, untilShown } from './page.mjs'

let stage
before(async () => (stage = await Stage.start({ width: 2000, height: 1300 })))
after(() => stage?.stop())

const SIZES = { small: [900, 600], laptop: [1440, 900], large: [1920, 1200] }

for (const theme of ['dark', 'light']) {
  for (const [size, [width, height]] of Object.entries(SIZES)) {
    test(`${theme}, ${size}`, { timeout: LIMIT }, async () => {
      const file = await stage.sample('pi/long')
      const app = await stage.open([file, '--budget', '80k'], { width, height })
      const { episodes } = JSON.parse(await cwl('graph', file, '--json'))
      await untilShown(app, { names: episodes.map(({ name }) => name) })
      await themed(app, theme)
      await settled(app)
      const picture = await keepPicture(app, `long-${theme}-${width}x${height}`)
      assert.ok(picture.length > 20_000, 'the picture is of more than an empty page')

      const page = await app.run(`
        const root = document.documentElement
        return { wide: root.scrollWidth - root.clientWidth, high: root.scrollHeight - root.clientHeight,
          blank: [...document.querySelectorAll('canvas')].filter((canvas) => {
            if (!canvas.width || !canvas.height) return true
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
            return data.every((byte) => byte === data[0])
          }).length }
      `)
      assert.deepEqual(page, { wide: 0, high: 0, blank: 0 }, 'no scroll bars of the window, no empty canvas')
      assert.equal(stage.errors, '', 'nothing went wrong on the page')
    })
  }
}

test('the theme that a person chose is remembered', { timeout: LIMIT }, async () => {
  const file = await stage.sample('pi/quickstart')
  const app = await stage.open([file])
  for (const theme of ['light', 'dark']) {
    await themed(app, theme)
    await reload(app)
    await until(`${theme} after loading the page again`, () =>
      app.run(`return document.querySelector('[data-episodes]') &&
        document.documentElement.dataset.theme === arguments[0]`, theme),
    )
  }
})

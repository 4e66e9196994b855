// The theme that a person chooses.

import { LIMIT, Stage, until } from './app.mjs'
import { reload, themed } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

test('the theme that a person chose is remembered', { timeout: LIMIT, window: true }, async () => {
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

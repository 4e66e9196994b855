// `make screenshots`: the README's pictures, taken from the real window.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { Stage, cwl } from './app.mjs'
import { clickOn, settled, themed, untilShown } from './page.mjs'

const folder = process.argv[2] ?? 'docs/images'
const stage = await Stage.start()
try {
  await mkdir(folder, { recursive: true })
  const file = await stage.sample('pi/long')
  const { episodes } = JSON.parse(await cwl('graph', file, '--json'))
  const app = await stage.open([file, '--budget', '80k'])
  await untilShown(app, { names: episodes.map(({ name }) => name) })
  await clickOn(app, 'previous-pass')
  for (const theme of ['dark', 'light']) {
    await themed(app, theme)
    await settled(app)
    await writeFile(join(folder, `window-${theme}.png`), await app.picture())
    console.log(`wrote ${join(folder, `window-${theme}.png`)}`)
  }
} finally {
  await stage.stop()
}

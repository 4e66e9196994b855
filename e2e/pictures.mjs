// `make screenshots`: the README's pictures, taken from the real window.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { Stage, cwl, until } from './app.mjs'
import { KEY, clickOn, settled, themed, untilAt, untilShown } from './page.mjs'

const folder = process.argv[2] ?? 'docs/images'
const stage = await Stage.start()
try {
  await mkdir(folder, { recursive: true })
  const file = await stage.sample('pi/long')
  const { episodes, edges, n_turns: nTurns } = JSON.parse(await cwl('graph', file, '--json'))
  const { turns } = JSON.parse(await cwl('replay', file, '--budget', '80k', '--json'))
  // In the middle of the longest pass, with the exploration that most acts drew on.
  const pass = turns.reduce((a, b) => (b.steps.length > a.steps.length ? b : a))
  const feeds = episodes.map((_, idx) => edges.filter(([from]) => from === idx).length)
  const { first_turn: from, last_turn: to } = episodes[feeds.indexOf(Math.max(...feeds))]
  let app = await stage.open([file, '--budget', '80k', '--turn', String(pass.turn)])
  await untilShown(app, { names: episodes.map(({ name }) => name) })
  await untilAt(app, 'the turn of the pass', ({ turn }) => turn === pass.turn)
  for (let n = 0; n < pass.steps.length / 2; n += 1) await clickOn(app, 'step-back')
  const { left, top, width, height } = await app.run(`
    const { left, top, width, height } = document.querySelector('[data-testid="graph"] canvas').getBoundingClientRect()
    return { left, top, width, height }
  `)
  const box = { x: left + (((from + to) / 2 - 0.5) / nTurns) * width, y: top + height * 0.4 }
  await app.drag(box, box, 1)
  const keep = async (name) => {
    await settled(app)
    await writeFile(join(folder, `${name}.png`), await app.picture())
    console.log(`wrote ${join(folder, `${name}.png`)}`)
  }
  for (const theme of ['dark', 'light']) {
    await themed(app, theme)
    await keep(`window-${theme}`)
  }
  await themed(app, 'dark')
  await app.run('document.activeElement?.blur(); return 1')
  await app.press('p')
  await until('the presentation is on', () => app.run(`return !!document.querySelector('[data-testid="presentation"]')`))
  await keep('presenter')
  await app.press(KEY.escape)
  await clickOn(app, 'tab-evicted')
  await app.type('[data-testid="evicted-find"] input', 'backoff')
  await until('it is found', async () => Number(await app.run(`return document.querySelector('[data-testid="evicted-find"]').dataset.matches`)) > 0)
  await keep('evicted')
  await clickOn(app, 'tab-compare')
  await until('policies are compared', () => app.run(`return document.querySelector('[data-testid="compare-table"]')?.dataset.busy === 'false'`))
  await keep('compare')
  // A session whose agent marked nothing.
  const unmarked = await stage.sample('claude-code/unmarked')
  const inferred = JSON.parse(await cwl('graph', unmarked, '--json'))
  app = await stage.open([unmarked, '--budget', '60k'])
  await untilShown(app, { names: inferred.episodes.map(({ name }) => name) })
  await themed(app, 'light')
  await keep('inferred')
  // Each policy on the sample: graph and timeline at its end.
  const policies = ['cwl', 'cwl+', 'pi-cwl', 'window', 'mask', 'fold', 'summary', 'auto', 'ladder', 'tiers']
  for (const policy of policies) {
    app = await stage.open([file, '--budget', '80k', '--policy', policy], { width: 1200, height: 840 })
    await untilShown(app, { names: episodes.map(({ name }) => name) })
    await themed(app, 'light')
    await keep(`policy-${policy.replace('+', '-plus')}`)
  }
} finally {
  await stage.stop()
}

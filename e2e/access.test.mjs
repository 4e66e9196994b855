// The window for those who do not see it or do not use a pointer, checked by axe in the real window.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { LIMIT, Stage, cwl, until } from './app.mjs'
import { violations } from './axe.mjs'
import { KEY, shown, themed, untilShown } from './page.mjs'

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

for (const theme of ['dark', 'light']) {
  test(`axe has nothing to say, ${theme}`, { timeout: LIMIT }, async () => {
    const app = await opened()
    await themed(app, theme)
    assert.deepEqual(await violations(app), [])
    for (const tab of ['2', '3', '4', '5', '6']) {
      await app.press(tab)
      await until(`tab ${tab} is open`, () =>
        app.run(
          `return document.querySelectorAll('[role=tab]')[arguments[0] - 1].getAttribute('aria-selected') === 'true'`,
          Number(tab),
        ),
      )
      assert.deepEqual(await violations(app), [], `tab ${tab}`)
    }
  })
}

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

// The window shows what the command line says of the same file.

import assert from 'node:assert/strict'

import { LIMIT, Stage, cwl, until } from './app.mjs'
import { middleOf, setBudget, shown, untilShown } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** The last state of a replay: names and levels by place. */
async function replayed(file, budget) {
  const { episodes } = JSON.parse(await cwl('replay', file, '--budget', budget, '--json'))
  return { names: episodes.map(({ name }) => name), levels: episodes.map(({ level }) => level) }
}

for (const sample of ['pi/quickstart', 'pi/long']) {
  test(`${sample}: all episodes are shown, in order and by name`, { timeout: LIMIT }, async () => {
    const file = await stage.sample(sample)
    const app = await stage.open([file])
    const { episodes, edges } = JSON.parse(await cwl('graph', file, '--json'))
    assert.ok(episodes.length > 5 && edges.length > 2, 'the sample has something to show')
    const graph = await untilShown(app, { names: episodes.map(({ name }) => name) })
    assert.deepEqual(graph.kinds, episodes.map(({ kind }) => kind))
    assert.deepEqual(graph.edges, edges)
    assert.equal(stage.errors, '', 'nothing went wrong on the page')
  })

  test(`${sample}: the levels follow the budget`, { timeout: LIMIT, all: sample !== 'pi/quickstart' }, async () => {
    const file = await stage.sample(sample)
    const app = await stage.open([file, '--budget', '80k'])
    await untilShown(app, await replayed(file, '80k'))
    const seen = new Set()
    for (const budget of ['12k', '6000', '40000', '1k', '900k']) {
      await setBudget(app, budget)
      const { levels } = await untilShown(app, await replayed(file, budget))
      levels.forEach((level) => seen.add(level))
    }
    assert.ok(seen.has(0) && seen.has(4) && seen.size >= 3, `the budgets made a difference: levels ${[...seen]}`)
    assert.equal(stage.errors, '', 'nothing went wrong on the page')
  })
}

test('dragging the budget line ends at the levels of the budget that is shown', { timeout: LIMIT, window: true }, async () => {
  const file = await stage.sample('pi/long')
  const app = await stage.open([file, '--budget', '80k'])
  const { names } = await untilShown(app, await replayed(file, '80k'))
  const grip = await middleOf(app, '[data-testid="tau-grip"]')
  await app.drag(grip, { x: grip.x, y: grip.y + 40 }, 40)
  const asked = () => app.run(`return document.querySelector('[data-testid="tau-input"]').dataset.budget`)
  const budget = await until('the levels are those of the budget', async () => {
    const budget = await asked()
    const { levels } = await replayed(file, budget)
    const now = await shown(app)
    // Answers may still come in: what is compared must be of one moment.
    return budget !== '80000' && budget === (await asked()) && String(now.levels) === String(levels) && budget
  })
  assert.ok(Number(budget) < 80_000, `down is less: ${budget}`)
  assert.deepEqual((await shown(app)).names, names)
})

test('arguments choose policy, budget and turn', { timeout: LIMIT }, async () => {
  const file = await stage.sample('pi/quickstart')
  const strict = await stage.open([file, '--budget', '6k'])
  await untilShown(strict, await replayed(file, '6k'))
  const none = await stage.open([file, '--budget', '6k', '--policy', 'none'])
  await untilShown(none, { levels: (await replayed(file, '6k')).levels.map(() => 0) })
  const early = await stage.open([file, '--budget', '900k', '--turn', '2'])
  const { names } = await untilShown(early, { names: (await replayed(file, '900k')).names })
  assert.equal((await shown(early)).levels.length, names.length, 'the graph is whole at any turn')
})

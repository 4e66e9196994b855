// Stepping through time: forth and back is where one was, and every step is what the replay says.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { LIMIT, Stage, cwl } from './app.mjs'
import { KEY, clickOn, untilAt, untilShown } from './page.mjs'

const BUDGET = '12k'
const NUMBERS = { reasoning: 1, bulk: 2, intermediate: 3, remove: 4 }

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** The levels after each step of the first turn with at least two steps, worked out from the trace. */
function levelsByStep(trace) {
  const place = new Map(trace.episodes.map(({ name }, idx) => [name, idx]))
  const levels = trace.episodes.map(() => 0)
  for (const { turn, steps } of trace.turns) {
    const after = [levels.slice()]
    for (const { episode, level } of steps) {
      levels[place.get(episode)] = typeof level === 'number' ? level : NUMBERS[level]
      after.push(levels.slice())
    }
    if (steps.length > 1) return { turn, after }
  }
  throw new Error('no turn of the sample has two steps')
}

test('a step forth and back is where one was', { timeout: LIMIT }, async () => {
  const file = await stage.sample('pi/quickstart')
  const { turn, after } = levelsByStep(JSON.parse(await cwl('replay', file, '--budget', BUDGET, '--json')))
  const last = after.length - 1
  const app = await stage.open([file, '--budget', BUDGET, '--turn', String(turn)])
  await untilAt(app, 'the window opens after the steps of the turn', (at) => at.turn === turn && at.step === last)
  await untilShown(app, { levels: after[last] })

  for (let step = last - 1; step >= 0; step -= 1) {
    await clickOn(app, 'step-back')
    await untilAt(app, `step ${step}`, (at) => at.turn === turn && at.step === step)
    await untilShown(app, { levels: after[step] })
  }
  for (let step = 1; step <= last; step += 1) {
    await clickOn(app, 'step-forward')
    await untilAt(app, `step ${step}`, (at) => at.turn === turn && at.step === step)
    await untilShown(app, { levels: after[step] })
  }
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('the arrow keys do the same', { timeout: LIMIT }, async () => {
  const file = await stage.sample('pi/quickstart')
  const { turn, after } = levelsByStep(JSON.parse(await cwl('replay', file, '--budget', BUDGET, '--json')))
  const last = after.length - 1
  const app = await stage.open([file, '--budget', BUDGET, '--turn', String(turn)])
  await untilShown(app, { levels: after[last] })
  await app.press(KEY.left)
  await untilShown(app, { levels: after[last - 1] })
  await app.press(KEY.right)
  await untilShown(app, { levels: after[last] })
  await app.press(KEY.left, KEY.shift)
  await untilAt(app, 'the turn before', (at) => at.turn === turn - 1)
  await app.press(KEY.right, KEY.shift)
  await untilAt(app, 'the turn again', (at) => at.turn === turn)
})

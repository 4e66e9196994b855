// Stepping through time: forth and back is where one was, and every step is what the replay says.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'

import { LIMIT, SAMPLES, Stage, cwl, until } from './app.mjs'
import { KEY, clickOn, untilAt, untilShown } from './page.mjs'
import { after, before, test } from './runner.mjs'

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

test('the arrow keys do the same', { timeout: LIMIT, window: true }, async () => {
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

test('two lines of the sentence of a step stand in its bar, however long a name is', { timeout: LIMIT, all: true }, async () => {
  const sample = `${SAMPLES}/pi/quickstart/input.jsonl`
  const { episodes } = JSON.parse(await cwl('graph', sample, '--json'))
  let log = await readFile(sample, 'utf8')
  for (const { name } of episodes) log = log.replaceAll(name, `${name}-of-the-second-client-of-the-queue`)
  const file = await stage.file('session.jsonl', log)
  // A budget that cannot be met makes the longest sentences.
  const { turns } = JSON.parse(await cwl('replay', file, '--budget', '1k', '--json'))
  const { turn, steps } = turns.findLast((turn) => turn.steps.length > 2)
  const app = await stage.open([file, '--budget', '1k', '--turn', String(turn)], { width: 1280, height: 720 })
  let lines = 0
  for (let step = steps.length; step >= 0; step -= 1) {
    await untilAt(app, `step ${step}`, (at) => at.turn === turn && at.step === step)
    const told = await until('the step has a sentence', () =>
      app.run(`
        const words = document.querySelector('[data-testid=sentence] .words, [data-testid=sentence] .text-error')
        if (!words?.textContent) return null
        const [box, bar] = [words.getBoundingClientRect(), words.closest('.transport').getBoundingClientRect()]
        return { text: words.textContent, above: bar.top - box.top, below: box.bottom - bar.bottom, tall: box.height }
      `),
    )
    assert.ok(told.above <= 0 && told.below <= 0, JSON.stringify(told))
    lines = Math.max(lines, Math.round(told.tall / 15))
    if (step > 0) await clickOn(app, 'step-back')
  }
  assert.equal(lines, 2, 'a sentence of the test has more than a line')
})

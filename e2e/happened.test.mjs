// happened, and what if: a log without marks opens with facts, and a simulation says that it is one.

import assert from 'node:assert/strict'

import { LIMIT, Stage, cwl, until } from './app.mjs'
import { violations } from './axe.mjs'
import { clickOn, reload, setBudget, textOf } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** The size of the last request under a policy, as the command line counts it. */
async function lastRequest(file, ...args) {
  const { turns } = JSON.parse(await cwl('replay', file, ...args, '--json'))
  return turns.at(-1).tokens_after
}

/** The texts on the screen: the words of the switch, the size of the request, and the controls of τ. */
const shown = (app) =>
  app.run(`
    const on = (id) => document.querySelector('[data-testid="' + id + '"]')
    const chosen = on('what-if')?.querySelector('label:has(:checked)')
    return {
      words: chosen?.textContent ?? null,
      sent: Number(on('totals')?.dataset.sent),
      figures: on('totals')?.textContent ?? '',
      hasTau: on('tau-input') !== null,
      hasLine: on('tau-grip') !== null,
      hasPolicy: on('policy') !== null,
    }`)

async function untilShown(app, { words, sent, isFact }) {
  const found = await until(`${words} with ${sent} tokens`, async () => {
    const now = await shown(app)
    return now.words === words && now.sent === sent && now
  })
  const controls = { hasTau: !isFact, hasLine: !isFact, hasPolicy: !isFact }
  assert.deepEqual({ hasTau: found.hasTau, hasLine: found.hasLine, hasPolicy: found.hasPolicy }, controls)
  if (isFact) assert.match(found.figures, /tokens sent/)
}

const address = async (app) => new URLSearchParams(await app.run('return location.search'))
const FACTS = 'As it happened'

test('a log without marks opens with facts; what if is a simulation that says so, and a way back', { timeout: LIMIT }, async () => {
  const file = await stage.sample('claude-code/unmarked')
  const facts = { words: FACTS, sent: await lastRequest(file, '--policy', 'none'), isFact: true }
  const simulated = { words: 'What if: cwl at 20k', sent: await lastRequest(file, '--budget', '20k'), isFact: false }
  assert.ok(simulated.sent < facts.sent)
  const app = await stage.open([file])
  await untilShown(app, facts)

  await app.press('y')
  await until('the words of the simulation', async () => (await shown(app)).words === 'What if: cwl at 80k')
  await setBudget(app, '20k')
  await untilShown(app, simulated)
  await until('the address says the policy', async () => (await address(app)).get('policy') === 'cwl')
  await reload(app)
  await untilShown(app, simulated)
  assert.deepEqual(await violations(app, { all: true }), [])

  await clickOn(app, 'what-if-off')
  await untilShown(app, facts)
  await until('the address says that there is none', async () => (await address(app)).get('policy') === 'none')
  await reload(app)
  await untilShown(app, facts)
  assert.deepEqual(await violations(app, { all: true }), [])
  await clickOn(app, 'what-if-on')
  await untilShown(app, simulated)
})

test('a policy or a budget that was given is kept, for logs without marks as well', { timeout: LIMIT, all: true }, async () => {
  const file = await stage.sample('claude-code/unmarked')
  for (const [args, words] of [
    [['--policy', 'summary'], 'What if: summary at 80k'],
    [['--budget', '30k'], 'What if: cwl at 30k'],
    [['--policy', 'none'], FACTS],
  ]) {
    const app = await stage.open([file, ...args])
    await until(words, async () => (await shown(app)).words === words)
  }
})

test('a log with marks opens under a policy, which is said to be a simulation', { timeout: LIMIT }, async () => {
  const file = await stage.sample('pi/quickstart')
  const app = await stage.open([file])
  const sent = await lastRequest(file)
  await untilShown(app, { words: 'What if: cwl at 80k', sent, isFact: false })
  await app.press('p')
  await until('the presentation says it too', async () => (await textOf(app, 'present-tau')) === 'What if: cwl at 80k')
})

// The window shows pi-cwl's trace: τ is the harness's own and says so, its passes are marks with words.

import assert from 'node:assert/strict'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { LIMIT, SAMPLES, Stage, cwl, keepPicture, until } from './app.mjs'
import { violations } from './axe.mjs'
import { KEY, clickOn, position, setBudget, settled, textOf, themed } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start({ width: 1700, height: 1100 })))
after(() => stage?.stop())

const pass = (sequence, timestamp, tokensBefore, tokensAfter, chunks) => ({
  sequence,
  timestamp,
  tokensBefore,
  tokensAfter,
  threshold: 64_000,
  evictedMessageIds: [],
  stats: { chunks: chunks.map(([chunkName, fullyRemoved]) => ({ chunkName, chunkKind: 'expl', fullyRemoved, steps: [] })) },
})

/** A long session where pi-cwl would have put it, with a trace beside it. */
async function traced() {
  const agent = join(await stage.folder(), 'agent')
  await mkdir(join(agent, 'sessions/--p--'), { recursive: true })
  await mkdir(join(agent, 'cwl'))
  const log = join(agent, 'sessions/--p--/long.jsonl')
  await copyFile(join(SAMPLES, 'pi/long/input.jsonl'), log)
  const lines = (await readFile(log, 'utf8')).trim().split('\n').map((line) => JSON.parse(line))
  const replies = lines.filter((line) => line.message?.role === 'assistant').map((line) => line.message.timestamp)
  const at = (share) => replies[Math.floor(replies.length * share)]
  const history = [
    pass(1, at(0.3), 82_310, 64_100, [['map-ingest-pipeline', true], ['read-retry-after-rules', true]]),
    pass(2, at(0.5), 66_020, 63_870, [['audit-integer-arithmetic', false]]),
    pass(3, at(0.8), 65_500, 61_000, [['study-double-entries', true], ['find-index-leaks', false]]),
  ]
  const trace = { threshold: { default: 80_000 }, cleanups: { history } }
  const model = { limit: { context: 200_000 } }
  await writeFile(join(agent, 'cwl/long.json'), JSON.stringify({ sessionID: 's', model, trace }, null, 2))
  return log
}

const source = (app) =>
  app.run(`return document.querySelector('[data-testid="tau-source"]')?.dataset.source ?? null`)
const budget = (app) =>
  app.run(`return Number(document.querySelector('[data-testid="tau-input"]')?.dataset.budget ?? NaN)`)
const untilBudget = (app, tokens, from) =>
  until(`τ is ${tokens}, ${from}`, async () => (await budget(app)) === tokens && (await source(app)) === from)
const marks = (app, name) =>
  app.run(`
    const marks = document.querySelector('[data-testid="timeline"]')?.dataset[arguments[0]] ?? ''
    return marks.split(',').filter(Boolean).map(Number)
  `, name)

test('τ is the one of the trace, becomes the user’s, and is reset', { timeout: LIMIT }, async () => {
  const file = await traced()
  const app = await stage.open([file])
  await untilBudget(app, 64_000, 'trace')
  assert.equal(await textOf(app, 'tau-source'), 'from the trace')

  await setBudget(app, '30k')
  await untilBudget(app, 30_000, 'yours')
  assert.equal(await textOf(app, 'tau-source'), 'yours')

  await clickOn(app, 'tau-source')
  await until('the way back is offered', () => textOf(app, 'tau-reset'))
  assert.equal(await textOf(app, 'tau-reset'), 'Reset to 64,000, from the trace')
  await clickOn(app, 'tau-reset')
  await untilBudget(app, 64_000, 'trace')

  await setBudget(app, '50%')
  await untilBudget(app, 100_000, 'yours')
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('a budget of the command line is the user’s; without a trace it is the default', { timeout: LIMIT, all: true }, async () => {
  const file = await traced()
  const given = await stage.open([file, '--budget', '80000'])
  await untilBudget(given, 80_000, 'yours')
  const plain = await stage.open([await stage.sample('pi/quickstart')])
  await untilBudget(plain, 80_000, 'default')
  assert.equal(await textOf(plain, 'tau-source'), 'default')
  await clickOn(plain, 'tau-source')
  await until('it says why', async () => (await textOf(plain, 'tau-source-popup'))?.includes('80,000'))
  assert.equal(await textOf(plain, 'tau-reset'), null, 'there is nothing to reset')
  assert.equal(await textOf(plain, 'recorded-passes'), null, 'and there are no passes')
  assert.deepEqual(await marks(plain, 'passes'), [])
  assert.equal(await textOf(plain, 'legend-recorded'), null)
})

test('the harness’s own passes are on the timeline, in the tip, and in words', { timeout: LIMIT, all: true }, async () => {
  const file = await traced()
  const app = await stage.open([file], { width: 1600, height: 1000 })
  await untilBudget(app, 64_000, 'trace')
  const turns = await marks(app, 'passes')
  assert.equal(turns.length, 3)
  assert.ok(await textOf(app, 'legend-recorded'))

  // The same turns as the report says.
  const report = await cwl('report', file)
  for (const turn of turns) assert.match(report, new RegExp(`^turn ${turn} .* tokens, (removed|stripped) `, 'm'))
  assert.match(report, /^3 passes above 64,000 tokens$/m)

  // Three diamonds in the colour of text on the ground of the canvas, and nowhere else at that height.
  await settled(app)
  const diamonds = () =>
    app.run(`
      const canvas = document.querySelector('[data-testid="timeline"] canvas')
      const scale = canvas.width / canvas.clientWidth
      const row = Math.round((canvas.clientHeight - 8) * scale)
      const { data } = canvas.getContext('2d').getImageData(0, row, canvas.width, 1)
      const probe = document.createElement('canvas').getContext('2d')
      probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--text').trim()
      probe.fillRect(0, 0, 1, 1)
      const wanted = probe.getImageData(0, 0, 1, 1).data
      const found = []
      let from = null
      for (let x = 0; x <= canvas.width; x += 1) {
        const is = x < canvas.width && [0, 1, 2].every((c) => Math.abs(data[4 * x + c] - wanted[c]) < 12)
        if (is && from === null) from = x
        if (!is && from !== null) {
          if (x - from >= 4 * scale) found.push((from + x) / 2 / scale)
          from = null
        }
      }
      return found
    `)
  const xs = await diamonds()
  assert.equal(xs.length, 3, `diamonds at ${xs}`)

  // The pointer over a diamond says what happened there.
  await app.run(`
    const canvas = document.querySelector('[data-testid="timeline"] canvas')
    const { left, top, height } = canvas.getBoundingClientRect()
    const at = { clientX: left + arguments[0], clientY: top + height / 2, bubbles: true }
    canvas.dispatchEvent(new PointerEvent('pointermove', at))
  `, xs[0])
  const tip = await until('the tip says it', () => textOf(app, 'tip-pass'))
  assert.equal(
    tip,
    'the harness itself ran a pass here: 82,310 → 64,100 tokens, removed map-ingest-pipeline, read-retry-after-rules (pi-cwl’s trace)',
  )
  await keepPicture(app, 'trace-tip')

  // By keys alone: the list says the same, and goes to the turn.
  await app.run(`document.querySelector('[data-testid="tau-source"]').focus()`)
  await app.press(KEY.enter)
  const list = await until('the list of passes', () => textOf(app, 'recorded-passes'))
  assert.match(list, /removed map-ingest-pipeline, read-retry-after-rules/)
  assert.match(list, /65,500 → 61,000 tokens, removed study-double-entries, stripped find-index-leaks/)
  await keepPicture(app, 'trace-source')
  assert.deepEqual(await violations(app), [], 'with the source of τ open')
  await app.run(`document.querySelectorAll('[data-testid="recorded-passes"] button')[1].focus()`)
  await app.press(KEY.enter)
  await until('the cursor is there', async () => (await position(app))?.turn === turns[1])
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

for (const [width, height] of [[900, 600], [1240, 800]]) {
  test(`everything of τ has room at ${width} × ${height}`, { timeout: LIMIT, all: width > 900 }, async () => {
    const app = await stage.open([await traced()], { width, height })
    await untilBudget(app, 64_000, 'trace')
    await themed(app, 'dark')
    await settled(app)
    await keepPicture(app, `trace-dark-${width}x${height}`)
    const cut = await app.run(`
      const bar = document.querySelector('.topbar')
      const { right } = bar.getBoundingClientRect()
      const inside = [...bar.querySelectorAll('button, input, h1, b')].filter((one) => one.offsetParent !== null)
      const over = inside.filter((one) => one.getBoundingClientRect().right > right + 0.5)
      const source = document.querySelector('[data-testid="tau-source"]').getBoundingClientRect()
      const figures = document.querySelector('[data-testid="totals"]').getBoundingClientRect()
      const name = document.querySelector('[data-testid="session-title"]').getBoundingClientRect()
      return { wide: bar.scrollWidth - bar.clientWidth, over: over.map((one) => one.outerHTML.slice(0, 80)),
        meet: source.right > figures.left, lines: Math.round(source.height / 20), name: name.width > 40 }
    `)
    assert.deepEqual(cut, { wide: 0, over: [], meet: false, lines: 1, name: true })
    assert.equal(stage.errors, '', 'nothing went wrong on the page')
  })
}

test('a clearing is a mark of its own', { timeout: LIMIT, all: true }, async () => {
  const file = await stage.sample('claude-code/compaction')
  const app = await stage.open([file])
  assert.deepEqual(await until('marks', async () => (await marks(app, 'clearings')).length && marks(app, 'clearings')), [8])
  assert.ok(await textOf(app, 'legend-clearing'))
  assert.ok(await textOf(app, 'legend-compaction'))
  await themed(app, 'light')
  await settled(app)
  await keepPicture(app, 'clearing-light')
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('a hidden loss and a missed cache are marks on the timeline, in its tip, and in what the cut says', { timeout: LIMIT }, async () => {
  const file = await stage.sample('claude-code/hidden-loss')
  const app = await stage.open([file])
  assert.deepEqual(await until('marks', async () => (await marks(app, 'losses')).length && marks(app, 'losses')), [5])
  assert.ok(await textOf(app, 'legend-loss'))
  // The same request missed the prompt cache; the first one has no mark.
  assert.deepEqual(await marks(app, 'misses'), [5])
  assert.ok(await textOf(app, 'legend-miss'))
  const { history, cost } = JSON.parse(await cwl('report', '--json', file))
  const said = history.losses[0].says
  const missed = cost.misses.find((miss) => miss.turn === 5).says
  assert.match(said, /^at least [0-9,]+ tokens fewer were sent than this log holds, from turn 5: /)

  await settled(app)
  // The pointer goes over the timeline from the left until the tip tells of it.
  const tipAt = async (share) => {
    await app.run(`
      const canvas = document.querySelector('[data-testid="timeline"] canvas')
      const { left, top, width, height } = canvas.getBoundingClientRect()
      const at = { clientX: left + arguments[0] * width, clientY: top + height / 2, bubbles: true }
      canvas.dispatchEvent(new PointerEvent('pointermove', at))
    `, share)
    await settled(app)
    return textOf(app, 'tip-loss')
  }
  for (let share = 0; share < 1 && !(await tipAt(share)); share += 0.04);
  assert.equal(await until('the tip says it', () => textOf(app, 'tip-loss')), said)
  assert.equal(await textOf(app, 'tip-miss'), missed)
  await keepPicture(app, 'hidden-loss')

  // By keys alone: the handle of the cut says the same at its turn.
  await app.run(`document.querySelector('[data-testid="playhead"]').focus()`)
  const heard = () => app.run(`return document.querySelector('[data-testid="playhead"]').getAttribute('aria-valuetext')`)
  await app.press(KEY.home)
  assert.ok(!(await heard()).includes(said), 'turn 1 has none')
  for (let turn = 1; turn < 5; turn += 1) await app.press(KEY.right)
  await until('the cut says it', async () => (await heard()).includes(said))
  assert.ok((await heard()).includes(missed))
  assert.deepEqual(await violations(app), [])
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

// The duel: two policies over one playhead, with figures of the command line, from the keyboard and from a button.

import assert from 'node:assert/strict'

import { LIMIT, Stage, cwl, keepPicture, until } from './app.mjs'
import { KEY, clickOn, settled } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

const json = async (...args) => JSON.parse(await cwl(...args, '--json'))
const count = (n) => n.toLocaleString('en-US')
const dollars = (micro) => `$${(micro / 1e6).toFixed(2)}`

/** The duel as it stands on the screen; `null` if it is not shown. */
const duelling = (app) =>
  app.run(`
    const duel = document.querySelector('[data-testid="duel"]')
    if (!duel || !duel.querySelector('[data-testid="duel-a"] [data-figure]')) return null
    const words = (testid) => duel.querySelector('[data-testid="' + testid + '"]')?.innerText ?? null
    const side = (side) => ({
      policy: duel.querySelector('[data-testid="duel-' + side + '"] h2').innerText,
      ...Object.fromEntries([...duel.querySelectorAll('[data-testid="duel-' + side + '"] [data-figure]')].map((one) => [one.dataset.figure, one.innerText])),
      leaving: words('duel-leaving-' + side),
      need: words('duel-need-' + side),
      lit: duel.querySelector('[data-testid="duel-need-' + side + '"]')?.dataset.lit === 'true',
      says: words('duel-says-' + side),
    })
    return {
      turn: Number(duel.dataset.turn),
      turns: Number(duel.dataset.turns),
      playing: duel.dataset.playing === 'true',
      a: side('a'),
      b: side('b'),
      end: words('duel-end'),
      clock: words('duel-clock'),
      verdict: words('verdict-said'),
    }
  `)

/** Opens a sample; the keyboard is nowhere in particular. */
async function opened(name, args, size) {
  const file = await stage.sample(name)
  const app = await stage.open([file, ...args], size)
  await until('the window', () => app.run(`return !!document.querySelector('[data-testid="duel-open"]')`))
  await app.run('document.activeElement?.blur(); return 1')
  return { app, file }
}

const untilDuel = (app, what, fits) =>
  until(what, async () => {
    const found = await duelling(app)
    return found && fits(found) && found
  })

test('from the keyboard: counters, what is needed again, one line for each side and the verdict', { timeout: 3 * LIMIT }, async () => {
  const { app, file } = await opened('pi/returns', ['--budget', '50k'])
  await app.press('D')
  const begun = await untilDuel(app, 'it plays by itself', ({ playing, turn }) => playing && turn > 1)
  assert.deepEqual([begun.a.policy, begun.b.policy], ['cwl+', 'summary'])
  await app.press(KEY.space)
  await untilDuel(app, 'it pauses', ({ playing }) => !playing)

  const { columns } = await json('compare', file, '--budget', '50k', '--policies', 'cwl+,summary')
  const { stories } = await json('reacquisitions', file, '--budget', '50k', '--policy', 'summary')
  const first = stories.reduce((one, other) => (other.again.turn < one.again.turn ? other : one))
  assert.ok(stories.length > 2, 'compaction loses something that is read again')

  await app.press(KEY.home)
  await untilDuel(app, 'the first turn', ({ turn }) => turn === 1)
  for (let n = 1; n < first.again.turn; n += 1) await app.press(KEY.right)
  const needed = await untilDuel(app, 'the turn of the first need', ({ turn }) => turn === first.again.turn)
  assert.ok(needed.b.lit, 'what was evicted lights up when the agent needs it')
  assert.ok(needed.b.need.includes(first.name) && needed.b.need.includes(`evicted before turn ${first.gone.turn}`), needed.b.need)
  assert.ok(!needed.a.lit && needed.a.again === '0', 'the other side has it')
  for (const [shown, column] of [
    [needed.a, columns[0]],
    [needed.b, columns[1]],
  ]) {
    assert.equal(shown.cost, dollars(column.cost_so_far[needed.turn - 1]))
    assert.ok(shown.kept.startsWith(`${count(column.after[needed.turn - 1])} of `), shown.kept)
  }
  await app.press(KEY.left)
  await untilDuel(app, 'a turn back', ({ turn, b }) => turn === first.again.turn - 1 && b.again === '0')

  await app.press(KEY.end)
  const { verdict } = await json('report', file, '--budget', '50k')
  const ended = await untilDuel(app, 'the verdict', ({ verdict: said }) => said !== null)
  assert.equal(ended.verdict, `${verdict.says}.`, 'word for word')
  for (const [shown, column] of [
    [ended.a, columns[0]],
    [ended.b, columns[1]],
  ]) {
    const { recall: found, cost } = column
    const recall = (found.hit_per_mille / 10).toFixed(1)
    const wanted = `${shown.policy}: ${dollars(cost.total_cost)}, recall ${recall} %, ${count(found.reacquired_tokens)} tokens read again.`
    assert.equal(shown.says, wanted)
    assert.equal(shown.again, count(found.reacquired_tokens))
  }
  await app.press(KEY.escape)
  await until('back in the window', () => app.run(`return !!document.querySelector('[data-testid="play"]')`))
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('from a cold start in two actions', { timeout: 2 * LIMIT }, async () => {
  const app = await stage.open([], { firstTab: true })
  await until('the start', () => app.run(`return !!document.querySelector('[data-testid="open-sample"]')`))
  await clickOn(app, 'open-sample')
  await until('the sample', () => app.run(`return !!document.querySelector('[data-testid="duel-open"]')`))
  await app.press('D')
  const found = await untilDuel(app, 'it plays', ({ playing, turn }) => playing && turn > 1)
  assert.deepEqual([found.a.policy, found.b.policy], ['cwl+', 'summary'])
  await app.press(KEY.end)
  await untilDuel(app, 'something was evicted, and both have their line', ({ a, b, verdict }) => a.says && b.says && verdict)
  await app.press(KEY.home)
  const first = await untilDuel(app, 'back at the first turn', ({ turn }) => turn === 1)
  assert.deepEqual([first.a.again, first.b.again], ['0', '0'])
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('from a button, with two policies and a τ of the user', { timeout: 2 * LIMIT, all: true }, async () => {
  const { app } = await opened('pi/quickstart', ['--budget', '900k'])
  await clickOn(app, 'duel-open')
  await until('nothing is evicted', () => app.run(`return /Neither policy evicts/.test(document.querySelector('[data-testid="duel"]')?.innerText ?? '')`))
  await clickOn(app, 'duel-tighter')
  await until('now something is', () => app.run(`return !/Neither policy evicts/.test(document.querySelector('[data-testid="duel"]').innerText)`))
  await clickOn(app, 'duel-policy-b')
  await until('the list', () => app.run(`return !!document.querySelector('[role=option][data-value="window"]')`))
  await app.click('[role=option][data-value="window"]')
  const found = await untilDuel(app, 'the other policy', ({ b }) => b.policy === 'window')
  assert.equal(found.a.policy, 'cwl+')
  await clickOn(app, 'duel-leave')
  await until('back in the window', () => app.run(`return !!document.querySelector('[data-testid="play"]')`))
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('it plays from the first turn to the last in thirty seconds', { timeout: 3 * LIMIT, all: true }, async () => {
  for (const sample of ['pi/quickstart', 'pi/long']) {
    const { app } = await opened(sample, ['--budget', '80k'])
    await app.press('D')
    await untilDuel(app, 'it plays', ({ playing }) => playing)
    await app.press(KEY.home)
    await app.press(KEY.space)
    const began = Date.now()
    await until('its end', async () => (await duelling(app))?.a.says, 45_000)
    const seconds = (Date.now() - began) / 1000
    assert.ok(seconds > 29 && seconds < 35, `${sample} took ${seconds} seconds`)
  }
})

for (const [width, height] of [
  [1440, 900],
  [1280, 720],
  [420, 800],
]) {
  test(`everything stands on one screen, ${width} × ${height}`, { timeout: 2 * LIMIT, all: width !== 1280 }, async () => {
    const { app } = await opened('pi/returns', ['--budget', '50k'], { width, height })
    await app.press('D')
    await untilDuel(app, 'the duel', ({ turn }) => turn > 1)
    await app.press(KEY.end)
    await untilDuel(app, 'the verdict', ({ verdict }) => verdict !== null)
    for (const theme of ['dark', 'light']) {
      await app.run(`document.documentElement.dataset.theme = arguments[0]; return 1`, theme)
      await settled(app)
      await keepPicture(app, `duel-${theme}-${width}`)
    }
    const hidden = await app.run(`
      const parts = ['duel-a', 'duel-b', 'duel-says-a', 'duel-says-b', 'duel-play', 'duel-scrub', 'duel-turn', 'verdict-said']
      return parts.filter((part) => {
        const { left, right, top, bottom, width, height } = document.querySelector('[data-testid="' + part + '"]').getBoundingClientRect()
        return width < 8 || height < 8 || left < -1 || right > innerWidth + 1 || top < -1 || bottom > innerHeight + 1
      })
    `)
    assert.deepEqual(hidden, [], 'nothing is cut off')
    const overflow = await app.run(`return document.documentElement.scrollWidth - innerWidth`)
    assert.ok(overflow <= 0, 'nothing goes beyond the side')
    assert.equal(stage.errors, '', 'nothing went wrong on the page')
  })
}

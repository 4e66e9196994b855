// The figures of an exported page: opened from a file, it computes what `cwl` says of the log at any budget, policy, turn and step.
// CWL_PLACES says at how many places figures are compared.

import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'

import { LIMIT, cwl } from './app.mjs'
import { ExportedPages, LONG, QUICKSTART, inBrowser } from './exportedPages.mjs'
import { after, before, test } from './runner.mjs'

/** The most that the page of the flagship sample may take, bytes. */
const MOST_BYTES = 4.5e6
const N_PLACES = Number(process.env.CWL_PLACES ?? 40)

const pages = new ExportedPages()
before(() => pages.start())
after(() => pages.stop())

/** Numbers that are the same in every run. */
function drawn(seed) {
  let state = seed
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
}

const VIEWS = [
  ['cwl', {}],
  ['cwl+', {}],
  ['summary', {}],
  ['mask', {}],
  ['window', {}],
  ['none', {}],
  ['cwl', { set: 'protected_turns=2' }],
  ['cwl', { tokenizer: 'cl100k' }],
  ['summary', { tokenizer: 'o200k' }],
]

/** Compares the total and the number of blocks at places of a log; every view has two of them. */
async function compareAt({ page, go }, log, n) {
  const draw = drawn(61)
  for (let at = 0; at < n; at += 2) {
    const [policy, more] = VIEWS[(at / 2) % VIEWS.length]
    const tau = String(20_000 + draw(120_000))
    const options = Object.entries(more).flatMap(([name, value]) => [`--${name}`, value])
    const asked = ['--policy', policy, '--budget', tau, ...options, '--json']
    const { turns } = JSON.parse(await cwl('replay', log, ...asked))
    const passes = turns.filter(({ steps }) => steps.length > 0)
    const pass = passes[draw(passes.length)]
    const anywhere = turns[draw(turns.length)]
    for (const [{ turn }, step] of [
      [anywhere, null],
      ...(pass ? [[pass, draw(pass.steps.length + 1)]] : []),
    ]) {
      const where = `${policy} at ${tau}, turn ${turn}, step ${step}`
      await go({ turn, ...(step === null ? {} : { step }), policy, tau, tab: 'context', ...more })
      await page.waitForSelector(`[data-testid=position][data-turn="${turn}"]`)
      const cut = ['--turn', String(turn), ...(step === null ? [] : ['--step', String(step)])]
      const listed = JSON.parse(await cwl('context', log, ...asked, ...cut))
      await page
        .waitForSelector(`[data-testid=context-total][data-total="${listed.total}"]`)
        .catch(async () => {
          const total = await page.getAttribute('[data-testid=context-total]', 'data-total')
          assert.fail(`${where}: the page has ${total}, cwl ${listed.total}`)
        })
    }
  }
}

test('the page has the figures of cwl anywhere, within its size', { ...inBrowser, timeout: 10 * LIMIT }, async () => {
  const { page, out, go, close } = await pages.export(LONG)
  const { size } = await stat(out)
  assert.ok(size <= MOST_BYTES, `${size} bytes`)
  await compareAt({ page, go }, LONG, N_PLACES)
  await close()
})

test('τ is dragged to any value, and Compare and the duel have the figures of cwl', inBrowser, async () => {
  const { page, blur, go, close } = await pages.export(LONG, '--budget', '80k')
  await page.waitForSelector('[data-testid=tau-input]')
  for (const tau of [61_803, 31_416]) {
    await page.fill('[data-testid=tau-input]', String(tau))
    await page.press('[data-testid=tau-input]', 'Enter')
    const trace = JSON.parse(await cwl('replay', LONG, '--budget', String(tau), '--json'))
    await blur()
    await page.keyboard.press('End')
    await page.waitForSelector(`[data-testid=totals][data-sent="${trace.turns.at(-1).tokens_after}"]`)
  }
  await go({ policy: 'cwl', tau: 40_000, tab: 'compare', with: 'summary' })
  const asked = ['--budget', '40k', '--policies', 'cwl,summary', '--json']
  const { columns } = JSON.parse(await cwl('compare', LONG, ...asked))
  await page.waitForFunction(
    (wanted) =>
      JSON.stringify([...document.querySelectorAll('[data-measure=cost] td')].map((cell) => Number(cell.dataset.value))) ===
      wanted,
    JSON.stringify(columns.map(({ cost }) => cost.total_cost)),
  )
  await blur()
  await page.keyboard.press('D')
  await page.waitForSelector('[data-testid=duel] [data-testid=duel-a] [data-figure]')
  await page.keyboard.press('Escape')
  await close()
})

/** Sets τ. */
async function setBudget({ page, blur }, budget) {
  await page.fill('[data-testid=tau-input]', String(budget))
  await page.press('[data-testid=tau-input]', 'Enter')
  await blur()
}

test('every pass of a budget has the figures of cwl', inBrowser, async () => {
  const log = QUICKSTART
  const { page, at, blur, close } = await pages.export(log, '--budget', '6k', '--turn', '5')
  await page.click('[data-testid=tab-context]')
  // A choice holds as long as the page is open.
  await page.click('[data-testid=theme]')
  for (const budget of [6_000, 8_000]) {
    await setBudget({ page, blur }, budget)
    const trace = JSON.parse(await cwl('replay', log, '--budget', String(budget), '--json'))
    const passes = trace.turns.filter((turn) => turn.steps.length > 0).slice(0, 3)
    assert.ok(passes.length > 0)
    await page.keyboard.press('Home')
    for (const pass of passes) {
      await page.keyboard.press('.')
      await at(pass.turn, pass.steps.length)
      const total = await page.waitForSelector(`[data-testid=totals][data-sent="${pass.tokens_after}"]`)
      assert.ok(total, `turn ${pass.turn} under ${budget}`)
      const listed = JSON.parse(
        await cwl('context', log, '--budget', String(budget), '--turn', String(pass.turn), '--json'),
      )
      await page.waitForSelector(`[data-testid=context-total][data-total="${listed.total}"]`)
    }
  }
  await close()
})

test('every step is there: it plays, steps back, and says what it takes', inBrowser, async () => {
  const log = QUICKSTART
  const budget = '6k'
  const { page, place, at, close } = await pages.export(log, '--budget', budget)
  const trace = JSON.parse(await cwl('replay', log, '--budget', budget, '--json'))
  const all = trace.turns.reduce((sum, turn) => sum + turn.steps.length, 0)
  assert.ok(all > 3)
  await page.keyboard.press('Home')
  await at(1, 0)
  const taken = []
  for (let n = 0; n < all * 2; n += 1) {
    const before = await place()
    await page.keyboard.press('ArrowRight')
    const [turn, step] = await place()
    if (turn === before[0] && step === before[1]) break
    if (step > 0) taken.push([turn, step])
  }
  assert.equal(taken.length, all)
  const sentence = await page.waitForSelector('[data-testid=sentence]')
  assert.ok((await sentence.textContent()).length > 10)
  await page.keyboard.press('Home')
  await page.keyboard.press(' ')
  await page.waitForSelector('[data-testid=play][aria-pressed=true]')
  await page.waitForSelector(`[data-testid=progress][data-taken="${all}"]`, {
    timeout: LIMIT,
  })
  await page.keyboard.press('p')
  await page.waitForSelector('[data-testid=presentation]')
  await page.keyboard.press('Escape')
  await page.waitForSelector('.window[data-phase=open]')
  await close()
})

test(
  'of a long session only the rows in view exist, with what is found and what holds the tokens',
  inBrowser,
  async () => {
    const log = LONG
    const { page, close } = await pages.export(log, '--budget', '2k')
    await page.click('[data-testid=tab-context]')
    const list = await page.waitForSelector('[data-testid=context-list]')
    await list.waitForSelector('[data-testid=context-item]')
    const n = Number(await list.getAttribute('data-items'))
    const shown = await list.$$('[data-testid=context-item]')
    assert.ok(n > 500 && shown.length < 60, `${shown.length} of ${n}`)
    const context = JSON.parse(await cwl('context', log, '--budget', '2k', '--json'))
    assert.ok(context.over_budget && context.findings.length > 0)
    const said = (await page.textContent('[data-testid=over-budget]')).replaceAll(',', '')
    for (const [what, tokens] of context.over_budget.held_by)
      assert.ok(said.includes(`${what} ${tokens}`), `${what} in ${said}`)
    await page.waitForSelector(`[data-testid=pass-findings][data-count="${context.findings.length}"]`)
    await close()
  },
)

test('the comparison has the figures of cwl at the turn that is shown', inBrowser, async () => {
  const log = QUICKSTART
  const { page, at, blur, go, close } = await pages.export(log, '--budget', '6k')
  const columns = ['summary', 'mask;tau=9k', 'none'].map((column) => ['with', column])
  await go([['policy', 'cwl'], ['tau', 6000], ['tab', 'compare'], ...columns])
  await page.waitForSelector('[data-testid=compare-table] td[data-policy=none]')
  const trace = JSON.parse(await cwl('replay', log, '--budget', '6k', '--json'))
  const pass = trace.turns.find(({ steps }) => steps.length > 0)
  const turns = [trace.turns.at(-1).turn, pass.turn]
  await blur()
  await page.keyboard.press('End')
  for (const turn of turns) {
    if (turn === pass.turn) {
      await page.keyboard.press('Home')
      await page.keyboard.press('.')
      await at(pass.turn, pass.steps.length)
    }
    const policies = ['cwl', 'summary', 'mask@9k', 'none']
    const asked = ['--budget', '6k', '--policies', policies.join(','), '--turn', String(turn), '--json']
    const { columns: told } = JSON.parse(await cwl('compare', log, ...asked))
    await page.waitForSelector(`[data-testid=compare-table][data-turn="${turn}"]`)
    const rowOf = (measure) =>
      page.$$eval(`[data-measure=${measure}] td`, (cells) =>
        cells.map(({ dataset }) => [dataset.policy, Number(dataset.value)]),
      )
    assert.deepEqual(
      await rowOf('total'),
      told.map(({ policy, total }) => [policy, total]),
    )
    assert.deepEqual(
      await rowOf('cost'),
      told.map(({ policy, cost }) => [policy, cost.total_cost]),
    )
  }
  const { verdict } = JSON.parse(await cwl('compare', log, '--budget', '6k', '--policies', 'cwl', '--json'))
  const said = await page.waitForSelector('[data-testid=verdict-said]')
  assert.equal(await said.textContent(), `${verdict.says}.`)
  await close()
})

test('what was read again is told, and leads to its places', inBrowser, async () => {
  const log = LONG
  const { page, close } = await pages.export(log, '--budget', '80k')
  const told = JSON.parse(await cwl('reacquisitions', log, '--budget', '80k', '--json'))
  await page.click('[data-testid=tab-reacquisitions]')
  await page.waitForSelector(`[data-testid=stories-sum][data-stories="${told.n_stories}"]`)
  const shown = await page.$$eval('[data-testid=story-row]', (rows) => rows.map(({ dataset }) => dataset.cause))
  assert.deepEqual(
    shown,
    told.stories.map(({ cause }) => cause),
  )
  const story = await page.waitForSelector('[data-testid=story]')
  assert.equal(await story.getAttribute('data-block'), told.stories[0].again.block)
  assert.ok((await page.textContent('[data-testid=story-place] .place-text')).length > 20, 'the text of the first place')
  await close()
})

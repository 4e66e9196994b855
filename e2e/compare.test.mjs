// Policies side by side: every figure, block and point in the window is what `cwl` says of the same file.

import assert from 'node:assert/strict'

import { LIMIT, Stage, cwl, keepPicture, until } from './app.mjs'
import { violations } from './axe.mjs'
import { KEY, clickOn, reload, setBudget, settled, textOf, themed, untilShown } from './page.mjs'
import { after, before, test } from './runner.mjs'

const BUDGET = '12k'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

const json = async (...args) => JSON.parse(await cwl(...args, '--json'))

async function opened(file, ...args) {
  const { episodes } = await json('graph', file)
  const app = await stage.open([file, '--budget', BUDGET, ...args])
  await untilShown(app, { names: episodes.map(({ name }) => name) })
  return app
}

/** Opens the Compare tab at one of its parts. */
async function compared(app, part = 'figures') {
  await clickOn(app, 'tab-compare')
  await until('the parts are there', () => app.run(`return !!document.querySelector('[data-testid="compare-figures"]')`))
  await clickOn(app, `compare-${part}`)
}

/** Chooses one of a list that drops down. */
async function choose(app, testId, value) {
  await clickOn(app, testId)
  const option = `[role=option][data-value="${value}"]`
  // The list may still be on its way to its place.
  await until(`${value} is pressed`, async () => {
    await app.run(`document.querySelector(arguments[0])?.scrollIntoView({ block: 'center' }); return 1`, option)
    await app.click(option)
    return true
  })
  await until(`${value} is chosen`, () =>
    app.run(`return document.querySelector('[data-testid="' + arguments[0] + '"]')?.dataset.value === arguments[1]`, testId, value),
  )
}

/** Reads the table: per measure one value per column. */
function figures(app) {
  return app.run(`
    const table = document.querySelector('[data-testid="compare-table"]')
    if (!table || table.dataset.busy === 'true' || table.dataset.turn === '') return null
    const rows = [...table.querySelectorAll('tr[data-measure]')]
    const cells = (row) => [...row.querySelectorAll('td')].map((cell) => (cell.dataset.value === '' ? null : Number(cell.dataset.value)))
    return { turn: Number(table.dataset.turn), measures: Object.fromEntries(rows.map((row) => [row.dataset.measure, cells(row)])) }
  `)
}

/** The same table from what the command line says. */
function expected({ turn, columns }) {
  const of = (value) => columns.map(value)
  const bands = new Set(columns.flatMap(({ bands }) => bands.filter(([, tokens]) => tokens > 0).map(([name]) => name)))
  const measures = {
    total: of(({ total }) => total),
    kept: of(({ n_kept: n }) => n),
    gone: of(({ n_gone: n }) => n),
    violations: of(({ violations: all }) => all.reduce((sum, [, n]) => sum + n, 0)),
    hits: of(({ recall: { hit_per_mille: hits } }) => hits),
    reacquired: of(({ recall: { reacquired_tokens: tokens } }) => tokens),
    details: of(({ survival }) => survival.reduce((sum, kind) => sum + kind.n_literal + kind.n_named, 0)),
    probes: of(({ probes: { answered_per_mille: share } }) => share ?? -1),
    found: of(({ found: { verification: n } }) => n),
    doubts: of(({ found: { doubts: n } }) => n),
    cost: of(({ cost: { total_cost: cost } }) => cost),
    summaries: of(({ cost: { summary_cost: cost } }) => cost),
    cached: of(({ cost: { cached_per_mille: share } }) => share),
    over: of(({ over_budget: turns }) => turns.length),
    beyond: of(({ beyond_window: n }) => n),
    steps: of(({ n_steps: n }) => n),
    mean: of(({ mean_total: tokens }) => tokens),
    largest: of(({ max_total: tokens }) => tokens),
  }
  for (const band of bands) {
    measures[`band-${band}`] = of(({ bands: own }) => own.find(([name]) => name === band)?.[1] ?? 0)
  }
  return { turn, measures }
}

/** Waits until the table says what `cwl compare` says with these arguments. */
async function untilFigures(app, ...args) {
  const wanted = expected(await json('compare', ...args))
  const inOrder = ({ turn, measures }) => JSON.stringify({ turn, measures: Object.entries(measures).sort() })
  let last
  try {
    return await until('the figures are those of cwl compare', async () => {
      last = await figures(app)
      return last && inOrder(last) === inOrder(wanted) && last
    })
  } catch (error) {
    throw new Error(`${error.message}\nwanted ${inOrder(wanted)}\nshown  ${last && inOrder(last)}`, { cause: error })
  }
}

const total = (app) => app.run(`return Number(document.querySelector('[data-testid="context-total"]')?.dataset.total)`)

test('the figures are those of cwl compare, at any turn and τ', { timeout: LIMIT }, async () => {
  const file = await stage.sample('pi/quickstart')
  const app = await opened(file)
  await compared(app)
  const policies = ['--policies', 'cwl,cwl+,summary,none']
  const now = await untilFigures(app, file, ...policies, '--budget', BUDGET)
  assert.equal(new Set(now.measures.total).size, 4, 'four policies send four different requests')
  await setBudget(app, '8k')
  await untilFigures(app, file, ...policies, '--budget', '8k')
  await app.run(`document.activeElement?.blur(); return 1`)
  await app.press(KEY.left, KEY.shift)
  await untilFigures(app, file, ...policies, '--budget', '8k', '--turn', String(now.turn - 1))
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('columns are chosen, have a τ of their own, and one press makes one the main view', { timeout: LIMIT }, async () => {
  const file = await stage.sample('pi/quickstart')
  const app = await opened(file)
  await compared(app)
  await choose(app, 'compare-policy-1', 'window')
  await clickOn(app, 'compare-remove-3')
  await clickOn(app, 'compare-tau-2')
  await app.run(`document.querySelector('[data-testid="compare-tau-2"]').select(); return 1`)
  await app.type('[data-testid="compare-tau-2"]', `9k${KEY.enter}`)
  await untilFigures(app, file, '--policies', 'cwl,window,summary@9k', '--budget', BUDGET)
  await clickOn(app, 'compare-use-2')
  await untilFigures(app, file, '--policies', `summary@9k,window@9k,cwl@${BUDGET}`)
  await clickOn(app, 'tab-context')
  const context = await json('context', file, '--policy', 'summary', '--budget', '9k')
  await until('the context is of the new main view', async () => (await total(app)) === context.total)
  await clickOn(app, 'tab-compare')
  await clickOn(app, 'compare-add')
  await until('a fourth column', () => app.run(`return !!document.querySelector('[data-testid="compare-use-3"]')`))
  // The window forgets nothing of that with the session.
  await reload(app)
  await until('the tab is there again', () => app.run(`return !!document.querySelector('[data-testid="tab-compare"]')`))
  await clickOn(app, 'tab-compare')
  await until('the columns are back', async () => {
    const now = await app.run(`
      return [1, 2, 3].map((at) => document.querySelector('[data-testid="compare-policy-' + at + '"]')?.dataset.value)
    `)
    return now[0] === 'window' && now[1] === 'cwl' && now[2] !== undefined && now
  })
})

test('the blocks that differ are those that one context has and the other has not', { timeout: LIMIT, all: true }, async () => {
  const file = await stage.sample('pi/quickstart')
  const kept = async (policy) => {
    const { items } = await json('context', file, '--policy', policy, '--budget', BUDGET)
    return new Set(items.filter((item) => item.kept && item.kind !== 'summary').map(({ block }) => block))
  }
  const [ours, theirs] = [await kept('cwl'), await kept('mask')]
  const app = await opened(file)
  await compared(app)
  await choose(app, 'compare-policy-2', 'mask')
  await compared(app, 'blocks')
  await choose(app, 'compare-against', '1')
  const wanted = {
    main: [...ours].filter((block) => !theirs.has(block)).length,
    other: [...theirs].filter((block) => !ours.has(block)).length,
  }
  assert.ok(wanted.main > 0 && wanted.other > 0, 'both have something that the other has not')
  await until(`the counts are ${JSON.stringify(wanted)}`, async () => {
    const sum = await app.run(`
      const sum = document.querySelector('[data-testid="compare-differences"]')
      return sum && { main: Number(sum.dataset.main), other: Number(sum.dataset.other) }
    `)
    return sum?.main === wanted.main && sum.other === wanted.other
  })
  const rows = await until('rows are there', async () => {
    const rows = await app.run(`
      return [...document.querySelectorAll('[data-testid="compare-list"] [data-in-main]')].map((row) => ({
        inMain: row.dataset.inMain === 'true', block: row.querySelector('[data-block]').dataset.block }))
    `)
    return rows.length > 0 && rows
  })
  for (const { inMain, block } of rows) {
    assert.equal(inMain, ours.has(block), `${block} is told of the right policy`)
    assert.notEqual(ours.has(block), theirs.has(block), `${block} is in one of both`)
  }
})

test('the points are those of cwl sweep, and a press on one takes its τ', { timeout: LIMIT }, async () => {
  const file = await stage.sample('pi/quickstart')
  const app = await opened(file)
  await compared(app, 'sweep')
  await app.type('[data-testid="sweep-budgets"]', `6k..14k:2k${KEY.enter}`)
  const { points, claims } = await json('sweep', file, '--budgets', '6k..14k:2k')
  const rows = await until('all points are in the table', async () => {
    const rows = await app.run(`
      return [...document.querySelectorAll('[data-testid="sweep-table-0"] tbody tr')].map((row) => ({
        budget: row.dataset.budget === '' ? null : Number(row.dataset.budget),
        ...Object.fromEntries([...row.querySelectorAll('[data-metric]')].map((cell) => [cell.dataset.metric, Number(cell.dataset.value)])),
      }))
    `)
    const busy = await app.run(`return !!document.querySelector('[data-testid="sweep-progress"]')`)
    return !busy && rows.length === points.length + 1 && rows
  })
  const wanted = points.map((point) => ({
    budget: point.budget,
    cost: point.cost.total_cost,
    hits: point.recall.hit_per_mille,
    reacquired: point.recall.reacquired_tokens,
    found: point.found.verification,
    doubts: point.found.doubts,
    steps: point.n_steps,
    over: point.over_budget_turns,
  }))
  assert.deepEqual(rows.slice(0, -1), wanted)
  assert.equal(rows.at(-1).budget, null, 'the last row is without eviction')
  const shown = await app.run(`return [...document.querySelectorAll('[data-testid="claim"]')].map((claim) => claim.dataset.holds)`)
  assert.deepEqual(shown, claims.map(({ holds }) => (holds === null ? 'unknown' : holds ? 'yes' : 'no')))
  const drawn = await app.run(`
    return [...document.querySelectorAll('[data-testid="sweep-chart"] [data-policy="cwl"]')].map((point) => Number(point.dataset.budget)).sort((a, b) => a - b)
  `)
  assert.deepEqual(drawn, points.map(({ budget }) => budget))

  const point = '[data-testid="sweep-chart"] [data-policy="cwl"][data-budget="8000"]'
  await app.run(`document.querySelector(arguments[0]).scrollIntoView({ block: 'center' }); return 1`, point)
  // Parts above the chart may still come, and move it from under the pointer.
  await settled(app)
  const place = await app.run(`
    const { left, top, width, height } = document.querySelector(arguments[0]).getBoundingClientRect()
    return { x: left + width / 2, y: top + height / 2 }
  `, point)
  await app.drag(place, place, 1)
  const taken = () => app.run(`return document.querySelector('[data-testid="tau-input"]').value.replaceAll(',', '')`)
  await until('τ is that of the point', async () => (await taken()) === '8000')
  // By keys: the first point, then the one after it.
  await app.run(`document.querySelector('[data-testid="sweep-chart"]').focus(); return 1`)
  await app.press(KEY.right)
  await app.press(KEY.enter)
  await until('τ is that of the second point', async () => (await taken()) === String(points[1].budget))
  await until('the current τ is marked', async () =>
    (await app.run(`return document.querySelector('[data-testid="sweep-now"]')?.dataset.budget`)) === String(points[1].budget),
  )
})

test('every policy of the menu runs, and sends what cwl says', { timeout: 3 * LIMIT, all: true }, async () => {
  const file = await stage.sample('pi/quickstart')
  const app = await opened(file)
  await clickOn(app, 'policy')
  const names = await until('the menu is open', async () => {
    const names = await app.run(`
      return [...document.querySelectorAll('[role=option][data-value]')].map((option) => option.dataset.value)
    `)
    return names.length > 5 && names
  })
  await app.press(KEY.escape)
  // Without a policy the window shows what happened, and has no menu of policies.
  for (const name of [...names.filter((name) => name !== 'none'), 'none']) {
    const shown = await app.run(`return document.querySelector('[data-testid="policy"]').dataset.value`)
    if (name === 'none') await clickOn(app, 'what-if-off')
    else if (shown !== name) await choose(app, 'policy', name)
    const context = await json('context', file, '--policy', name, '--budget', BUDGET)
    await until(`the context of ${name} is ${context.total}`, async () => (await total(app)) === context.total)
  }
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('options of a policy are a form; reset gives the defaults back', { timeout: LIMIT, all: true }, async () => {
  const file = await stage.sample('pi/quickstart')
  const app = await opened(file, '--policy', 'mask')
  const of = async (...args) => (await json('context', file, '--policy', 'mask', '--budget', BUDGET, ...args)).total
  const [usual, few] = [await of(), await of('--set', 'keep=2')]
  assert.notEqual(usual, few, 'the option makes a difference here')
  await until('the context is there', async () => (await total(app)) === usual)
  await clickOn(app, 'options')
  await until('the form is open', () => app.run(`return !!document.querySelector('[data-option="keep"] input')`))
  assert.deepEqual(await violations(app), [], 'the form')
  await app.run(`document.querySelector('[data-option="keep"] input').select(); return 1`)
  await app.type('[data-option="keep"] input', '2')
  await until('fewer outputs are kept', async () => (await total(app)) === few)
  await clickOn(app, 'options-reset')
  await until('as before', async () => (await total(app)) === usual)
})

test('a pinned block stays, a lost text is a finding', { timeout: LIMIT, all: true }, async () => {
  const file = await stage.sample('pi/quickstart')
  const before = await json('context', file, '--budget', BUDGET)
  const gone = before.items.find((item) => !item.kept && item.kind === 'result')
  const app = await opened(file)
  await until('the context is there', async () => (await total(app)) === before.total)
  const row = `[data-block="${gone.block}"]`
  await until('the ghost is in view', () =>
    app.run(
      `
      const list = document.querySelector('[data-testid="context-list"]')
      const row = document.querySelector(arguments[0])
      if (row) row.scrollIntoView({ block: 'center' })
      else list.scrollTop = list.scrollTop < 200 ? list.scrollHeight : list.scrollTop - 200
      return !!row
    `,
      row,
    ),
  )
  await app.run(`document.querySelector(arguments[0] + ' [data-testid="pin"]').click(); return 1`, row)
  const after = await json('context', file, '--budget', BUDGET, '--pin', `block:${gone.block}`)
  assert.equal(after.items.find(({ block }) => block === gone.block).kept, true, 'cwl keeps it too')
  await until('the context is that of cwl with the pin', async () => (await total(app)) === after.total)
  const nFindings = () => app.run(`return Number(document.querySelector('[data-testid="pass-findings"]')?.dataset.count ?? 0)`)
  assert.equal(await nFindings(), after.findings.length)
  await clickOn(app, 'pins')
  await until('the list is open', () => app.run(`return !!document.querySelector('[data-testid="pin-input"]')`))
  // A slash is a letter while a person types.
  await app.type('[data-testid="pin-input"]', `/no such text/${KEY.enter}`)
  await until('it is in the list', async () => (await textOf(app, 'pins-popup')).includes('/no such text/'))
  await until('what is lost is told', async () => (await nFindings()) === after.findings.length + 1)
  assert.deepEqual(await violations(app), [], 'the list of pins')
})

for (const theme of ['dark', 'light']) {
  test(`axe has nothing to say of the Compare tab, ${theme}`, { timeout: LIMIT, all: true }, async () => {
    const file = await stage.sample('pi/quickstart')
    const app = await opened(file)
    await themed(app, theme)
    for (const part of ['figures', 'blocks', 'sweep']) {
      await compared(app, part)
      await settled(app)
      assert.deepEqual(await violations(app), [], part)
    }
  })
}

for (const [width, height, theme] of [
  [900, 600, 'light'],
  [1440, 900, 'dark'],
  [1600, 1000, 'light'],
]) {
  test(`pictures at ${width}`, { timeout: LIMIT, all: true }, async () => {
    const file = await stage.sample('pi/long')
    const app = await stage.open([file, '--budget', '80k'], { width, height })
    await until('the graph is there', () => app.run(`return !!document.querySelector('[data-episodes]')`))
    await themed(app, theme)
    for (const part of ['figures', 'blocks', 'sweep']) {
      await compared(app, part)
      await until('it is through', () => app.run(`return !document.querySelector('[data-busy="true"], [data-testid="sweep-progress"]')`))
      await settled(app)
      await keepPicture(app, `compare-${part}-${theme}-${width}`)
      const wide = await app.run(`return document.documentElement.scrollWidth - document.documentElement.clientWidth`)
      assert.equal(wide, 0, 'the window itself does not scroll')
    }
    assert.equal(stage.errors, '', 'nothing went wrong on the page')
  })
}

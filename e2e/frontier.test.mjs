// Cost against memory: the settings that no other beats are those of `cwl sweep`, one press takes one, every place gives one verdict, and the
// picture is legible.

import assert from 'node:assert/strict'

import { LIMIT, Stage, cwl, keepPicture, until } from './app.mjs'
import { KEY, clickOn, setBudget, settled, textOf, themed, untilShown } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

const json = async (...args) => JSON.parse(await cwl(...args, '--json'))

/** Opens the picture of a sample, and waits until all policies are through. */
async function pictured(name, args, size) {
  const file = await stage.sample(name)
  const { episodes } = await json('graph', file)
  const app = await stage.open([file, ...args], size)
  await untilShown(app, { names: episodes.map(({ name: one }) => one) })
  await clickOn(app, 'tab-compare')
  await until('the parts are there', () => app.run(`return !!document.querySelector('[data-testid="compare-sweep"]')`))
  await clickOn(app, 'compare-sweep')
  return { app, file }
}

/** The settings that are offered, the cheapest first. */
const offered = (app) =>
  app.run(`
    if (document.querySelector('[data-testid="sweep-progress"]')) return null
    const rows = [...document.querySelectorAll('[data-testid="frontier-list"] li')]
    return rows.length > 0 && rows.map(({ dataset }) => ({
      policy: dataset.policy,
      budget: dataset.budget === '' ? null : Number(dataset.budget),
      cost: Number(dataset.cost),
      kept: Number(dataset.kept),
    }))
  `)

const total = (app) => app.run(`return Number(document.querySelector('[data-testid="context-total"]')?.dataset.total)`)

test('the settings that no other beats are those of cwl sweep, and a press takes one', { timeout: 2 * LIMIT }, async () => {
  const budgets = '6k..14k:2k'
  const { app, file } = await pictured('pi/quickstart', ['--budget', '12k'])
  const { policies } = await json('policies')
  const others = policies.map(({ name }) => name).filter((name) => name !== 'cwl')
  await app.type('[data-testid="sweep-budgets"]', `${budgets}${KEY.enter}`)
  const { frontier } = await json('sweep', file, '--budget', '12k', '--budgets', budgets, '--beside', others.join(','))
  const wanted = frontier.on.map(({ policy, budget, cost, kept }) => ({ policy, budget, cost, kept }))
  assert.ok(wanted.length > 2 && new Set(wanted.map(({ policy }) => policy)).size > 1, 'several policies are on it')
  let last
  await until('the list is that of cwl sweep', async () => {
    last = await offered(app)
    return JSON.stringify(last) === JSON.stringify(wanted)
  }).catch((error) => {
    throw new Error(`${error.message}\nwanted ${JSON.stringify(wanted)}\nshown  ${JSON.stringify(last)}`, { cause: error })
  })
  // The first that belongs to another policy becomes the main view.
  const place = wanted.findIndex(({ policy }) => policy !== 'cwl' && policy !== 'none')
  await app.run(
    `document.querySelectorAll('[data-testid="frontier-list"] li')[arguments[0]].querySelector('button').click(); return 1`,
    place,
  )
  const { policy, budget } = wanted[place]
  const context = await json('context', file, '--policy', policy, '--budget', String(budget))
  await clickOn(app, 'tab-context')
  await until(`the context is that of ${policy} at ${budget}`, async () => (await total(app)) === context.total)
  await clickOn(app, 'tab-compare')
  await until('it is in use', () =>
    app.run(
      `
      const row = [...document.querySelectorAll('[data-testid="frontier-list"] li')].find(({ dataset }) =>
        dataset.policy === arguments[0] && dataset.budget === arguments[1])
      return !!row && row.querySelector('button') === null
    `,
      policy,
      String(budget),
    ),
  )
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('probes are a measure of the picture once one is asked', { timeout: 2 * LIMIT, all: true }, async () => {
  const { app, file } = await pictured('pi/quickstart', ['--budget', '8k'])
  const axes = async () => {
    await clickOn(app, 'sweep-y')
    const names = await until('the list of measures', () =>
      app.run(`
        const found = [...document.querySelectorAll('[role=option][data-value]')].map(({ dataset }) => dataset.value)
        return found.length > 3 && found
      `),
    )
    await app.press(KEY.escape)
    return names
  }
  assert.ok(!(await axes()).includes('probes'), 'without a probe there is nothing to show')
  await clickOn(app, 'tab-context')
  await clickOn(app, 'pins')
  await until('the list is open', () => app.run(`return !!document.querySelector('[data-testid="probe-input"]')`))
  await app.type('[data-testid="probe-input"]', `2:retry${KEY.enter}`)
  await app.press(KEY.escape)
  await clickOn(app, 'tab-compare')
  await clickOn(app, 'compare-figures')
  const { columns } = await json('compare', file, '--policies', 'cwl,cwl+,summary,none', '--budget', '8k', '--probe', '2:retry')
  assert.ok(new Set(columns.map(({ probes }) => probes.answered)).size > 1, 'policies answer it at different turns')
  await until('the figures are those of cwl', async () => {
    const shown = await app.run(`
      const row = document.querySelector('tr[data-measure="probes"]')
      return row && [...row.querySelectorAll('td')].map(({ dataset }) => Number(dataset.value))
    `)
    return JSON.stringify(shown) === JSON.stringify(columns.map(({ probes }) => probes.answered_per_mille))
  })
  await clickOn(app, 'compare-sweep')
  await until('probes are a measure', async () => (await axes()).includes('probes'))
})

for (const [name, all] of [
  ['pi/forgotten', false],
  ['pi/long', true],
]) {
  test(`every place gives one verdict, whatever is chosen: ${name}`, { timeout: 2 * LIMIT, all }, async () => {
    const { app, file } = await pictured(name, [])
    const { verdict } = await json('compare', file, '--policies', 'none')
    const said = (where) =>
      until(`the verdict ${where}`, async () => {
        const words = await app.run(`return document.querySelector('[data-testid="verdict-said"]')?.textContent ?? ''`)
        return words === `${verdict.says}.`
      })
    await said('above the chart')
    assert.equal(await textOf(app, 'verdict-scope'), `${verdict.scope.says}.`)
    await clickOn(app, 'compare-figures')
    await said('above the columns')
    await clickOn(app, 'compare-remove-1')
    await setBudget(app, '9000')
    await said('with other columns and another τ')
    await clickOn(app, 'compare-sweep')
    await app.type('[data-testid="sweep-budgets"]', `6k..8k:1k${KEY.enter}`)
    await said('with other budgets in the chart')
    await app.run('document.activeElement?.blur(); return 1')
    await app.press('p')
    await app.press('v')
    await until('the presentation shows it', () =>
      app.run(
        `return document.querySelector('[data-testid="present-picture"] [data-testid="verdict-said"]')?.textContent === arguments[0]`,
        `${verdict.says}.`,
      ),
    )
    assert.equal(stage.errors, '', 'nothing went wrong on the page')
  })
}

/** The boxes of the names in the picture. */
const names = (app) =>
  app.run(`
    return [...document.querySelectorAll('[data-testid="sweep-chart"] .chart-name')].map((name) => {
      const { left, top, right, bottom } = name.getBoundingClientRect()
      return { words: name.textContent, left, top, right, bottom }
    })
  `)

for (const [width, height] of [
  [1440, 900],
  [1280, 720],
]) {
  test(`the verdict is above the fold and names do not touch, ${width} × ${height}`, { timeout: 2 * LIMIT, all: width > 1280 }, async () => {
    const { app } = await pictured('pi/long', ['--budget', '80k'], { width, height })
    await until('the settings are offered', () => offered(app))
    await settled(app)
    for (const theme of ['light', 'dark']) {
      await themed(app, theme)
      await settled(app)
      await keepPicture(app, `frontier-${theme}-${width}`)
    }
    const all = await names(app)
    assert.ok(all.length > (height > 800 ? 3 : 0), 'settings on the line are named')
    for (const [at, one] of all.entries()) {
      for (const other of all.slice(at + 1)) {
        const apart =
          one.right <= other.left || other.right <= one.left || one.bottom <= other.top + 2 || other.bottom <= one.top + 2
        assert.ok(apart, `${one.words} touches ${other.words}`)
      }
    }
    const dots = await app.run(`
      return [...document.querySelectorAll('[data-testid="sweep-chart"] .chart-point:not(.side-rest)')].map((point) => {
        const { left, top, right, bottom } = point.getBoundingClientRect()
        return { words: point.dataset.policy, left, top, right, bottom }
      })
    `)
    assert.ok(dots.length > 3, 'both lines have points')
    for (const name of all) {
      for (const dot of dots) {
        const apart =
          name.right <= dot.left + 1 || dot.right <= name.left + 1 || name.bottom <= dot.top + 2 || dot.bottom <= name.top + 2
        assert.ok(apart, `${name.words} stands on a point of ${dot.words}`)
      }
    }
    const inView = (selector) =>
      app.run(
        `
        const found = [...document.querySelectorAll(arguments[0])]
        return found.length > 0 && found.every((element) => {
          const { top, bottom } = element.getBoundingClientRect()
          const pane = element.closest('[role=region]').getBoundingClientRect()
          return top >= pane.top - 1 && bottom <= Math.min(pane.bottom, innerHeight) + 1
        })
      `,
        selector,
      )
    assert.ok(await inView('[data-testid="verdict-said"]'), 'the verdict is in view')
    assert.ok(await inView('[data-testid="sweep-chart"] svg'), 'the picture is in view')
    await clickOn(app, 'compare-figures')
    await until('the figures are there', () => app.run(`return document.querySelector('[data-testid="compare-table"]')?.dataset.busy === 'false'`))
    await settled(app)
    await keepPicture(app, `verdict-${width}`)
    assert.ok(await inView('[data-testid="verdict-said"]'), 'the verdict above the columns is in view')
    for (const measure of ['cost', 'hits', 'reacquired']) {
      assert.ok(await inView(`tr[data-measure="${measure}"]`), `${measure} is in view`)
    }
  })
}

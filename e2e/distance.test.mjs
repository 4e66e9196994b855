// The graph from three distances: the session, the neighbourhood of an episode, its blocks; by the choice, by keys and by a link.

import assert from 'node:assert/strict'

import { LIMIT, Stage, cwl, until } from './app.mjs'
import { violations } from './axe.mjs'
import { KEY, clickOn, middleOf, shown } from './page.mjs'
import { after, before, test } from './runner.mjs'

const VIEW = ['--budget', '9k', '--policy', 'cwl']

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

async function opened(size = {}, turn = '30') {
  const file = await stage.sample('pi/quickstart')
  const { episodes, edges, implicit } = JSON.parse(await cwl('graph', file, '--json'))
  const app = await stage.open([file, ...VIEW, '--turn', turn], size)
  await until('the graph is drawn', () => shown(app))
  const place = (name) => episodes.findIndex((episode) => episode.name === name)
  const names = (list) => list.map((idx) => episodes[idx].name)
  const sources = (name) => names(edges.filter(([, to]) => to === place(name)).map(([from]) => from))
  const users = (name) => names(edges.filter(([from]) => from === place(name)).map(([, to]) => to))
  return { app, file, episodes, implicit, sources, users }
}

/** The near view as the page shows it; `null` from afar. */
const near = (app) =>
  app.run(`
    const near = document.querySelector('[data-testid="near"]')
    if (!near) return null
    const cards = (selector) => [...near.querySelectorAll(selector)].map((card) => card.dataset.episode)
    const chosen = near.querySelector('[data-chosen]')
    return {
      distance: near.dataset.distance,
      chosen: chosen?.dataset.episode,
      hasKeyboard: document.activeElement === chosen,
      text: chosen?.textContent ?? '',
      sources: cards('[data-testid="near-sources"] [data-implicit="false"]'),
      users: cards('[data-testid="near-users"] [data-implicit="false"]'),
      nEdges: near.querySelectorAll('[data-testid="near-edge"]').length,
      dashed: [...near.querySelectorAll('[data-testid="near-edge"]')].map((edge) => edge.dataset.dashed === 'true'),
      reasons: [...near.querySelectorAll('[data-testid="near-why"]')].length,
      blocks: [...near.querySelectorAll('[data-testid="near-block"]')].map(({ dataset }) => [dataset.block, dataset.state]),
    }
  `)

const untilNear = (app, what, fits) =>
  until(what, async () => {
    const found = await near(app)
    return found && fits(found) && found
  })

const choose = (app, distance) => app.click(`[data-testid="distance"] input[value="${distance}"]`)

const select = async (app, name) => {
  await clickOn(app, 'tab-episodes')
  const row = `[data-testid="episode-row"][data-episode="${name}"] .cell-name`
  await until('the row is there', () => app.run('return document.querySelector(arguments[0]) !== null', row))
  await app.click(row)
}

test('a chosen episode stands between what it draws on and what draws on it', { timeout: LIMIT, window: true }, async () => {
  const { app, sources, users } = await opened()
  await select(app, 'pause-after-grace')
  await choose(app, 'neighbourhood')
  const act = await untilNear(app, 'its neighbourhood', ({ chosen, reasons }) => chosen === 'pause-after-grace' && reasons > 3)
  assert.deepEqual(act.sources, sources('pause-after-grace'))
  assert.deepEqual(act.users, [])
  assert.match(act.text, /act.*\d of [\d,]+ tokens/, 'kind, and kept of had')
  await until('each card has its edge', async () => (await near(app)).nEdges >= 3)

  // The keyboard walks along edges.
  const walked = async (key, what, name) => {
    await app.press(key)
    return untilNear(app, what, ({ chosen, hasKeyboard }) => chosen === name && hasKeyboard)
  }
  await until('the card has the keyboard', async () => (await near(app)).hasKeyboard)
  const source = await walked(KEY.left, 'the last one that it draws on', 'check-test-helpers')
  assert.deepEqual(source.users, users('check-test-helpers'))
  await walked(KEY.up, 'the one before among those', 'trace-failure-bookkeeping')
  const other = await walked(KEY.right, 'the first act that draws on that', 'add-missing-since-column')
  assert.deepEqual(other.sources, sources('add-missing-since-column'))
  await walked(KEY.down, 'the next act that does', 'pause-after-grace')
  assert.deepEqual(await violations(app), [], 'axe finds nothing')
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('from near an episode shows its blocks by kind and state', { timeout: LIMIT, all: true }, async () => {
  // The pass strips reads and commands of the episode and keeps the rest.
  const { app, file, episodes } = await opened({}, '17')
  const { items } = JSON.parse(await cwl('evicted', file, ...VIEW, '--turn', '17', '--json'))
  const name = 'trace-failure-bookkeeping'
  const idx = episodes.findIndex((episode) => episode.name === name)
  const gone = items.filter(({ episode }) => episode === idx).map(({ block }) => block)
  await select(app, name)
  await app.press('>')
  await untilNear(app, 'the neighbourhood', ({ distance }) => distance === 'neighbourhood')
  await app.press('>')
  const { blocks } = await untilNear(app, 'the blocks', ({ distance, blocks }) => distance === 'episode' && blocks.length > 0)
  assert.ok(gone.length > 0, 'the policy took some of it')
  assert.deepEqual(blocks.flatMap(([block, state]) => (state === 'gone' ? [block] : [])).sort(), gone.sort())
  assert.ok(blocks.some(([, state]) => state === 'kept'), 'and some stay')
  assert.deepEqual(await violations(app), [], 'axe finds nothing')
  await app.press('<')
  await untilNear(app, 'the neighbourhood again', ({ distance }) => distance === 'neighbourhood')
  await app.press(KEY.escape)
  await until('the session', async () => (await near(app)) === null)
  const chosen = await app.run(`return document.querySelector('[data-testid="inspector"]')?.dataset.episode`)
  assert.equal(chosen, name, 'it is still selected')
})

test('a step that takes something from a neighbour dashes its edge', { timeout: LIMIT }, async () => {
  const file = await stage.sample('pi/quickstart')
  const { turns } = JSON.parse(await cwl('replay', file, ...VIEW, '--json'))
  const first = turns.find(({ steps }) => steps.length > 0)
  assert.ok(first, 'there is a pass')
  const episode = 'map-fetch-outcomes'
  const place = { session: file, turn: String(first.turn), step: '0', tau: '9k', policy: 'cwl', episode }
  const url = new URLSearchParams({ ...place, distance: 'neighbourhood' })
  const linked = await stage.open([`cwl-inspector://open?${url}`])
  const before = await untilNear(linked, 'the neighbourhood of a link', ({ chosen, nEdges }) => chosen === episode && nEdges > 0)
  assert.ok(before.dashed.every((dashed) => !dashed), 'all of it is there')
  await clickOn(linked, 'next-pass')
  await untilNear(linked, 'dashed edges', ({ dashed }) => dashed.length > 0 && dashed.every(Boolean))
})

for (const { width, height, least } of [
  { width: 1440, height: 900, least: 0.31 },
  { width: 1280, height: 720, least: 0.22 },
  { width: 1000, height: 640, least: 0.22 },
  // The bars of a narrow window take a third of it.
  { width: 420, height: 800, least: 0.2 },
])
  test(`the graph has its share of ${width} by ${height}, with the timeline in view on its axis`, { timeout: LIMIT, all: width > 1000 }, async () => {
    const { app } = await opened({ width, height })
    const box = (selector) =>
      app.run(
        `const { top, bottom, left, right } = document.querySelector(arguments[0]).getBoundingClientRect()
        return { top, bottom, left, right }`,
        selector,
      )
    const [strip, graph, timeline, legend] = [
      await box('[data-testid="strip"]'),
      await box('[data-testid="graph"] canvas'),
      await box('[data-testid="timeline"] canvas'),
      await box('.legend'),
    ]
    // A window of the desktop has a least width.
    const inner = await app.run('return { width: innerWidth, height: innerHeight }')
    const share = (graph.bottom - strip.top) / inner.height
    assert.ok(share > least && share < 0.36, `${share}`)
    assert.ok(timeline.bottom <= inner.height && timeline.bottom - timeline.top > 70, JSON.stringify(timeline))
    assert.deepEqual([graph.left, graph.right], [timeline.left, timeline.right], 'one axis')
    assert.ok(legend.bottom <= strip.top + 1 && legend.right <= inner.width, 'the legend stands above the picture')
    const at = await middleOf(app, '[data-testid="legend-all"]')
    assert.ok(at.x < inner.width && at.y > legend.top && at.y < legend.bottom, 'and its list is in reach')
  })

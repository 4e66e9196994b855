// The time axis by tokens: as wide as what came in, the same for every picture, and back to turns.

import assert from 'node:assert/strict'

import { LIMIT, Stage, cwl, until } from './app.mjs'
import { KEY, clickOn, position, reload, settled, untilAt, untilShown } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

const GRAPH = '[data-testid="graph"] canvas'
const STRIP = '[data-testid="strip"]'
const TIMELINE = '[data-testid="timeline"] canvas'

/** Tokens that came in up to each turn, by the command line; turn 0 is before everything. */
async function cameIn(file) {
  const { turns } = JSON.parse(await cwl('replay', file, '--policy', 'none', '--budget', '900k', '--json'))
  return [0, ...turns.map(({ tokens_after: tokens }) => tokens)]
}

/** The episodes of a kind that share no message with their neighbours of that kind. */
function apart(episodes, kind) {
  const lane = episodes.filter((episode) => episode.kind === kind)
  const free = (at) =>
    (lane[at - 1]?.last_turn ?? 0) < lane[at].first_turn &&
    lane[at].last_turn < (lane[at + 1]?.first_turn ?? Infinity)
  return lane.filter((_, at) => free(at))
}

/** Opens a sample with the axis of turns, whatever the test before left. */
async function opened(sample, ...more) {
  const file = await stage.sample(sample)
  const { episodes } = JSON.parse(await cwl('graph', file, '--json'))
  const app = await stage.open([file, '--budget', '900k', ...more])
  await untilShown(app, { names: episodes.map(({ name }) => name), levels: episodes.map(() => 0) })
  if ((await axisOf(app)) !== 'turns') await changeTo(app, 'turns', () => clickOn(app, 'axis-toggle'))
  await settled(app)
  return { file, app, episodes }
}

const axisOf = (app) => app.run(`return document.querySelector('[data-testid="axis-toggle"]').dataset.value`)

async function changeTo(app, axis, act) {
  await act()
  await until(`the axis is of ${axis}`, async () => (await axisOf(app)) === axis)
  await settled(app)
}

/**
 * Where the boxes of a lane are on the canvas, read from its pixels: the row with most of the lane's colour runs
 * through all of them. A box that begins within a pixel has a mixed one there, so an end may be one off.
 */
function boxes(app, colour) {
  return app.run(`
    const canvas = document.querySelector(arguments[0])
    const { width, height } = canvas
    const { data } = canvas.getContext('2d').getImageData(0, 0, width, height)
    const hex = getComputedStyle(document.documentElement).getPropertyValue('--' + arguments[1]).trim()
    const wanted = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16))
    const is = (x, y) => wanted.every((value, at) => Math.abs(data[(y * width + x) * 4 + at] - value) < 12)
    let best = []
    let most = 0
    for (let y = 0; y < height; y += 1) {
      const runs = []
      let n = 0
      for (let x = 0; x < width; x += 1) {
        if (!is(x, y)) continue
        n += 1
        if (runs.at(-1)?.to === x) runs.at(-1).to = x + 1
        else runs.push({ from: x, to: x + 1 })
      }
      if (n > most) [most, best] = [n, runs]
    }
    const ratio = width / canvas.clientWidth
    return best.map(({ from, to }) => ({ from: from / ratio, to: to / ratio }))
  `, GRAPH, colour)
}

/** Where the cut stands on a canvas: the column with most of the cut's colour. */
function playhead(app, selector) {
  return app.run(`
    const canvas = document.querySelector(arguments[0])
    const { width, height } = canvas
    const { data } = canvas.getContext('2d').getImageData(0, 0, width, height)
    const hex = getComputedStyle(document.documentElement).getPropertyValue('--selection').trim()
    const wanted = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16))
    let best = null
    let most = height / 4
    for (let x = 0; x < width; x += 1) {
      let n = 0
      for (let y = 0; y < height; y += 1) n += wanted.every((value, at) => data[(y * width + x) * 4 + at] === value)
      if (n > most) [most, best] = [n, x]
    }
    return best && best / (width / canvas.clientWidth)
  `, selector)
}

async function clickAxis(app, x) {
  const frame = await app.run(`
    const { left, bottom } = document.querySelector(arguments[0]).getBoundingClientRect()
    return { left, bottom }
  `, GRAPH)
  // In the middle of that pixel.
  const point = { x: frame.left + x, y: frame.bottom - 8 }
  await app.drag(point, point, 1)
}

test('an episode is as wide as the tokens that came in during it', { timeout: LIMIT }, async () => {
  const { app, file, episodes } = await opened('pi/long')
  const came = await cameIn(file)
  const turns = came.map((_, turn) => turn)
  for (const [axis, places] of [
    ['turns', turns],
    ['tokens', came],
  ]) {
    if (axis === 'tokens') await changeTo(app, axis, () => clickOn(app, 'axis-toggle'))
    // The cut is on the last turn, so its place says how wide a unit is.
    const unit = (await playhead(app, GRAPH)) / places.at(-1)
    for (const [kind, colour] of [
      ['expl', 'explore'],
      ['act', 'act'],
    ]) {
      const drawn = await boxes(app, colour)
      const seen = []
      for (const { name, first_turn: first, last_turn: last } of apart(episodes, kind)) {
        const wanted = { from: places[first - 1] * unit, to: places[last] * unit }
        if (wanted.to - wanted.from < 8) continue
        const middle = (wanted.from + wanted.to) / 2
        const box = drawn.find(({ from, to }) => from <= middle && middle <= to)
        // One pixel is the gap between boxes, one may be mixed where a box begins or ends within it.
        assert.ok(
          box && Math.abs(box.from - wanted.from) < 2 && Math.abs(box.to + 1 - wanted.to) < 2,
          `${axis}: ${name} is at ${JSON.stringify(box)}, not at ${JSON.stringify(wanted)}`,
        )
        seen.push({ tokens: came[last] - came[first - 1], width: box.to + 1 - box.from })
      }
      assert.ok(seen.length > 10, `${axis}: ${seen.length} of ${kind} are wide enough to judge`)
      if (axis === 'turns') continue
      const [large, small] = [Math.max, Math.min].map((which) => {
        const tokens = which(...seen.map((box) => box.tokens))
        return seen.find((box) => box.tokens === tokens)
      })
      const off = large.width / small.width / (large.tokens / small.tokens) - 1
      assert.ok(Math.abs(off) < 2 / small.width, `${large.width} to ${small.width} pixels is off by ${off}`)
      if (kind === 'expl') assert.ok(large.tokens > 10 * small.tokens, 'they are of very different size')
    }
  }
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('graph, timeline and strip have the same x on either axis', { timeout: LIMIT }, async () => {
  const { app, file } = await opened('pi/quickstart', '--turn', '12')
  const came = await cameIn(file)
  await untilAt(app, 'turn 12', ({ turn }) => turn === 12)
  await settled(app)
  const all = async () => [await playhead(app, GRAPH), await playhead(app, TIMELINE), await playhead(app, STRIP)]
  const together = (found, what) => {
    assert.ok(found.every((x) => x !== null), `${what}: the cut is on all three: ${found}`)
    assert.ok(Math.max(...found) - Math.min(...found) <= 1, `${what}: ${found}`)
    return found[0]
  }
  const byTurns = together(await all(), 'turns')
  await changeTo(app, 'tokens', () => app.press('x'))
  const byTokens = together(await all(), 'tokens')
  // Of the same session at the same width; the air at the end is less than a twentieth.
  const moved = byTokens / byTurns / (came[12] / came.at(-1) / (12 / (came.length - 1)))
  assert.ok(Math.abs(moved - 1) < 0.05, `from ${byTurns} to ${byTokens}`)
  await changeTo(app, 'turns', () => app.press('x'))
  assert.equal(together(await all(), 'turns again'), byTurns)
})

test('a turn in which nothing came in can be clicked', { timeout: LIMIT, all: true }, async () => {
  const { app, file } = await opened('pi/long')
  const came = await cameIn(file)
  const empty = came.findIndex((tokens, turn) => turn > 1 && tokens === came[turn - 1])
  assert.ok(empty > 1, 'the sample has such a turn')
  await changeTo(app, 'tokens', () => clickOn(app, 'axis-toggle'))
  for (let n = 0; n < 25; n += 1) await app.press('+')
  // The cut brings the place into view.
  const to = async (turn) => {
    for (let { turn: at } = await position(app); at !== turn; at += Math.sign(turn - at)) {
      await app.press(at < turn ? KEY.right : KEY.left, KEY.shift)
    }
    await untilAt(app, `turn ${turn}`, (at) => at.turn === turn)
    await settled(app)
  }
  await to(empty)
  const right = await playhead(app, GRAPH)
  await clickAxis(app, right - 26)
  await untilAt(app, 'the turn before, which is as near as that', ({ turn }) => turn === empty - 1)
  await settled(app)
  assert.ok((await playhead(app, GRAPH)) < right - 13, 'it stands apart')
  await clickAxis(app, right)
  await untilAt(app, 'the turn without tokens', ({ turn }) => turn === empty)
})

test('the axis says which it is, and is remembered', { timeout: LIMIT, all: true }, async () => {
  const { app } = await opened('pi/quickstart')
  const said = () =>
    app.run(`
      const parts = document.querySelectorAll('[data-testid="axis-toggle"] > :not([aria-hidden=true])')
      return [...parts].map((part) => part.textContent).join('')
    `)
  assert.equal(await said(), 'x: turns')
  await changeTo(app, 'tokens', () => clickOn(app, 'axis-toggle'))
  assert.equal(await said(), 'x: tokens')
  await reload(app)
  await until('tokens after loading the page again', () =>
    app.run(`return document.querySelector('[data-episodes]') !== null &&
      document.querySelector('[data-testid="axis-toggle"]')?.dataset.value === 'tokens'`),
  )
})

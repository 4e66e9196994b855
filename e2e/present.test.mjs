// The presentation: figures of this turn beside those of the session, columns that stay, and an end that ends the playing.

import assert from 'node:assert/strict'

import { LIMIT, Stage, cwl, keepPicture, until } from './app.mjs'
import { KEY, settled, untilAt } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

const json = async (...args) => JSON.parse(await cwl(...args, '--json'))

/** Opens the presentation of the long sample at a turn. */
async function presented(turn, size, ...more) {
  const file = await stage.sample('pi/long')
  const app = await stage.open([file, '--budget', '80k', '--turn', String(turn), ...more], size)
  await untilAt(app, `turn ${turn}`, (at) => at.turn === turn)
  await app.run('document.activeElement?.blur(); return 1')
  await app.press('p')
  await until('the presentation', () => app.run(`return !!document.querySelector('[data-testid="presentation"]')`))
  return { app, file }
}

/** The figures of both policies: by policy, by figure. */
const versus = (app) =>
  app.run(`
    const rows = [...document.querySelectorAll('[data-testid="versus"] tbody tr')]
    return rows.length === 2 && {
      turn: Number(document.querySelector('[data-testid="versus"]').dataset.turn),
      rows: rows.map((row) => Object.fromEntries([...row.querySelectorAll('td')].map((cell) => [cell.dataset.figure, cell.textContent]))),
      words: document.querySelector('[data-testid="versus"]').innerText,
    }
  `)

/** The turn with the longest pass. */
async function longestPass(file) {
  const { turns } = await json('replay', file, '--budget', '80k')
  return turns.reduce((a, b) => (b.steps.length > a.steps.length ? b : a))
}

test('compaction is compared as it stands after its pass, and says of what its figures are', { timeout: 2 * LIMIT, all: true }, async () => {
  const { turn, steps } = await longestPass(await stage.sample('pi/long'))
  assert.ok(steps.length > 3)
  const { app, file } = await presented(turn, undefined, '--probe', '3:retry')
  await app.press(KEY.left)
  await app.press(KEY.left)
  const args = [file, '--budget', '80k', '--turn', String(turn), '--probe', '3:retry']
  const at = String(steps.length - 2)
  const own = (await json('compare', ...args, '--policies', 'cwl', '--step', at)).columns[0]
  const other = (await json('compare', ...args, '--policies', 'summary')).columns[0]
  await app.press('c')
  const count = (n) => n.toLocaleString('en-US')
  const shown = await until('the figures of both', async () => {
    const found = await versus(app)
    return found && found.turn === turn && found.rows[0].total === count(own.total) && found
  })
  assert.equal(shown.rows[1].total, count(other.total), 'compaction has finished its pass')
  for (const [row, column] of [
    [shown.rows[0], own],
    [shown.rows[1], other],
  ]) {
    const share = (perMille) => `${perMille % 10 === 0 ? perMille / 10 : (perMille / 10).toFixed(1)}%`
    assert.equal(row.gone, count(column.gone_tokens))
    assert.equal(row.hits, share(column.recall.hit_per_mille))
    assert.equal(row.probes, share(column.probes.answered_per_mille))
  }
  assert.match(shown.words, new RegExp(`in the request of turn ${turn}`))
  assert.match(shown.words, /over all 36\d requests/)
  assert.match(shown.words, /extractive stand-in: no model wrote its summary/)
})

test('while it plays no column moves, and to leave it ends the playing', { timeout: 2 * LIMIT, all: true }, async () => {
  const { turn } = await longestPass(await stage.sample('pi/long'))
  const { app } = await presented(turn - 1)
  await app.press('c')
  await until('both are there', () => versus(app))
  const places = () =>
    app.run(`
      const boxes = [...document.querySelectorAll('[data-testid="versus"] th, [data-testid="versus"] td, .place > span')]
      return boxes.map((box) => Math.round(box.getBoundingClientRect().left)).join(' ')
    `)
  const isPlaying = () => app.run(`return document.querySelector('[data-testid="present-play"]').getAttribute('aria-pressed') === 'true'`)
  const figures = new Set()
  const seen = new Set()
  await app.press(KEY.space)
  await until('many figures have been shown', async () => {
    const now = await versus(app)
    if (now) {
      figures.add(now.rows[0].total)
      seen.add(await places())
    }
    return figures.size > 5
  })
  assert.deepEqual([...seen], [[...seen][0]], 'everything stays where it was')
  assert.ok(await isPlaying())
  await app.press(KEY.escape)
  await until('the window plays no more', () =>
    app.run(`return document.querySelector('[data-testid="play"]')?.getAttribute('aria-pressed') === 'false'`),
  )
})

for (const [width, height] of [
  [1280, 720],
  [1440, 900],
]) {
  test(`sentences are whole, the picture is there, ${width} × ${height}`, { timeout: 2 * LIMIT, all: width > 1280 }, async () => {
    const { turn, steps } = await longestPass(await stage.sample('pi/long'))
    const { app, file } = await presented(turn, { width, height })
    const { episodes } = await json('graph', file)
    const said = () =>
      app.run(`
        const words = document.querySelector('[data-testid="present-sentence"]')
        const { bottom, right } = words.getBoundingClientRect()
        return { text: words.textContent, isWhole: words.scrollHeight <= words.clientHeight + 1 && words.scrollWidth <= words.clientWidth + 1 && bottom <= innerHeight && right <= innerWidth }
      `)
    for (let n = 0; n < Math.min(6, steps.length); n += 1) {
      const { text, isWhole } = await until('a sentence', async () => {
        const found = await said()
        return found.text !== '' && found
      })
      assert.ok(isWhole, text)
      // A name stays as the agent wrote it, also where it begins the sentence.
      for (const { name } of episodes) {
        if (text.toLowerCase().startsWith(`${name.toLowerCase()} `)) assert.ok(text.startsWith(name), text)
      }
      await app.press(KEY.left)
    }
    await app.press('c')
    await until('both are there', () => versus(app))
    await settled(app)
    await keepPicture(app, `present-versus-${width}`)
    await app.press('v')
    await until('the sentence of the picture', () =>
      app.run(`return /on this session: at equal cost/.test(document.querySelector('[data-testid="verdict-said"]')?.textContent ?? '')`),
    )
    await until('the line', () => app.run(`return !!document.querySelector('[data-testid="present-picture"] [data-testid="sweep-line-cwl"]')`))
    for (const theme of ['dark', 'light']) {
      await app.run(`document.documentElement.dataset.theme = arguments[0]; return 1`, theme)
      await settled(app)
      await keepPicture(app, `present-picture-${theme}-${width}`)
    }
    assert.equal(stage.errors, '', 'nothing went wrong on the page')
  })
}

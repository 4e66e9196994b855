// A list of a hundred thousand rows: its end, its middle and its beginning are reached, and rows stand where they belong.

import assert from 'node:assert/strict'

import { LIMIT, Stage, until } from './app.mjs'
import { KEY, shown } from './page.mjs'
import { after, before, test } from './runner.mjs'

const N_ROWS = 100_000

let stage
let app
before(async () => {
  stage = await Stage.start()
  app = await stage.open([await stage.file('long.jsonl', conversation()), '--budget', '900k', '--policy', 'none'])
  await until('the graph is drawn', () => shown(app), 2 * LIMIT)
})
after(() => stage?.stop())

/** How many blocks one message has. Few messages are read and counted soon, so that the list is what takes time here. */
const N_BLOCKS = 100

/** A conversation without tools, in the form of Claude Code: each block is a row that tells its number. */
function conversation() {
  const line = (n) => {
    const isHuman = n % 2 === 1
    const content = Array.from({ length: N_BLOCKS }, (_, at) => ({
      type: 'text',
      text: `row ${(n - 1) * N_BLOCKS + at + 1} of the conversation`,
    }))
    const usage = { input_tokens: 10, output_tokens: 5 }
    const message = isHuman
      ? { role: 'user', content }
      : { id: `msg_${n}`, type: 'message', role: 'assistant', model: 'claude-opus-4-6', content, usage }
    return JSON.stringify({
      parentUuid: n === 1 ? null : `u${n - 1}`,
      isSidechain: false,
      userType: 'external',
      cwd: '/home/dev/long',
      sessionId: 'long',
      version: '2.0.0',
      type: isHuman ? 'user' : 'assistant',
      message,
      uuid: `u${n}`,
      timestamp: new Date(Date.UTC(2026, 4, 1) + n * 1000).toISOString(),
    })
  }
  return Array.from({ length: N_ROWS / N_BLOCKS }, (_, at) => `${line(at + 1)}\n`).join('')
}

/** The numbers of the rows in view, from the top, and the place of the list. */
const inView = () =>
  app.run(`
    const list = document.querySelector('[role=tabpanel]:not([hidden]) .rows')
    const box = list.getBoundingClientRect()
    const rows = [...list.querySelectorAll('[data-testid="context-item"]')].filter((row) => {
      const { top, bottom } = row.getBoundingClientRect()
      return bottom > box.top + 1 && top < box.bottom - 1
    })
    const tops = rows.map((row) => row.getBoundingClientRect().top)
    return {
      numbers: rows.map((row) => Number(/row ([0-9]+) of/.exec(row.textContent)?.[1])),
      isOrdered: tops.every((top, at) => at === 0 || top > tops[at - 1]),
      top: list.scrollTop,
      height: list.scrollHeight,
    }
  `)

const settledAt = (what, fits) =>
  until(what, async () => {
    const seen = await inView()
    return seen.numbers.length > 2 && seen.numbers.every((n) => n > 0) && fits(seen) && seen
  }, LIMIT / 2)

test('a hundred thousand rows are walked from end to beginning', { timeout: 3 * LIMIT }, async () => {
  const isInOrder = ({ numbers, isOrdered }) =>
    isOrdered && numbers.every((n, at) => at === 0 || n === numbers[at - 1] + 1)
  const last = await settledAt('it opens at its end', ({ numbers }) => numbers.at(-1) === N_ROWS)
  assert.ok(isInOrder(last), JSON.stringify(last))

  await app.run(`document.querySelector('[role=tabpanel]:not([hidden]) .rows').focus(); return 1`)
  await app.press(KEY.home)
  const first = await settledAt('the first row', ({ numbers }) => numbers[0] === 1)
  assert.ok(isInOrder(first), JSON.stringify(first))

  // By the bar at its side, in leaps and then row by row.
  for (const share of [0.5, 0.9, 0.25]) {
    await app.run(
      `
        const list = document.querySelector('[role=tabpanel]:not([hidden]) .rows')
        list.scrollTop = list.scrollHeight * arguments[0]
        return 1
      `,
      share,
    )
    const there = await settledAt(`the rows at ${share}`, (seen) => Math.abs(seen.numbers[0] / N_ROWS - share) < 0.05)
    assert.ok(isInOrder(there), JSON.stringify(there))
  }
  const { numbers: before } = await inView()
  for (let n = 0; n < 30; n += 1) {
    await app.run(`document.querySelector('[role=tabpanel]:not([hidden]) .rows').scrollBy(0, 40); return 1`)
  }
  const after = await settledAt('further rows', ({ numbers }) => numbers[0] > before[0] + 5)
  assert.ok(isInOrder(after), JSON.stringify(after))
  assert.ok(after.numbers[0] < before[0] + 60, `small steps make no leaps: ${before[0]} and ${after.numbers[0]}`)
})

test('a list that changes before the browser tells of a scroll stays where the person scrolled it', { timeout: 2 * LIMIT }, async () => {
  await app.run(`document.querySelector('[role=tabpanel]:not([hidden]) .rows').focus(); return 1`)
  await app.press(KEY.end)
  await settledAt('the last row', ({ numbers }) => numbers.at(-1) === N_ROWS)
  // A press on a row draws the list again at once, and the browser tells of the scroll only with the next picture.
  const scrollAndPress = (share) =>
    app.run(
      `
        const list = document.querySelector('[role=tabpanel]:not([hidden]) .rows')
        list.scrollTop = list.scrollHeight * arguments[0]
        list.querySelector('[role=row]').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }))
        return 1
      `,
      share,
    )
  for (const share of [0, 0.5, 0.2]) {
    await scrollAndPress(share)
    const near = ({ numbers }) => Math.abs(numbers[0] / N_ROWS - share) < 0.05
    await settledAt(`the rows at ${share}`, near)
  }
})

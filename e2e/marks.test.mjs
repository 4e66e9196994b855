// Marks that are changed in the window: by mouse and by keyboard, what comes of it, taken back, kept and given away.

import assert from 'node:assert/strict'

import { LIMIT, Stage, cwl, until } from './app.mjs'
import { KEY, clickOn, middleOfEpisode, untilShown } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** The annotation that the window shows. */
const shown = (app) =>
  app.run(`
    return {
      annotation: document.querySelector('[data-testid="annotation"]')?.dataset.value,
      source: document.querySelector('[data-testid="annotation-source"]')?.dataset.source,
    }
  `)

const untilAnnotation = (app, annotation) =>
  until(`the episodes are those of ${annotation}`, async () => {
    const now = await shown(app)
    return now.annotation === annotation && now
  })

/** Presses the button of these words in a part of the page. */
async function press(app, part, words) {
  const found = await until(`“${words}” can be pressed`, () =>
    app.run(
      `
      const button = [...document.querySelectorAll(arguments[0] + ' button')].find(
        (one) => (one.textContent.trim() || one.ariaLabel) === arguments[1] && !one.disabled,
      )
      button?.click()
      return !!button
    `,
      part,
      words,
    ),
  )
  assert.ok(found)
}

/** Selects an episode with the keys of the graph. */
async function select(app, name) {
  await app.run(`document.querySelector('[data-testid="graph"] canvas').focus()`)
  let [key, last, nWaited] = [KEY.left, null, 0]
  await until(`${name} is selected`, async () => {
    const now = await app.run(`return document.querySelector('[data-testid="inspector"]')?.dataset.episode`)
    if (now === name) return true
    // One key after the other: keys that a laden page has not answered yet would lead past the episode. Where none is
    // answered, the way ends, and the other one is taken.
    nWaited = now === last ? nWaited + 1 : 0
    if (nWaited > 0 && nWaited < 10) return false
    if (nWaited > 0) key = key === KEY.left ? KEY.right : KEY.left
    last = now
    nWaited = 0
    await app.press(key)
    return false
  })
}

const fieldOf = (app, testid) =>
  app.run(`return document.querySelector('[data-testid="' + arguments[0] + '"]')?.value`, testid)

/** Types into a field of the inspector and presses Enter. */
async function type(app, testid, words) {
  await app.run(
    `
    const field = document.querySelector('[data-testid="' + arguments[0] + '"]')
    field.focus()
    const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')
    set.call(field, arguments[1])
    field.dispatchEvent(new Event('input', { bubbles: true }))
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
  `,
    testid,
    words,
  )
}

const card = (app) =>
  app.run(`
    const card = document.querySelector('[data-testid="marks-effect"]')
    if (!card || !card.querySelector('table') || card.dataset.busy === 'true') return null
    const cells = [...card.querySelectorAll('[data-measure]')].map((row) => [
      row.dataset.measure,
      [...row.querySelectorAll('td')].map((cell) => cell.textContent),
    ])
    return { changes: [...card.querySelectorAll('li')].map((one) => one.textContent), ...Object.fromEntries(cells) }
  `)

test('an episode is changed, weighed, and changed back', { timeout: LIMIT }, async () => {
  const file = await stage.sample('claude-code/unmarked')
  const app = await stage.open([file, '--budget', '30000'])
  const { episodes } = JSON.parse(await cwl('graph', file, '--json'))
  const names = episodes.map(({ name }) => name)
  await untilShown(app, { names })
  const { name } = episodes.find(({ kind }) => kind === 'act')
  await select(app, name)
  // An inferred start can be accepted or changed at once.
  await press(app, '[data-testid="source"]', 'Change…')
  await until('its fields are there', () => fieldOf(app, 'marks-name'))
  await type(app, 'marks-name', 'another name')
  await untilAnnotation(app, 'my marks')
  await untilShown(app, { names: names.map((one) => (one === name ? 'another name' : one)) })
  const renamed = await until('the card is there', () => card(app))
  assert.deepEqual(renamed.changes, [`${name} is called another name`])
  const [before, now] = renamed.mean
  assert.equal(before, now, 'a name alone changes no size')

  // A boundary by its turn: the neighbour moves along.
  const last = Number(await fieldOf(app, 'marks-last'))
  await type(app, 'marks-last', String(last - 1))
  const moved = await until('the boundary moved', async () => {
    const told = await card(app)
    return told?.changes.some((one) => one.startsWith('another name ends at')) && told
  })
  assert.equal(moved.mean.length, 3, 'beside the last change stands what all of it was changed from')
  for (const measure of ['mean', 'cost', 'hits', 'steps'])
    assert.equal(moved[measure][1], renamed[measure].at(-1), `${measure} before the second change is that after the first`)

  // Both are taken back, one after the other; the second one ends the set of marks.
  await press(app, '[data-testid="marks-effect"]', 'Undo')
  await until('the boundary is back', async () => Number(await fieldOf(app, 'marks-last')) === last)
  await app.run(`document.activeElement.blur()`)
  await app.press('z', KEY.control)
  await untilShown(app, { names })
  assert.equal((await untilAnnotation(app, 'inferred')).source, 'inferred')
  await clickOn(app, 'annotation')
  await until('nothing is kept of it', async () => {
    const values = await app.run(`return [...document.querySelectorAll('.choice-item')].map((one) => one.dataset.value)`)
    return values.join() === 'declared,inferred'
  })
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

test('a dependency is drawn with the mouse', { timeout: LIMIT, window: true }, async () => {
  const file = await stage.sample('claude-code/unmarked')
  const app = await stage.open([file])
  const { episodes, edges } = JSON.parse(await cwl('graph', file, '--json'))
  await untilShown(app, { names: episodes.map(({ name }) => name) })
  const drawn = (from, to) => edges.some(([a, b]) => a === from && b === to)
  const pairs = episodes.flatMap((on, from) =>
    episodes.map((act, to) => ({ on, act, from, to })).filter(({ act, to }) => act.kind === 'act' && to > from),
  )
  // Of the pairs that are not drawn yet, the one whose episodes are widest: a narrow one is hard to hit.
  const width = ({ first_turn, last_turn }) => last_turn - first_turn
  const least = ({ on, act }) => Math.min(width(on), width(act))
  const [{ on, act }] = pairs
    .filter(({ on, from, to }) => on.kind === 'expl' && !drawn(from, to))
    .sort((one, other) => least(other) - least(one))
  await clickOn(app, 'graph-marks')
  const place = (episode) => middleOfEpisode(app, episodes, episode)
  await app.drag(await place(on), await place(act))
  await untilAnnotation(app, 'my marks')
  const told = await until('the card is there', () => card(app))
  assert.deepEqual(told.changes, [`${act.name} draws on ${on.name}`])
})

test('a suggestion of lint is applied, and taken back', { timeout: LIMIT, all: true }, async () => {
  const app = await stage.open([await stage.sample('pi/long')])
  await until('the log is shown', () => app.run(`return !!document.querySelector('[data-episodes]')`))
  await app.run(`[...document.querySelectorAll('[role="tab"]')].find((tab) => tab.textContent.startsWith('Problems'))?.click()`)
  const hints = () =>
    app.run(`return Number(document.querySelector('[data-testid="lint-hints"]')?.dataset.hints ?? 0)`)
  const before = await until('lint has hints', hints)
  // The rules of thumb stand below the problems.
  await app.run(`document.querySelector('[data-testid="lint-filter"]').focus()`)
  await app.type('[data-testid="lint-filter"]', 'Q003')
  await until('only they are listed', async () => {
    const codes = await app.run(`return [...document.querySelectorAll('[data-code]')].map((one) => one.dataset.code)`)
    return codes.length > 1 && codes.every((code) => code === 'Q003')
  })
  const listed = await hints()
  assert.ok(listed > 0 && listed < before)
  await clickOn(app, 'lint-apply')
  await untilAnnotation(app, 'my marks')
  await until('it is settled', async () => (await hints()) === listed - 1)
  const told = await until('the card is there', () => card(app))
  assert.match(told.changes[0], /^\S+ draws on \S+$/)
  await press(app, '[data-testid="marks-effect"]', 'Undo')
  await untilAnnotation(app, 'declared')
  await until('it is back', async () => (await hints()) === listed)
})

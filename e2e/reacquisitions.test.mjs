// The Read again tab: which annotation made the agent read something again, and what would have helped; and every mark
// that leads there.

import assert from 'node:assert/strict'

import { LIMIT, Stage, cwl, until } from './app.mjs'
import { violations } from './axe.mjs'
import { KEY, clickOn, position, shown, untilAt } from './page.mjs'
import { after, before, test } from './runner.mjs'

const MOST_ACTIONS = 4

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1)
/** A sentence of the engine as the page shows it: names without backticks, a full stop. */
const said = (sentence) => `${capital(sentence).replaceAll('`', '')}.`

/** Opens a sample, and tells what the command line says of it. */
async function open(sample, ...args) {
  const file = await stage.sample(sample)
  const told = JSON.parse(await cwl('reacquisitions', file, ...args, '--json'))
  const app = await stage.open([file, ...args])
  await until('the graph is drawn', () => shown(app))
  return { app, told, file }
}

/** The story that is open, as the page shows it; `null` before it is there with its texts. */
const story = (app) =>
  app.run(`
    const story = document.querySelector('[data-testid="story"]')
    const places = [...document.querySelectorAll('[data-testid="story-place"]')]
    if (!story || places.some((place) => !place.querySelector('.place-text')?.textContent)) return null
    const text = (id) => story.querySelector('[data-testid="' + id + '"]').textContent
    const isOnScreen = (element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect()
      return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && bottom > top
    }
    return {
      block: story.dataset.block,
      cause: story.dataset.cause,
      why: text('story-why'),
      helps: text('story-helps'),
      places: places.map((place) => place.querySelector('h3').textContent),
      isOnScreen: ['story-why', 'story-helps'].every((id) => isOnScreen(story.querySelector('[data-testid="' + id + '"]'))),
    }
  `)

const untilStory = (app, what, fits = () => true) =>
  until(what, async () => {
    const found = await story(app)
    return found && fits(found) && found
  })

test('which annotation made the agent read this again, and what would have helped?', { timeout: LIMIT }, async (t) => {
  const { app, told } = await open('pi/long')
  const done = []
  /** Presses what stands on the screen with these words. */
  const press = async (words, selector) => {
    done.push(words)
    const at = await until(`"${words}" is shown`, () =>
      app.run(
        `
          const found = [...document.querySelectorAll(arguments[1])].find(({ textContent }) => textContent.includes(arguments[0]))
          const box = found?.getBoundingClientRect()
          return box?.width > 0 ? { x: box.left + box.width / 2, y: box.top + box.height / 2 } : null
        `,
        words,
        selector,
      ),
    )
    await app.drag(at, at)
  }
  await press('Read again', '[role=tab]')
  const [dearest] = told.stories
  await press(dearest.name, '[role=option]')
  const answer = await untilStory(app, 'the story', ({ block }) => block === dearest.again.block)
  assert.ok(done.length <= MOST_ACTIONS, done.join(', '))
  assert.ok(answer.why.includes(said(dearest.says)) && answer.why.includes(dearest.first.episode_name), answer.why)
  assert.equal(answer.helps, said(dearest.advice))
  assert.deepEqual(answer.places, ['First seen', 'Evicted', 'Read again'])
  assert.ok(answer.isOnScreen, 'the answer is on the screen')
  assert.deepEqual(await violations(app), [], 'axe finds nothing')
  t.diagnostic(`${done.length} actions: ${done.join(', ')}`)

  // Its places lead there.
  await app.click('[data-testid="story-place"]:nth-child(2) > header .link')
  await untilAt(app, 'the step that took it', ({ turn, step }) => turn === dearest.gone.turn && step === dearest.gone.step)
  await app.click('[data-testid="story-place"]:nth-child(3) > header .link:last-child')
  await until('the block is shown in the Context tab', () =>
    app.run(`return document.querySelector('[data-testid="tab-context"]').ariaSelected === 'true'`),
  )
})

test('the list is what the command line tells, and walks by keys', { timeout: LIMIT }, async () => {
  const { app, told } = await open('pi/long', '--budget', '60k')
  await clickOn(app, 'tab-reacquisitions')
  await untilStory(app, 'the first story')
  const rows = await app.run(`
    return [...document.querySelectorAll('[data-testid="story-row"]')].map((row) => [
      row.querySelector('.mono').textContent,
      row.dataset.cause,
    ])
  `)
  assert.deepEqual(rows, told.stories.map(({ name, cause }) => [name, cause]))
  await app.run(`document.querySelector('[data-testid="stories"]').focus(); return 1`)
  await app.press(KEY.down)
  await untilStory(app, 'the second', ({ block }) => block === told.stories[1].again.block)
  await app.press(KEY.end)
  await untilStory(app, 'the last', ({ block }) => block === told.stories.at(-1).again.block)
  await app.press(KEY.enter)
  await until('the story has the keyboard', () => app.run(`return document.activeElement?.id === 'story'`))
})

test('every mark leads to its story', { timeout: LIMIT, all: true }, async () => {
  const { app, told, file } = await open('pi/long')
  const { items } = JSON.parse(await cwl('evicted', file, '--json'))
  const line = items.find(({ block }) => block === told.stories[0].first.block).text.slice(0, 40)
  const { names } = await shown(app)
  const leave = () => clickOn(app, 'tab-episodes')
  const isOf = (episode) => (found) =>
    told.stories.some(({ again, episodes }) => again.block === found.block && episodes.includes(episode))

  await leave()
  await until('a row with a mark', () => app.run(`return !!document.querySelector('[data-testid="row-again"]')`))
  const name = await app.run(`
    const mark = document.querySelector('[data-testid="row-again"]')
    return mark.closest('[data-testid="episode-row"]').dataset.episode
  `)
  const episode = names.indexOf(name)
  await clickOn(app, 'row-again')
  await untilStory(app, 'the story of the row', isOf(episode))

  await leave()
  await app.click(`[data-testid="episode-row"][data-episode="${name}"] .cell-name`)
  await until('the mark of the inspector', () =>
    app.run(`return !!document.querySelector('[data-testid="inspector-again"]')`),
  )
  await clickOn(app, 'inspector-again')
  await untilStory(app, 'the story of the selected episode', isOf(episode))

  await leave()
  await app.press('r')
  await untilStory(app, 'by the key', isOf(episode))

  await clickOn(app, 'tab-evicted')
  const nItems = () => app.run(`return Number(document.querySelector('[data-testid="evicted-total"]')?.dataset.items)`)
  await until('the whole list', async () => (await nItems()) === items.length)
  await app.type('[data-testid="evicted-find"] input', line)
  await until('the list is narrowed', async () => (await nItems()) < items.length)
  await until('a block that was read again', () => app.run(`return !!document.querySelector('[data-testid="again"]')`))
  await clickOn(app, 'again')
  await untilStory(app, 'the story of the block')

  // A turned arrow near the foot of the timeline, above the other marks.
  await leave()
  const { left, bottom, width, turns } = await app.run(`
    const timeline = document.querySelector('[data-testid="timeline"]')
    const { left, bottom, width } = timeline.querySelector('canvas').getBoundingClientRect()
    return { left, bottom, width, turns: timeline.dataset.again.split(',').map(Number) }
  `)
  assert.deepEqual(turns, [...new Set(told.stories.map(({ again }) => again.turn))].sort((a, b) => a - b))
  const isThere = () =>
    app.run(`return document.querySelector('[data-testid="tab-reacquisitions"]').getAttribute('aria-selected') === 'true'`)
  const { turn: all } = await position(app)
  const middle = left + ((turns[0] - 0.5) / all) * width
  for (let by = -24; by <= 24 && !(await isThere()); by += 6) {
    const at = { x: middle + by, y: bottom - 32 }
    await app.drag(at, at)
  }
  await untilStory(app, 'the story of the turn', ({ block }) =>
    told.stories.some(({ again }) => again.block === block && again.turn === turns[0]),
  )

  await app.press('k', KEY.control)
  await until('the palette', () => app.run(`return !!document.querySelector('[data-testid="palette-field"]')`))
  await app.type('[data-testid="palette-field"]', 'read again')
  await until('it is found', () =>
    app.run(`
      const lines = [...document.querySelectorAll('[data-testid="palette-list"] [role=option]')]
      return lines.some(({ textContent }) => textContent.includes('Read again'))
    `),
  )
})

test('what would have helped is applied as an overlay, and told before and after', { timeout: LIMIT }, async () => {
  const { app, told } = await open('pi/forgotten', '--budget', '900')
  assert.equal(told.stories[0].cause, 'undeclared')
  await clickOn(app, 'tab-reacquisitions')
  await untilStory(app, 'the story', ({ cause }) => cause === 'undeclared')
  await clickOn(app, 'story-apply')
  await until('the effect is told', () =>
    app.run(`return document.querySelector('[data-testid="marks-effect"] [data-measure="reacquired"]') !== null`),
  )
  await untilStory(app, 'another story is the dearest', ({ cause }) => cause !== 'undeclared')
})

test('the blame board says what the command line says, and leads to the original, the re-read and the story', { timeout: LIMIT }, async () => {
  const { app, told } = await open('pi/forgotten', '--budget', '900')
  await clickOn(app, 'tab-episodes')
  await clickOn(app, 'episodes-blame')
  const rows = await until('the rows', () =>
    app.run(`
      const rows = [...document.querySelectorAll('[data-testid="blame-row"]')].map((row) => [
        row.dataset.class,
        row.querySelector('[data-testid="blame-says"]').textContent,
        !!row.querySelector('[data-testid="blame-fix"]'),
      ])
      return rows.length > 0 && rows
    `),
  )
  assert.deepEqual(rows, told.blame.map((row) => [row.class, said(row.says), row.edits.length > 0]))
  assert.deepEqual(await violations(app), [], 'axe finds nothing')
  const [worst] = told.blame
  const back = async () => {
    await clickOn(app, 'tab-episodes')
    await until('the board', () => app.run(`return !!document.querySelector('[data-testid="blame-row"]')`))
  }
  for (const [link, place] of [['blame-first', worst.first], ['blame-again', worst.again]]) {
    await clickOn(app, link)
    await until('the Context tab shows it', () =>
      app.run(
        `
          const isThere = document.querySelector('[data-testid="tab-context"]').ariaSelected === 'true'
          return isThere && !!document.querySelector('[data-block="' + arguments[0] + '"]')
        `,
        place.block,
      ),
    )
    await back()
  }
  await clickOn(app, 'blame-story')
  await untilStory(app, 'its story', ({ block }) => block === worst.again.block)
})

test('a description that is mended spares nothing in the replay, and the window says so', { timeout: LIMIT, all: true }, async () => {
  const { app, told } = await open('pi/forgotten', '--budget', '900')
  const thin = told.blame.find(({ cause }) => cause === 'thin_description')
  await clickOn(app, 'tab-episodes')
  await clickOn(app, 'episodes-blame')
  const row = `[data-testid="blame-row"][data-cause="thin_description"]`
  await until('its row', () => app.run('return !!document.querySelector(arguments[0])', row))
  await app.click(`${row} [data-testid="blame-fix"]`)
  const kind = await until('what it does', () =>
    app.run(`return document.querySelector('[data-testid="marks-effect"] [data-kind]')?.dataset.kind`),
  )
  assert.equal(kind, 'words_only')
  // The re-read is still in the log, and its cause is another now.
  await until('no mark is to blame', () =>
    app.run(
      'return !!document.querySelector(arguments[0])',
      `[data-testid="blame-row"][data-class="no_mark"][data-cause="in_description"][data-episode="${thin.episode_name}"]`,
    ),
  )
})

test('inferred episodes are called so', { timeout: LIMIT, all: true }, async () => {
  const { app, told } = await open('claude-code/unmarked', '--budget', '6k')
  assert.ok(told.stories.length > 0)
  await clickOn(app, 'tab-reacquisitions')
  await untilStory(app, 'a story')
  for (const id of ['stories-inferred', 'story-inferred'])
    assert.ok(await app.run(`return !!document.querySelector('[data-testid="' + arguments[0] + '"]')`, id), id)
})

test('a session in which nothing was read again says so', { timeout: LIMIT, all: true }, async () => {
  const { app } = await open('pi/quickstart')
  await clickOn(app, 'tab-reacquisitions')
  await until('the pane says that there is none', () =>
    app.run(`
      const empty = document.querySelector('.panel .empty > :first-child')
      return empty?.textContent === 'The agent read nothing again after the policy had evicted it.'
    `),
  )
})

// The three jobs that the window is for, each done in at most six actions by a person who opens it for the first time:
// to debug annotations, to demonstrate the policy, to look at what was evicted from a session that is still running.

import assert from 'node:assert/strict'
import { appendFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'

import { KIND, LIMIT, Stage, cwl, until } from './app.mjs'
import { KEY, position, textOf, untilAt, untilShown } from './page.mjs'

const MOST_ACTIONS = 6

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** A person at the window: every click, key, drag and typed text is an action, and all are told. */
class Person {
  done = []

  constructor(app) {
    this.app = app
  }

  async click(what, testId) {
    this.#does(`click ${what}`)
    await this.app.click(`[data-testid="${testId}"]`)
  }

  async press(what, key, ...held) {
    this.#does(`press ${what}`)
    await this.app.press(key, ...held)
  }

  /** Types into the field that has the keyboard, by its selector. */
  async type(selector, text) {
    this.#does(`type ${text.replace(KEY.enter, ' Enter')}`)
    await this.app.type(selector, text)
  }

  async drag(what, from, to) {
    this.#does(`drag ${what}`)
    await this.app.drag(from, to)
  }

  #does(what) {
    this.done.push(what)
    assert.ok(this.done.length <= MOST_ACTIONS, `at most ${MOST_ACTIONS} actions: ${this.done.join(', ')}`)
  }

  /** Says how it was done. */
  tell(t) {
    t.diagnostic(`${this.done.length} actions: ${this.done.join(', ')}`)
  }
}

const LEVELS = { reasoning: 1, bulk: 2, intermediate: 3, remove: 4 }

/** The sample with its trace at 80k, its graph, and the level of every episode in the end. */
async function long(budget = '80k') {
  const file = await stage.sample('pi/long')
  const trace = JSON.parse(await cwl('replay', file, '--budget', budget, '--json'))
  const graph = JSON.parse(await cwl('graph', file, '--json'))
  const levels = new Map(graph.episodes.map(({ name }) => [name, 0]))
  for (const { steps } of trace.turns) {
    for (const { episode, level } of steps) levels.set(episode, LEVELS[level] ?? level)
  }
  return { file, trace, graph, levels }
}

/** Finds an episode by its name, as one does: palette, name, Enter. */
async function find(person, name) {
  await person.press('Ctrl K', 'k', KEY.control)
  await until('the palette', () => person.app.run(`return !!document.querySelector('[data-testid="palette-field"]')`))
  await person.type('[data-testid="palette-field"]', `@${name}`)
  await until('the name is found', () =>
    person.app.run(`return !!document.querySelector('[data-testid="palette-list"] [role=option]')`),
  )
  await person.press('Enter', KEY.enter)
  await until(`${name} is told of`, () =>
    person.app.run(`return document.querySelector('[data-testid="inspector"]')?.dataset.episode === arguments[0]`, name),
  )
}

const texts = (app, selector) =>
  app.run(`return [...document.querySelectorAll(arguments[0])].map((found) => found.textContent.trim())`, selector)

test('debug annotations: why was this evicted?', { timeout: LIMIT }, async (t) => {
  const { file, trace, graph, levels } = await long()
  const gone = graph.episodes.find(({ name, kind }) => kind === 'expl' && levels.get(name) === 4).name
  const person = new Person(await stage.open([file]))
  await untilShown(person.app, { names: graph.episodes.map(({ name }) => name) })
  await find(person, gone)
  assert.match(await textOf(person.app, 'why'), /gone|removed/i)
  // Every step that took something of it is told, with the turn and step that one can go to.
  const steps = trace.turns.flatMap(({ turn, steps }) =>
    steps.flatMap(({ episode }, at) => (episode === gone ? [`turn ${turn}, step ${at + 1}`] : [])),
  )
  assert.deepEqual(await texts(person.app, '.history .link'), steps)
  person.tell(t)
})

test('debug annotations: why is it still there?', { timeout: LIMIT }, async (t) => {
  const HIGHER = '300k'
  const { file, graph, levels } = await long(HIGHER)
  const place = new Map(graph.episodes.map(({ name }, at) => [name, at]))
  const holders = ({ name }) =>
    graph.edges
      .filter(([from]) => from === place.get(name))
      .map(([, to]) => graph.episodes[to].name)
      .filter((act) => levels.get(act) < 4)
  const held = graph.episodes.find((episode) => episode.kind === 'expl' && holders(episode).length > 0)
  assert.ok(held, `an act that is not gone at ${HIGHER} draws on an exploration`)
  const person = new Person(await stage.open([file, '--budget', HIGHER]))
  await untilShown(person.app, { names: graph.episodes.map(({ name }) => name) })
  await find(person, held.name)
  const told = await texts(person.app, '[data-testid="inspector"] .links dd:last-of-type .chip')
  // A chip says its level for those who do not see it, then its name.
  const names = told.map((chip) => chip.split(' ').at(-1))
  assert.deepEqual(names.sort(), holders(held).sort(), 'held by the acts that are not gone')
  person.tell(t)
})

test('debug annotations: which dependency did the agent forget?', { timeout: LIMIT }, async (t) => {
  const { file, graph } = await long()
  const person = new Person(await stage.open([file]))
  await untilShown(person.app, { names: graph.episodes.map(({ name }) => name) })
  await find(person, 'keys-respect-text-fields')
  const hint = await until('a hint', () => textOf(person.app, 'undeclared'))
  // The act uses much of what this exploration found; its declared dependencies are others.
  assert.match(hint, /inspect-list-and-keys.*ui\/src\/lib\/keys\.ts/)
  const act = graph.episodes.findIndex(({ name }) => name === 'keys-respect-text-fields')
  const declared = graph.edges.filter(([, to]) => to === act).map(([from]) => graph.episodes[from].name)
  assert.ok(!declared.includes('inspect-list-and-keys'))
  person.tell(t)
})

test('demonstrate: drag τ, play, compare with compaction', { timeout: LIMIT }, async (t) => {
  const { file, graph } = await long()
  const person = new Person(await stage.open([file]))
  const { app } = person
  await untilShown(app, { names: graph.episodes.map(({ name }) => name) })
  const { left, top, width, height } = await app.run(`
    const { left, top, width, height } = document.querySelector('[data-testid="tau-slider"]').getBoundingClientRect()
    return { left, top, width, height }
  `)
  const at = (share) => ({ x: left + width * share, y: top + height / 2 })
  await person.drag('τ', at(0.6), at(0.45))
  const tau = await until('a lower τ', async () => {
    const value = Number(await app.run(`return document.querySelector('[data-testid="tau-input"]').value`))
    return value < 80_000 && value
  })
  await person.press('P: present', 'p')
  await until('the presentation', () => app.run(`return !!document.querySelector('[data-testid="presentation"]')`))
  const before = await app.run(`return document.querySelector('[data-testid="present-tau"]').textContent`)
  assert.ok(before.includes(String(Math.round(tau / 1000))), `${before} is τ ${tau}`)
  await person.press('space: play', KEY.space)
  const sentences = new Set()
  await until('two steps are told', async () => {
    const sentence = await textOf(app, 'present-sentence')
    if (sentence && /tokens/.test(sentence)) sentences.add(sentence)
    return sentences.size >= 2
  })
  await person.press('C: compaction', 'c')
  const versus = await until('the figures of compaction', () => textOf(app, 'versus'))
  assert.match(versus, /\d/)
  person.tell(t)
})

test('demonstrate: send the result as one page', { timeout: LIMIT, skip: KIND !== 'browser' && 'a save dialog of the desktop' }, async (t) => {
  const file = await stage.sample('pi/quickstart')
  const person = new Person(await stage.open([file]))
  const { app } = person
  await untilAt(app, 'the session', (at) => at.turn > 1)
  await person.press('E: export', 'e')
  await until('the dialog', () => app.run(`return !!document.querySelector('[data-testid="export-save"]')`))
  const page = await app.downloaded(() => person.click('save', 'export-save'))
  assert.match(page, /^<!doctype html>/i)
  assert.match(page, /Content-Security-Policy/)
  assert.doesNotMatch(page, /<(?:script|link|img)[^>]+(?:src|href)="https?:/)
  person.tell(t)
})

test('look at what was evicted of a running session, search it, copy it back', { timeout: LIMIT }, async (t) => {
  const file = await stage.sample('pi/long')
  const wanted = 'canonicalise'
  const { items } = JSON.parse(await cwl('evicted', file, '--budget', '80k', '--grep', wanted, '--json'))
  assert.ok(items.length > 0)
  const person = new Person(await stage.open([file]))
  const { app } = person
  await untilAt(app, 'the session', (at) => at.turn > 1)
  const { turn } = await position(app)
  await person.press('2: Evicted', '2')
  await until('the tab', () => app.run(`return !!document.querySelector('[data-testid="evicted-list"]')`))
  await person.press('/: find', '/')
  await person.type('[data-testid="evicted-find"] input', wanted)
  await until('what matches', () =>
    app.run(`return document.querySelector('[data-testid="evicted-total"]').dataset.items === arguments[0]`, String(items.length)),
  )
  // The agent goes on meanwhile.
  const record = { type: 'message', id: 'jobs0001', parentId: null, timestamp: '2026-03-09T10:00:00.000Z' }
  const last = JSON.parse(await cwl('context', file, '--json')).items.at(-1).entry
  await appendFile(
    file,
    `${JSON.stringify({ ...record, parentId: last, message: { role: 'user', content: [{ type: 'text', text: 'And now?' }], timestamp: 1 } })}\n`,
  )
  await person.press('Esc: to the list', KEY.escape)
  await person.press('C: copy', 'c')
  await until('it is said', async () => /^Copied/.test((await textOf(app, 'said')) ?? ''))
  if (KIND === 'browser') {
    const copied = await app.run('return navigator.clipboard.readText()')
    assert.match(copied, new RegExp(wanted, 'i'))
  }
  assert.ok((await position(app)).turn >= turn)
  person.tell(t)
})

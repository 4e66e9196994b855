// The three jobs that the window is for, done by a person who opens it for the first time: to debug annotations, to
// demonstrate the policy, to look at what was evicted from a session that is still running. The person acts on words that stand
// on the screen, or on names of buttons that the pointer tells, and never on keys, test ids and names that only the code knows.

import assert from 'node:assert/strict'
import { appendFile } from 'node:fs/promises'

import { KIND, LIMIT, Stage, cwl, until } from './app.mjs'
import { KEY, middleOfEpisode, position, untilAt, untilShown } from './page.mjs'
import { after, before, test } from './runner.mjs'

let stage
before(async () => (stage = await Stage.start()))
after(() => stage?.stop())

/** The parts of the page that look as if they can be pressed or typed into. */
const PARTS = 'button, input, label, [role=tab], [role=option], [role=row], [role=slider]'

/** The time that a part in view has to stand still under the pointer, milliseconds. */
const GLANCE = 5_000

/** A person at the window: every press, drag and typed text is an action, and all are told. */
class Person {
  done = []

  /** `most` is how many actions may be needed. */
  constructor(app, most) {
    this.app = app
    this.most = most
  }

  /** Presses the first part in view that shows these words, or is called so. `among` are words of the row that it stands in. */
  async press(words, among = '') {
    this.#does(`press ${words}`)
    await this.app.run(`window.isPressed = false`)
    const isPressed = () => this.app.run(`return window.isPressed`)
    // A part that was drawn anew or moved since it was seen is looked for again, as a person would. A page that is busy with what
    // the press began may answer too late; then the press counts all the same.
    await until(`“${words}” is pressed`, async () => {
      if (await isPressed()) return true
      await this.app.click(await this.#sees(words, among, isPressed), GLANCE)
      return true
    })
  }

  /** Types into the first field in view of that name. */
  async type(name, text) {
    this.#does(`type ${text.replaceAll(KEY.back, '').replace(KEY.enter, ' Enter')}`)
    await this.app.type(await this.#sees(name), text)
  }

  /** Drags along the first slider in view of that name, from one share of its width to another. */
  async drag(name, from, to) {
    this.#does(`drag ${name}`)
    const { left, top, width, height } = await until(`${name} has a place`, async () =>
      this.app.run(
        `
          const { left, top, width, height } = document.querySelector(arguments[0]).getBoundingClientRect()
          return { left, top, width, height }
        `,
        await this.#sees(name),
      ),
    )
    const at = (share) => ({ x: left + width * share, y: top + height / 2 })
    await this.app.drag(at(from), at(to))
  }

  /** Presses an episode in the graph. */
  async pressEpisode(episodes, episode) {
    this.#does(`press ${episode.name}`)
    const middle = await middleOfEpisode(this.app, episodes, episode)
    await this.app.drag(middle, middle)
  }

  /** Waits until the screen shows words of that form, and returns them. */
  async reads(what, form) {
    return until(what, async () => {
      const words = await this.app.run(`return document.body.innerText.replace(/\\s+/g, ' ')`)
      return form.exec(words)
    })
  }

  /** Waits until a sentence is in view as a whole, without scrolling. */
  async sees(what, sentence) {
    await until(`${what}: ${sentence}`, () =>
      this.app.run(
        `
          const plain = (text) => text.replace(/\\s+/g, ' ').trim()
          return [...document.querySelectorAll('main li, main p, main span')].some((part) => {
            if (!plain(part.innerText ?? '').startsWith(plain(arguments[0]))) return false
            const { top, bottom, left, right } = part.getBoundingClientRect()
            return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth
          })
        `,
        sentence,
      ),
    )
  }

  /** Waits for a part in view by its words or its name, or until `isOver` is true, and returns a selector of the part. */
  async #sees(words, among = '', isOver = () => false) {
    const find = () =>
      this.app.run(
        `
          const [words, among, parts] = arguments
          const isInView = (part) => {
            const { left, top, right, bottom } = part.getBoundingClientRect()
            const [x, y] = [(left + right) / 2, (top + bottom) / 2]
            if (right - left < 3 || bottom - top < 3 || x < 0 || y < 0 || x > innerWidth || y > innerHeight) return false
            const onTop = document.elementFromPoint(x, y)
            return part.contains(onTop) || !!onTop?.contains(part)
          }
          const said = (part) => part.innerText?.replace(/\\s+/g, ' ').trim() ?? ''
          const isCalled = (part) =>
            [said(part), part.getAttribute('aria-label'), part.title, part.placeholder].some((name) => name?.startsWith(words))
          const rowOf = (part) => part.closest('.rows-place, [role=row]')
          document.querySelector('[data-seen]')?.removeAttribute('data-seen')
          const found = [...document.querySelectorAll(parts)].find(
            (part) => isCalled(part) && isInView(part) && (among === '' || !!rowOf(part) && said(rowOf(part)).includes(among)))
          found?.setAttribute('data-seen', '')
          found?.addEventListener('click', () => (window.isPressed = true), { capture: true, once: true })
          return !!found
        `,
        words,
        among,
        PARTS,
      )
    await until(`“${words}” is in view`, async () => (await find()) || isOver())
    return '[data-seen]'
  }

  #does(what) {
    this.done.push(what)
    assert.ok(this.done.length <= this.most, `at most ${this.most} actions: ${this.done.join(', ')}`)
  }

  /** Says how it was done. */
  tell(t) {
    t.diagnostic(`${this.done.length} actions: ${this.done.join(', ')}`)
  }
}

/** The size of window that the jobs have to be possible in. */
const SMALL = { width: 1280, height: 720 }

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

const texts = (app, selector) =>
  app.run(`return [...document.querySelectorAll(arguments[0])].map((found) => found.textContent.trim())`, selector)

/** The names of the episodes that the table shows with these words in their row. */
const listed = (app, words) =>
  until(`a row with ${words}`, () =>
    app.run(
      `
        const rows = [...document.querySelectorAll('[role=row]')].map((row) => row.innerText.split('\\n').map((cell) => cell.trim()))
        const found = rows.filter((cells) => arguments[0].every((word) => cells.includes(word))).map(([name]) => name)
        return found.length > 0 && found
      `,
      words,
    ),
  )

test('debug annotations: why was this evicted?', { timeout: LIMIT }, async (t) => {
  const { file, trace, graph } = await long()
  const person = new Person(await stage.open([file]), 2)
  await untilShown(person.app, { names: graph.episodes.map(({ name }) => name) })
  await person.press('Episodes')
  const [gone] = await listed(person.app, ['explore', 'removed'])
  await person.press(gone)
  const steps = trace.turns.flatMap(({ turn, steps }) =>
    steps.flatMap(({ episode }, at) => (episode === gone ? [`turn ${turn}, step ${at + 1}`] : [])),
  )
  assert.ok(steps.length > 0, `the trace evicts ${gone}`)
  const [, said] = await person.reads('the reason', /Why it is gone (.*?) Level/)
  // The step that took the rest of it, and its place.
  assert.ok(said.includes(gone) && said.includes(steps.at(-1)), said)
  // Every step that took something of it is told, with the turn and step that one can go to.
  assert.deepEqual(await texts(person.app, '.history .link'), steps)
  person.tell(t)
})

test('debug annotations: why is it still there?', { timeout: LIMIT, all: true }, async (t) => {
  const HIGHER = '300k'
  const { file, graph, levels } = await long(HIGHER)
  const place = new Map(graph.episodes.map(({ name }, at) => [name, at]))
  const holders = (name) =>
    graph.edges
      .filter(([from]) => from === place.get(name))
      .map(([, to]) => graph.episodes[to].name)
      .filter((act) => levels.get(act) < 4)
  const person = new Person(await stage.open([file, '--budget', HIGHER]), 3)
  await untilShown(person.app, { names: graph.episodes.map(({ name }) => name) })
  await person.press('Episodes')
  // The newest stand first.
  await person.press('Turns')
  const there = (await listed(person.app, ['explore', 'intact'])).find((name) => holders(name).length > 0)
  assert.ok(there, `an act that is not gone at ${HIGHER} draws on an exploration in view`)
  await person.press(there)
  await person.reads('the reason', /Why it is still there|Why it is kept|Why it stays/)
  const told = await until('the acts that hold it', async () => {
    const chips = await texts(person.app, '[data-testid="inspector"] .links dd:last-of-type .chip')
    return chips.length > 0 && chips
  })
  // A chip says its level for those who do not see it, then its name.
  const names = told.map((chip) => chip.split(' ').at(-1))
  assert.deepEqual(names.sort(), holders(there).sort(), 'held by the acts that are not gone')
  person.tell(t)
})

test('debug annotations: which dependency did the agent forget?', { timeout: LIMIT, all: true }, async (t) => {
  const { file, graph } = await long()
  const person = new Person(await stage.open([file]), 2)
  await untilShown(person.app, { names: graph.episodes.map(({ name }) => name) })
  await person.press('Problems')
  await person.type('Filter problems', 'does not name')
  const [, act, from] = await person.reads('a hint', /(\S+) uses \S+ and \d+ other names that (\S+) found, and does not name/)
  const place = (name) => graph.episodes.findIndex((episode) => episode.name === name)
  assert.ok(place(act) >= 0 && place(from) >= 0, `${act} and ${from} are episodes`)
  const declared = graph.edges.filter(([, to]) => to === place(act)).map(([source]) => source)
  assert.ok(!declared.includes(place(from)), `${act} does not name ${from}`)
  person.tell(t)
})

test('debug annotations: which mark cost most by re-reads, and mend it', { timeout: LIMIT, all: true }, async (t) => {
  const file = await stage.sample('pi/forgotten')
  const told = JSON.parse(await cwl('reacquisitions', file, '--budget', '900', '--json'))
  const [worst] = told.blame
  assert.equal(worst.class, 'mendable')
  const person = new Person(await stage.open([file, '--budget', '900']), 3)
  await untilAt(person.app, 'the session', (at) => at.turn > 1)
  await person.press('Episodes')
  await person.press('By re-reads')
  const said = worst.says.replaceAll('`', '')
  const [, first] = await person.reads('the worst mark', /Marks that can be mended [\d,]+ tokens [\d,]+ (.*?)\. Fix:/)
  assert.equal(first, said)
  await person.press('Fix')
  // Memory and cost stand apart, and what is no longer read again is named.
  const [, again, memory] = await person.reads(
    'what the fix does',
    /1 thing is no longer read again\. (\S+) at turn \d+.*?Memory ([\d,]+ tokens read again, [\d,]+ before; recall .*?) Cost \$/,
  )
  assert.ok(worst.says.includes(again), again)
  assert.ok(memory.startsWith(`${(told.tokens - worst.tokens).toLocaleString('en')} tokens read again, ${told.tokens.toLocaleString('en')} before`), memory)
  await person.reads('the row is gone', new RegExp(`By re-reads ${told.n_stories - 1}`))
  person.tell(t)
})

test('debug: what differs between two turns?', { timeout: LIMIT, all: true }, async (t) => {
  const { file, graph } = await long()
  const person = new Person(await stage.open([file], SMALL), 4)
  await untilShown(person.app, { names: graph.episodes.map(({ name }) => name) })
  await person.press('Diff')
  await person.type('The other turn', `100${KEY.enter}`)
  await person.type('The turn of the window', `${KEY.back.repeat(3)}120${KEY.enter}`)
  const tokensAt = async (turn) => JSON.parse(await cwl('context', file, '--turn', turn, '--budget', '80k', '--json')).total
  const [there, here] = await Promise.all(['100', '120'].map(tokensAt))
  await person.reads('the sizes of both', new RegExp(`${there.toLocaleString('en')} → ${here.toLocaleString('en')} \\+[\\d,]+ \\(\\d+ blocks?\\) −[\\d,]+`))
  person.tell(t)
})

test('debug annotations: change a kind, add a dependency, undo, compare', { timeout: LIMIT }, async (t) => {
  const file = await stage.sample('pi/quickstart')
  const { episodes } = JSON.parse(await cwl('graph', file, '--json'))
  const [first, second] = episodes
  assert.deepEqual([first.kind, second.kind], ['expl', 'expl'])
  const person = new Person(await stage.open([file], SMALL), 6)
  await untilShown(person.app, { names: episodes.map(({ name }) => name) })
  await person.pressEpisode(episodes, second)
  await person.press('Change marks')
  await person.press('act')
  await person.reads('what changed', new RegExp(`${second.name}[^.]* is an act`))
  await person.press(`Add a dependency on ${first.name}`)
  await person.reads('the dependency', new RegExp(`${second.name} draws on ${first.name}`))
  await person.reads('what it does', /Before and after.*?Memory .*?Cost \$/)
  await person.press('Undo')
  await person.reads('the step back', new RegExp(`Undone: Marks: .*${second.name}.* draws on .*${first.name}`))
  await person.press('Compare')
  await person.reads('the columns', /Policy .*? Made of/)
  person.tell(t)
})

test('the owner of an unmarked session: what it cost, what was lost, why the cache was missed', { timeout: LIMIT }, async (t) => {
  const file = await stage.sample('claude-code/hidden-loss')
  const { happened } = JSON.parse(await cwl('report', file, '--json'))
  assert.ok(happened.length > 1)
  const person = new Person(await stage.open([file], { ...SMALL, firstTab: true }), 0)
  for (const { kind, says } of happened) await person.sees(`the sentence on ${kind}`, says)
  person.tell(t)
})

test('demonstrate: the duel, from the start', { timeout: LIMIT, all: true }, async (t) => {
  const person = new Person(await stage.open([], SMALL), 3)
  await person.press('Open the sample')
  await person.press('Duel')
  await person.reads('it plays', /cwl\+ .*?turn [2-9]\d* of \d+/)
  person.tell(t)
})

test('demonstrate: drag τ, play, compare with compaction', { timeout: LIMIT }, async (t) => {
  const { file, graph } = await long()
  const person = new Person(await stage.open([file]), 3)
  const { app } = person
  await untilShown(app, { names: graph.episodes.map(({ name }) => name) })
  await person.drag('Token budget τ', 0.6, 0.45)
  const [, tau] = await person.reads('a lower τ', /\d+k of ([1-7]\dk) raw/)
  await person.press('Play')
  const sentences = new Set()
  await until('two steps are told', async () => {
    const [told] = await person.reads('a sentence', /turn \d+\/\d+.*?Follow/)
    if (/tokens/.test(told)) sentences.add(told)
    return sentences.size >= 2
  })
  await person.press('Compare')
  await person.reads('the verdict', /CWL .* on this session: at equal cost .* and at equal recall they cost/)
  const [shown] = await person.reads('the columns', /Policy .*? Made of/)
  for (const words of ['cwl+', 'summary', 'Cost', '$', 'Recall', 'Tokens sent']) assert.ok(shown.includes(words), shown)
  assert.ok(tau)
  person.tell(t)
})

test('demonstrate: send the result as one page', { timeout: LIMIT, skip: KIND !== 'browser' && 'a save dialog of the desktop', all: true }, async (t) => {
  const file = await stage.sample('pi/quickstart')
  // The engine is written into the page, and nothing here opens it: `make test-exported` does.
  const engine = await stage.file('engine.wasm', '\0asm')
  const person = new Person(await stage.open([file, '--engine', engine]), 2)
  const { app } = person
  await untilAt(app, 'the session', (at) => at.turn > 1)
  await person.press('Export as one HTML file')
  const page = await app.downloaded(() => person.press('Save'))
  assert.match(page, /^<!doctype html>/i)
  assert.match(page, /Content-Security-Policy/)
  assert.doesNotMatch(page, /<(?:script|link|img)[^>]+(?:src|href)="https?:/)
  person.tell(t)
})

test('look at what was evicted of a running session, search it, copy it back', { timeout: LIMIT, window: true }, async (t) => {
  const file = await stage.sample('pi/long')
  const wanted = 'canonicalise'
  const { items } = JSON.parse(await cwl('evicted', file, '--budget', '80k', '--grep', wanted, '--json'))
  assert.ok(items.length > 0)
  const person = new Person(await stage.open([file]), 3)
  const { app } = person
  await untilAt(app, 'the session', (at) => at.turn > 1)
  const { turn } = await position(app)
  await person.press('Evicted')
  await person.type('Find in evicted blocks', wanted)
  await person.reads('what matches', new RegExp(`${items.length} blocks`))
  // The agent goes on meanwhile.
  const record = { type: 'message', id: 'jobs0001', parentId: null, timestamp: '2026-03-09T10:00:00.000Z' }
  const last = JSON.parse(await cwl('context', file, '--json')).items.at(-1).entry
  await appendFile(
    file,
    `${JSON.stringify({ ...record, parentId: last, message: { role: 'user', content: [{ type: 'text', text: 'And now?' }], timestamp: 1 } })}\n`,
  )
  await person.press('Copy', wanted)
  await until('it is said', () => app.run(`return /Copied/.test(document.body.textContent)`))
  if (KIND === 'browser') {
    const copied = await app.run('return navigator.clipboard.readText()')
    assert.match(copied, new RegExp(wanted, 'i'))
  }
  assert.ok((await position(app)).turn >= turn)
  person.tell(t)
})

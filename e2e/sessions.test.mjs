// The list of sessions on a machine where several harnesses were used, and called subagents.

import assert from 'node:assert/strict'
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

import { HOME, LIMIT, SAMPLES, Stage, cwl, keepPicture, until } from './app.mjs'
import { violations } from './axe.mjs'
import { KEY, clickOn, settled, shown, textOf, themed, untilAt, untilShown } from './page.mjs'
import { after, before, test } from './runner.mjs'

const CLAUDE = '.claude/projects/-home-dev-tidewater/0a789f64-8ecc-4a6f-a5c7-821d6c5fe4e0'
const LOST = '.claude/projects/-home-dev-tidewater/5d1f0c52-0000-4a6f-a5c7-821d6c5fe4e0'
const CODEX = '.codex/sessions/2026/03/09/rollout-2026-03-09T08-12-4'
const AGENTS = ['agent-a7c41d09e2b35f681', 'agent-a90be2245d7c1f3aa']

/** Where harnesses have put their logs, the newest first. */
const LOGS = [
  ['pi/quickstart', '.pi/agent/sessions/--home-dev-tidewater--/2026-05-12T14-20-00-000Z_1.jsonl'],
  ['claude-code/subagents', `${CLAUDE}.jsonl`],
  ...AGENTS.map((name) => [`claude-code/subagents/input/subagents/${name}`, `${CLAUDE}/subagents/${name}.jsonl`]),
  ['codex/records', `${CODEX}0-1.jsonl`],
  ['codex/subagent', `${CODEX}0-2.jsonl`],
  ['codex/fork', `${CODEX}1-3.jsonl`],
  ['codex/archived', '.codex/archived_sessions/rollout-2026-01-02T03-04-05-4.jsonl'],
  [`claude-code/subagents/input/subagents/${AGENTS[0]}`, `${LOST}/subagents/agent-b.jsonl`],
]

/** A file that is there and not in the list. */
const NOT_READ = '.pi/agent/sessions.sqlite'

/** The whole list, unfolded: path, harness, words, and the rows below. */
const TREE = [
  [LOGS[0][1], 'pi', ''],
  [`${CLAUDE}.jsonl`, 'claude-code', '', AGENTS.map((name) => [`${CLAUDE}/subagents/${name}.jsonl`, 'claude-code', ''])],
  [`${CODEX}0-1.jsonl`, 'codex', '', [[`${CODEX}0-2.jsonl`, 'codex', '']]],
  [`${CODEX}1-3.jsonl`, 'codex', ''],
  [LOGS[7][1], 'codex', 'archived'],
  [`${LOST}.jsonl`, 'claude-code', 'log deleted', [[`${LOST}/subagents/agent-b.jsonl`, 'claude-code', '']]],
]

let stage
before(async () => {
  for (const [at, [sample, to]] of LOGS.entries()) {
    const path = join(HOME, to)
    const input = sample.includes('/input/') ? `${sample}.jsonl` : `${sample}/input.jsonl`
    await mkdir(dirname(path), { recursive: true })
    const text = await readFile(join(SAMPLES, input), 'utf8')
    // The subagent of a session whose log is gone names that one, not the sample's.
    await writeFile(path, path.includes(basename(LOST)) ? text.replaceAll(basename(CLAUDE), basename(LOST)) : text)
    const when = Date.now() / 1000 - 3600 * (at + 1)
    await utimes(path, when, when)
  }
  // Newer versions of pi can be told to use this database instead.
  await writeFile(join(HOME, NOT_READ), 'SQLite format 3')
  stage = await Stage.start()
})
after(() => stage?.stop())

test('what is there and not in the list is said below it', { timeout: LIMIT }, async () => {
  const app = await stage.open([])
  await untilListed(app, 'all of them', folded(TREE))
  const said = () =>
    app.run(`
      const notices = [...document.querySelectorAll('[data-testid="notice"]')]
      return notices.map((notice) => [notice.dataset.path, notice.textContent, notice.checkVisibility()])
    `)
  const [[path, words, visible], ...others] = await said()
  assert.deepEqual([path, visible, others], [join(HOME, NOT_READ), true, []])
  const [notice] = JSON.parse(await cwl('sessions', '--json')).notices
  for (const part of [notice.path, notice.harness, notice.message.slice(1), notice.hint.slice(1)]) {
    assert.ok(words.includes(part), `${words} does not say ${part}`)
  }
  await app.run(`document.querySelector('.drawer-notices summary').focus(); return 1`)
  await app.press(KEY.enter)
  await until('it is folded away', async () => (await said())[0][2] === false)
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

/** The list as it is on the page, in the form of `TREE`. */
function listed(app) {
  return app.run(`
    const home = arguments[0] + '/'
    const rows = []
    const above = []
    for (const line of document.querySelectorAll('.drawer-list [role="listitem"]')) {
      const button = line.querySelector('[data-testid="session-row"]')
      if (!button) continue
      const words = [...button.querySelectorAll('.badge')].map((badge) => badge.textContent)
      const row = [button.dataset.path.replace(home, ''), button.querySelector('[data-testid="harness"]').textContent,
        words.filter((word) => word === 'archived' || word === 'log deleted').join(', ')]
      const depth = Number(line.ariaLevel) - 2
      above.length = depth
      if (depth === 0) rows.push(row)
      else (above[depth - 1][3] ??= []).push(row)
      above.push(row)
    }
    return rows
  `, HOME)
}

async function untilListed(app, what, tree) {
  let last
  const text = (value) => JSON.stringify(value, null, 1)
  try {
    await until(what, async () => text((last = await listed(app))) === text(tree))
  } catch (error) {
    throw new Error(`${error.message}\nwanted ${text(tree)}\nshown  ${text(last)}`, { cause: error })
  }
}

const folded = (tree) => tree.map((row) => row.slice(0, 3))

/** The window with everything unfolded that can be. */
async function unfolded() {
  const app = await stage.open([])
  await untilListed(app, 'the sessions of all harnesses, subagents folded away', folded(TREE))
  const buttons = () =>
    app.run(`
      return [...document.querySelectorAll('[data-testid="unfold"]')].map((button) => ({
        text: button.textContent, name: button.getAttribute('aria-label'), open: button.ariaExpanded,
      }))
    `)
  const said = await buttons()
  assert.deepEqual(said.map(({ text, open }) => [text, open]), [
    ['2 subagents', 'false'],
    ['1 subagent', 'false'],
    ['1 subagent', 'false'],
  ])
  said.forEach(({ text, name }) => assert.ok(name.startsWith(`${text} of `), name))
  // By keys alone.
  for (let n = 0; n < said.length; n += 1) {
    await app.run(`document.querySelectorAll('[data-testid="unfold"]')[arguments[0]].focus(); return 1`, n)
    await app.press(KEY.enter)
    await until('it says that it is open', async () => (await buttons())[n].open === 'true')
  }
  await untilListed(app, 'subagents below their callers', TREE)
  return app
}

const rowAt = (path) => `[data-testid="session-row"][data-path="${join(HOME, path)}"]`

const names = async (path) => JSON.parse(await cwl('graph', path, '--json')).episodes.map(({ name }) => name)

test('subagents stand below the sessions that called them', { timeout: LIMIT }, async () => {
  const app = await unfolded()
  for (const theme of ['dark', 'light']) {
    await themed(app, theme)
    await settled(app)
    await keepPicture(app, `sessions-${theme}`)
    assert.deepEqual(await violations(app), [], theme)
  }
  const lost = await app.run(`return document.querySelector(arguments[0]).disabled`, rowAt(`${LOST}.jsonl`))
  assert.equal(lost, true, 'what was never read and is gone cannot be opened')
  const fork = await app.run(`return document.querySelector(arguments[0]).title`, rowAt(`${CODEX}1-3.jsonl`))
  assert.match(fork, /\ncontinues 019cec83-28c7-7024-aaa3-ef0325d97ccb$/)
  // Everything was read by the time that the list is whole.
  assert.equal(await textOf(app, 'pending'), null)
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

for (const [child, parent] of [
  [`${CODEX}0-2.jsonl`, `${CODEX}0-1.jsonl`],
  [`${CLAUDE}/subagents/${AGENTS[1]}.jsonl`, `${CLAUDE}.jsonl`],
]) {
  test(`${child} is opened from the list, and links to its caller`, { timeout: LIMIT, all: child.startsWith(CODEX) }, async () => {
    const app = await unfolded()
    const current = () =>
      app.run(`
        const rows = [...document.querySelectorAll('[data-testid="session-row"][aria-current="true"]')]
        return rows.map((row) => row.dataset.path).join()
      `)
    const at = (path) =>
      until(`${path} is open`, () =>
        app.run(`return document.querySelector('.session-name')?.dataset.path === arguments[0]`, path),
      )
    for (const [path, act] of [
      [child, () => app.click(rowAt(child))],
      [parent, () => clickOn(app, 'caller')],
    ]) {
      const file = join(HOME, path)
      await act()
      await at(file)
      assert.equal(await until('its row is marked', current), file)
      await until('the graph is drawn', () => app.run(`return !!document.querySelector('[data-testid="graph"] canvas')`))
      await untilAt(app, 'the cursor is on a turn', ({ turn }) => turn > 0)
      const expected = await names(file)
      await untilShown(app, { names: expected })
      assert.equal((await shown(app)).levels.length, expected.length)
      const isChild = path === child
      if (isChild) {
        await settled(app)
        await keepPicture(app, `subagent${path.slice(0, path.indexOf('/')).replace('.', '-')}`)
      }
      assert.equal((await textOf(app, 'caller')) !== null, isChild, 'only a subagent has a caller')
      assert.equal((await textOf(app, 'subagent')) !== null, isChild)
    }
    assert.equal(stage.errors, '', 'nothing went wrong on the page')
  })
}

test('a caller stays in the list for the subagent that is looked for', { timeout: LIMIT, all: true }, async () => {
  const app = await stage.open([])
  await untilListed(app, 'all of them', folded(TREE))
  const [caller, child] = [TREE[1], TREE[1][3][1]]
  await app.type('[data-testid="find-session"]', AGENTS[1])
  await untilListed(app, 'the one and its caller', [[...folded([caller])[0], [child]]])
  assert.equal(await textOf(app, 'unfold'), '1 of 2 subagents')
  await clickOn(app, 'unfold')
  await untilListed(app, 'the caller alone, when the rest is folded away', folded([caller]))
})

const N_MANY = 600

test('of many sessions those in view exist, and keys lead to all of them', { timeout: LIMIT, all: true }, async () => {
  const folder = join(HOME, '.pi/agent/sessions/--home-dev-many--')
  await mkdir(folder, { recursive: true })
  const text = await readFile(join(SAMPLES, 'pi/quickstart/input.jsonl'), 'utf8')
  const add = async (n, when) => {
    const path = join(folder, `2026-05-12T14-20-00-000Z_m${n}.jsonl`)
    await writeFile(path, text)
    await utimes(path, when, when)
    return path
  }
  const old = Date.now() / 1000 - 90_000
  for (let n = 0; n < N_MANY; n += 1) await add(n, old - n)
  const app = await stage.open([])
  const list = () =>
    app.run(`
      const list = document.querySelector('[data-testid="session-list"]')
      const edge = list.getBoundingClientRect()
      const lines = [...list.querySelectorAll('[role="listitem"]')]
      const rows = [...list.querySelectorAll('[data-testid="session-row"]')].map((row) => {
        const { top, bottom } = row.getBoundingClientRect()
        return { path: row.dataset.path, top: top - edge.top, seen: top >= edge.top - 1 && bottom <= edge.bottom + 1 }
      })
      const holder = document.activeElement.closest('[data-index]')
      const place = holder?.getBoundingClientRect()
      return {
        nLines: Number(list.dataset.lines), nThere: lines.length, rows: rows.filter(({ seen }) => seen),
        focused: holder && Number(holder.dataset.index), most: Math.max(...lines.map((line) => line.ariaSetSize)),
        isSeen: !!place && place.top >= edge.top - 1 && place.bottom <= edge.bottom + 1,
      }
    `)
  const { nThere } = await until('all are listed', async () => {
    const now = await list()
    return now.nLines > N_MANY && now.most >= N_MANY && now
  })
  assert.ok(nThere < 60, `${nThere} lines exist`)

  // By keys: to the end, back by one, and the keyboard stays where it is when its line is out of view.
  const focusIs = (what, fits) => until(what, async () => fits(await list()))
  await app.run(`document.querySelector('[data-testid="session-row"]').focus(); return 1`)
  await app.press(KEY.end)
  await focusIs('the last line has the keyboard', (now) => now.focused === now.nLines - 1 && now.isSeen)
  await app.press(KEY.up)
  await focusIs('the line before it', (now) => now.focused === now.nLines - 2 && now.isSeen)
  const { focused } = await list()
  await app.run(`document.querySelector('[data-testid="session-list"]').scrollTop = 3000; return 1`)
  await focusIs('it is out of view and has the keyboard', (now) => now.focused === focused && !now.isSeen)
  await settled(app)

  // The list may change after it was scrolled and before the browser has told it: it stays where it was scrolled to.
  const scroll = (action) =>
    app.run(`
      const list = document.querySelector('[data-testid="session-list"]')
      ${action}
      return list.scrollTop
    `)
  await scroll('list.scrollTop = 0')
  await until('the uppermost lines are there', () => app.run(`return !!document.querySelector('[data-testid="unfold"]')`))
  await scroll(`list.scrollTop = 3000; list.querySelector('[data-testid="unfold"]').click()`)
  await settled(app)
  // Lines that were measured since may have moved it by a few pixels.
  const top = await scroll('')
  assert.ok(Math.abs(top - 3000) < 50, `it went to ${top}`)

  // Sessions that come above leave what is in view where it is.
  const [, held] = (await list()).rows
  const n = (await list()).nLines
  for (let more = 0; more < 3; more += 1) await add(N_MANY + more, old + 60 + more)
  await until('they are listed', async () => (await list()).nLines === n + 3)
  await settled(app)
  const now = (await list()).rows.find(({ path }) => path === held.path)
  assert.ok(now && Math.abs(now.top - held.top) < 2, `${held.path} went from ${held.top} to ${now?.top}`)

  // All are looked through, not only those that exist.
  await app.type('[data-testid="find-session"]', `m${N_MANY - 1}.jsonl`)
  await until('the one that is looked for', async () => {
    const { rows } = await list()
    return rows.length === 1 && rows[0].path.endsWith(`m${N_MANY - 1}.jsonl`)
  })
  assert.equal(stage.errors, '', 'nothing went wrong on the page')
})

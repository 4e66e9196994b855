// The exported page: opened from a file, on its own, it steps through what `cwl` says, loads nothing, and runs nothing of
// the log's.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { KIND, LIMIT, ROOT, SAMPLES, Stage, cwl, until } from './app.mjs'
import { CHROMIUM } from './browser.mjs'
import { after, before, test } from './runner.mjs'

const { chromium } = createRequire(join(ROOT, 'ui/package.json'))('playwright-core')
const AXE = join(ROOT, 'ui/node_modules/axe-core/axe.min.js')
// The page is the same wherever the window is: once is enough.
const inBrowser = {
  skip: KIND !== 'browser' && 'the page is opened by a browser',
  timeout: LIMIT,
}

let stage
let browser
before(async () => {
  if (KIND !== 'browser') return
  stage = await Stage.start()
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox'],
  })
})
after(async () => {
  await browser?.close()
  await stage?.stop()
})

/** Exports a log and opens the page; what it asks for and complains about is collected. */
async function exported(file, ...options) {
  const out = join(await stage.folder(), 'page.html')
  await cwl('export', file, '--html', out, ...options)
  return opened(out)
}

/** Opens an exported page, at a place of it where a fragment says one. */
async function opened(out, fragment = '') {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const page = await context.newPage()
  const requests = []
  const complaints = []
  page.on('request', (request) => requests.push(request.url().slice(0, 60)))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(`${pathToFileURL(out).href}${fragment}`)
  await page.waitForSelector('.window[data-phase=open]')
  const place = () =>
    page.$eval('[data-testid=position]', ({ dataset: { turn, step } }) => [Number(turn), Number(step)])
  const at = (turn, step) =>
    page.waitForSelector(`[data-testid=position][data-turn="${turn}"][data-step="${step}"]`)
  /** Nothing was loaded but the file itself and what is in it, nothing was refused, and nothing stays in the browser. */
  const close = async () => {
    const kept = await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])
    assert.deepEqual(kept, [0, 0, ''])
    const outside = requests.filter((url) => !/^(file|data|blob):/.test(url))
    assert.deepEqual({ outside, complaints }, { outside: [], complaints: [] })
    assert.equal(requests.filter((url) => url.startsWith('file:')).length, 1)
    await context.close()
  }
  return { page, out, place, at, close }
}

test('the page has the figures of cwl at every budget', inBrowser, async () => {
  const log = join(SAMPLES, 'pi/quickstart/input.jsonl')
  const { page, at, close } = await exported(log, '--budgets', '6k,8k', '--turn', '5')
  // A choice holds as long as the page is open.
  await page.click('[data-testid=theme]')
  for (const budget of [6_000, 8_000]) {
    await page.check(`[data-testid="tau-${budget}"]`, { force: true })
    const trace = JSON.parse(await cwl('replay', log, '--budget', String(budget), '--json'))
    const passes = trace.turns.filter((turn) => turn.steps.length > 0).slice(0, 3)
    assert.ok(passes.length > 0)
    await page.keyboard.press('Home')
    for (const pass of passes) {
      await page.keyboard.press('.')
      await at(pass.turn, pass.steps.length)
      const total = await page.waitForSelector(`[data-testid=totals][data-sent="${pass.tokens_after}"]`)
      assert.ok(total, `turn ${pass.turn} under ${budget}`)
      const listed = JSON.parse(
        await cwl('context', log, '--budget', String(budget), '--turn', String(pass.turn), '--json'),
      )
      await page.waitForSelector(`[data-testid=context-total][data-total="${listed.total}"]`)
    }
  }
  await close()
})

test('every step is there: it plays, steps back, and says what it takes', { ...inBrowser, all: true }, async () => {
  const log = join(SAMPLES, 'pi/quickstart/input.jsonl')
  const budget = '6k'
  const { page, place, at, close } = await exported(log, '--budget', budget)
  const trace = JSON.parse(await cwl('replay', log, '--budget', budget, '--json'))
  const all = trace.turns.reduce((sum, turn) => sum + turn.steps.length, 0)
  assert.ok(all > 3)
  await page.keyboard.press('Home')
  await at(1, 0)
  const taken = []
  for (let n = 0; n < all * 2; n += 1) {
    const before = await place()
    await page.keyboard.press('ArrowRight')
    const [turn, step] = await place()
    if (turn === before[0] && step === before[1]) break
    if (step > 0) taken.push([turn, step])
  }
  assert.equal(taken.length, all)
  const sentence = await page.waitForSelector('[data-testid=sentence]')
  assert.ok((await sentence.textContent()).length > 10)
  await page.keyboard.press('Home')
  await page.keyboard.press(' ')
  await page.waitForSelector('[data-testid=play][aria-pressed=true]')
  await page.waitForSelector(`[data-testid=progress][data-taken="${all}"]`, {
    timeout: LIMIT,
  })
  await page.keyboard.press('p')
  await page.waitForSelector('[data-testid=presentation]')
  await page.keyboard.press('Escape')
  await page.waitForSelector('.window[data-phase=open]')
  await close()
})

test('axe finds nothing on it, in both themes', { ...inBrowser, all: true }, async () => {
  const { page, close } = await exported(join(SAMPLES, 'pi/quickstart/input.jsonl'), '--budget', '6k')
  const source = await readFile(AXE, 'utf8')
  for (const theme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme: theme })
    const found = await page.evaluate(`(async () => {
      ${source}
      const { violations } = await axe.run(document)
      return violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.target).join(' '))
    })()`)
    assert.deepEqual(found, [], theme)
  }
  await close()
})

test(
  'of a long session only the rows in view exist, with what is found and what holds the tokens',
  inBrowser,
  async () => {
    const log = join(SAMPLES, 'pi/long/input.jsonl')
    const { page, close } = await exported(log, '--budget', '2k')
    const list = await page.waitForSelector('[data-testid=context-list]')
    await list.waitForSelector('[data-testid=context-item]')
    const n = Number(await list.getAttribute('data-items'))
    const shown = await list.$$('[data-testid=context-item]')
    assert.ok(n > 500 && shown.length < 60, `${shown.length} of ${n}`)
    const context = JSON.parse(await cwl('context', log, '--budget', '2k', '--json'))
    assert.ok(context.over_budget && context.findings.length > 0)
    const said = (await page.textContent('[data-testid=over-budget]')).replaceAll(',', '')
    for (const [what, tokens] of context.over_budget.held_by)
      assert.ok(said.includes(`${what} ${tokens}`), `${what} in ${said}`)
    await page.waitForSelector(`[data-testid=pass-findings][data-count="${context.findings.length}"]`)
    await close()
  },
)

test('the comparison has the figures of cwl at the turn that is shown', { ...inBrowser, all: true }, async () => {
  const log = join(SAMPLES, 'pi/quickstart/input.jsonl')
  const { page, at, close } = await exported(log, '--budget', '6k', '--compare', 'summary,mask@9k,none')
  await page.click('[data-testid=tab-compare]')
  const trace = JSON.parse(await cwl('replay', log, '--budget', '6k', '--json'))
  const pass = trace.turns.find(({ steps }) => steps.length > 0)
  const turns = [trace.turns.at(-1).turn, pass.turn]
  // A tab that has the keyboard would take Home for itself.
  const blur = () => page.evaluate(() => document.activeElement?.blur())
  await blur()
  await page.keyboard.press('End')
  for (const turn of turns) {
    if (turn === pass.turn) {
      await page.keyboard.press('Home')
      await page.keyboard.press('.')
      await at(pass.turn, pass.steps.length)
    }
    const policies = ['cwl', 'summary', 'mask@9k', 'none']
    const asked = ['--budget', '6k', '--policies', policies.join(','), '--turn', String(turn), '--json']
    const { columns } = JSON.parse(await cwl('compare', log, ...asked))
    await page.waitForSelector(`[data-testid=compare-table][data-turn="${turn}"]`)
    const rowOf = (measure) =>
      page.$$eval(`[data-measure=${measure}] td`, (cells) =>
        cells.map(({ dataset }) => [dataset.policy, Number(dataset.value)]),
      )
    assert.deepEqual(
      await rowOf('total'),
      columns.map(({ policy, total }) => [policy, total]),
    )
    assert.deepEqual(
      await rowOf('cost'),
      columns.map(({ policy, cost }) => [policy, cost.total_cost]),
    )
  }
  // The columns are those of the page, and no part of it asks for what it does not hold.
  assert.equal(await page.$('[data-testid=compare-add]'), null)
  for (const part of ['blocks', 'sweep', 'sessions']) assert.equal(await page.$(`[data-testid=compare-${part}]`), null)
  await close()
})

test('what was read again is told, and leads to its places', { ...inBrowser, all: true }, async () => {
  const log = join(SAMPLES, 'pi/long/input.jsonl')
  const { page, close } = await exported(log, '--budget', '80k')
  const told = JSON.parse(await cwl('regrets', log, '--budget', '80k', '--json'))
  await page.click('[data-testid=tab-regrets]')
  await page.waitForSelector(`[data-testid=stories-sum][data-stories="${told.n_stories}"]`)
  const shown = await page.$$eval('[data-testid=story-row]', (rows) => rows.map(({ dataset }) => dataset.cause))
  assert.deepEqual(
    shown,
    told.stories.map(({ cause }) => cause),
  )
  const story = await page.waitForSelector('[data-testid=story]')
  assert.equal(await story.getAttribute('data-block'), told.stories[0].again.block)
  assert.ok((await page.textContent('[data-testid=story-place] .place-text')).length > 20, 'the text of the first place')
  await close()
})

test('find goes through what the page holds, in the context and in what was evicted', { ...inBrowser, all: true }, async () => {
  const log = join(SAMPLES, 'pi/quickstart/input.jsonl')
  const { page, close } = await exported(log, '--budget', '6k')
  const listed = JSON.parse(await cwl('context', log, '--budget', '6k', '--json'))
  // Of a long text the page has the first 2,000 characters, and says so.
  const held = (text) => [...text].slice(0, 2000).join('')
  const n = listed.items.reduce((sum, { text }) => sum + (held(text).match(/retry/gi)?.length ?? 0), 0)
  assert.ok(n > 3)
  await page.keyboard.press('/')
  await page.keyboard.type('retry')
  await page.waitForSelector(`[data-testid=context-find][data-matches="${n}"]`)
  await page.waitForSelector('[data-testid=context-list] mark')
  const before = Number(await page.getAttribute('[data-testid=context-find]', 'data-number'))
  await page.keyboard.press('Enter')
  await page.waitForSelector(`[data-testid=context-find][data-number="${(before % n) + 1}"]`)
  // A pattern that is none is said to be none.
  await page.click('[data-testid=context-find-regex]')
  await page.fill('[data-testid=context-find] input', '(')
  await page.waitForSelector('[data-testid=context-find] [role=alert]')
  await page.click('[data-testid=tab-evicted]')
  const gone = JSON.parse(await cwl('evicted', log, '--budget', '6k', '--json'))
  const nGone = gone.items.filter(({ text }) => /retry/i.test(held(text))).length
  assert.ok(nGone > 0 && nGone < gone.items.length)
  await page.fill('[data-testid=evicted-find] input', 'retry')
  await page.waitForSelector(`[data-testid=evicted-list][data-items="${nGone}"]`)
  await close()
})

test('a link leads to a turn, a step, an episode and a tab, and back goes one step', { ...inBrowser, all: true }, async () => {
  const log = join(SAMPLES, 'pi/quickstart/input.jsonl')
  const { page, out, at, close } = await exported(log, '--budgets', '6k,8k')
  const { turns } = JSON.parse(await cwl('replay', log, '--budget', '8k', '--json'))
  const { turn, steps } = turns.find((one) => one.steps.length > 1)
  const { episode } = steps[0]
  await page.check('[data-testid="tau-8000"]', { force: true })
  await page.click('[data-testid=tab-evicted]')
  await page.evaluate(() => document.activeElement?.blur())
  await page.keyboard.press('Home')
  await at(1, 0)
  await page.click('[data-testid=copy-link]')
  const copied = await until('a link is copied', () => page.evaluate(() => navigator.clipboard.readText()))
  const link = new URL(copied)
  assert.equal(link.pathname, new URL(pathToFileURL(out).href).pathname)
  const query = new URLSearchParams(link.hash.slice(1))
  assert.deepEqual(
    ['turn', 'tau', 'tab', 'session'].map((key) => query.get(key)),
    ['1', '8000', 'evicted', null],
  )
  await close()

  const place = new URLSearchParams({ turn, step: 1, tau: 8000, episode, tab: 'episodes' })
  const linked = await opened(out, `#${place}`)
  await linked.at(turn, 1)
  await linked.page.waitForSelector(`[data-testid=inspector][data-episode="${episode}"]`)
  await linked.page.waitForSelector('[data-testid=tab-episodes][aria-selected=true]')
  assert.ok(await linked.page.isChecked('[data-testid="tau-8000"]'))
  await linked.page.click('[data-testid=tab-context]')
  await linked.page.keyboard.press('Alt+ArrowLeft')
  await linked.page.waitForSelector('[data-testid=tab-episodes][aria-selected=true]')
  // A link to another place of the page that is open goes there.
  await linked.page.evaluate((to) => (location.hash = to), `turn=1&step=0&tau=6000`)
  await linked.at(1, 0)
  await linked.page.waitForFunction(() => document.querySelector('[data-testid="tau-6000"]').checked)
  await linked.close()
})

test('the audit of compactions is there where the log records any, and only there', { ...inBrowser, all: true }, async () => {
  const log = join(SAMPLES, 'pi/compacted/input.jsonl')
  const { page, close } = await exported(log)
  const { compactions } = JSON.parse(await cwl('compactions', log, '--json'))
  await page.click('[data-testid=tab-compactions]')
  await page.waitForSelector(`[data-testid=compactions-sum][data-compactions="${compactions.length}"]`)
  const turns = await page.$$eval('[data-testid=compaction]', (cards) => cards.map(({ dataset }) => Number(dataset.turn)))
  assert.deepEqual(
    turns,
    compactions.map(({ turn }) => turn),
  )
  await close()
  const without = await exported(join(SAMPLES, 'pi/quickstart/input.jsonl'))
  assert.equal(await without.page.$('[data-testid=tab-compactions]'), null)
  await without.close()
})

test('captured bodies are there where the harness kept them', { ...inBrowser, all: true }, async () => {
  const log = join(SAMPLES, 'claude-code/captured/input.jsonl')
  const { turns } = JSON.parse(await cwl('captured', log, '--json'))
  const { page, close } = await exported(log, '--turn', String(turns.at(-1).turn))
  await page.click('[data-testid=tab-body]')
  await page.waitForSelector(`[data-testid=captured-tools][data-tools="${turns.at(-1).n_tools}"]`)
  await page.waitForSelector(`[data-testid=captured-system][data-tokens="${turns.at(-1).system}"]`)
  assert.equal(await page.$('[data-testid=body-rebuilt]'), null)
  await page.evaluate(() => document.activeElement?.blur())
  await page.keyboard.press('End')
  await page.click('[data-testid=captured-turn]')
  await page.waitForSelector('[data-testid=captured-turn-says]')
  await close()
  const without = await exported(join(SAMPLES, 'pi/quickstart/input.jsonl'))
  assert.equal(await without.page.$('[data-testid=tab-body]'), null)
  await without.close()
})

test('the page says whose episodes it shows', { ...inBrowser, all: true }, async () => {
  const log = join(SAMPLES, 'pi/quickstart/input.jsonl')
  for (const annotation of ['declared', 'filled', 'inferred']) {
    const { page, close } = await exported(log, '--budget', '6k', '--annotation', annotation)
    await page.waitForSelector(`[data-testid=annotation-source][data-source="${annotation}"]`)
    const { from } = JSON.parse(await cwl('graph', log, '--annotation', annotation, '--json'))
    await page.click('[data-testid=about-export]')
    const said = await page.textContent('[data-testid=exported-annotation]')
    assert.ok(said.includes(from.says), `${from.says} in ${said}`)
    assert.ok((await page.$$('[data-testid=exported-left-out] li')).length >= 4)
    await close()
  }
})

const HOSTILE = [
  '</script><script>window.cwlHostile=1</script>',
  '<!-- <script>window.cwlHostile=1',
  '<img src=x onerror="window.cwlHostile=1">',
  ']]><svg onload="window.cwlHostile=1"></svg>',
  '\u2028\u2029 </SCRIPT > \u202Etxt.exe\u202C \u0000',
].join(' ')

test('nothing of a log runs, and no secret of it is in the file', inBrowser, async () => {
  const secret = 'ghp_' + 'a8F3kQ92xLm04ZpT7rWv1cYb6NdE5gHj2uKs'
  const rows = (await readFile(join(SAMPLES, 'pi/quickstart/input.jsonl'), 'utf8'))
    .split('\n')
    .filter(Boolean)
  const spoil = (value, key) => {
    if (Array.isArray(value)) return value.map((inner) => spoil(inner))
    if (typeof value === 'string')
      return ['text', 'thinking', 'description', 'name'].includes(key) &&
        value !== 'delimiter' &&
        value.length > 12
        ? `${HOSTILE} ${secret} ${value}`
        : value
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, spoil(inner, name)]))
  }
  const file = await stage.file(
    'hostile.jsonl',
    rows.map((row) => JSON.stringify(spoil(JSON.parse(row))) + '\n').join(''),
  )
  const { page, out, close } = await exported(file, '--budget', '6k')
  const html = await readFile(out, 'utf8')
  assert.ok(!html.includes(secret), 'the secret is not in the file')
  assert.ok(html.includes('[redacted:github-token#1]'))
  assert.ok(await page.evaluate(() => document.body.innerText.includes('<script>window.cwlHostile')))
  const found = await page.evaluate(() => ({
    ran: window.cwlHostile ?? null,
    odd: [...document.querySelectorAll('#root iframe, #root script, [onerror], [onload], [src="x"]')].length,
    scripts: document.scripts.length,
  }))
  assert.deepEqual(found, { ran: null, odd: 0, scripts: 4 })
  await page.click('[data-testid=about-export]')
  assert.match(await page.textContent('[data-testid=exported-about]'), /github-token: 1 different/)
  await close()
})

test('a log is never written over, and secrets stay only for those who insist', inBrowser, async () => {
  const file = await stage.sample('pi/quickstart')
  const log = await readFile(file, 'utf8')
  await assert.rejects(cwl('export', file, '--html', file))
  assert.equal(await readFile(file, 'utf8'), log)
  const out = join(await stage.folder(), 'page.html')
  await assert.rejects(cwl('export', file, '--html', out, '--no-redact'))
  await cwl('export', file, '--html', out, '--no-redact', '--i-know')
  assert.match(await readFile(out, 'utf8'), /"redacted":null/)
  await writeFile(out, 'something else')
  await assert.rejects(cwl('export', file, '--html', out))
})

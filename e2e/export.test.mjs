// The exported page: opened from a file, on its own, it steps through what `cwl` says, loads nothing, and runs nothing of
// the log's.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'

import { KIND, LIMIT, ROOT, SAMPLES, Stage, cwl } from './app.mjs'

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
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
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
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
  })
  const page = await context.newPage()
  const requests = []
  const complaints = []
  page.on('request', (request) => requests.push(request.url().slice(0, 60)))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(pathToFileURL(out).href)
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

test('every step is there: it plays, steps back, and says what it takes', inBrowser, async () => {
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

test('axe finds nothing on it, in both themes', inBrowser, async () => {
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
  assert.deepEqual(found, { ran: null, odd: 0, scripts: 2 })
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

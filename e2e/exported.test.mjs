// The exported page with an engine: opened from a file, on its own, it computes what `cwl` says of the log at any budget, policy,
// turn and step. `make test-exported` builds the engine. CWL_PLACES says at how many places figures are compared.

import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { KIND, LIMIT, ROOT, SAMPLES, Stage, cwl } from './app.mjs'
import { CHROMIUM } from './browser.mjs'
import { after, before, test } from './runner.mjs'

const { chromium } = createRequire(join(ROOT, 'ui/package.json'))('playwright-core')
const ENGINE = process.env.CWL_PAGE_ENGINE
const AXE = join(ROOT, 'ui/node_modules/axe-core/axe.min.js')
const LONG = join(SAMPLES, 'pi/long/input.jsonl')
/** The most that the page of the flagship sample may take, bytes. */
const MOST_BYTES = 4.5e6
const N_PLACES = Number(process.env.CWL_PLACES ?? 40)
const inBrowser = {
  skip: KIND !== 'browser' ? 'a browser opens the page' : ENGINE === undefined && '`make test-exported` builds the engine',
  timeout: LIMIT,
}

let stage
let browser
before(async () => {
  if (KIND !== 'browser' || ENGINE === undefined) return
  stage = await Stage.start()
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
})
after(async () => {
  await browser?.close()
  await stage?.stop()
})

/** Exports a log and opens the page; `close` says whether it asked for anything, complained, or kept anything. */
async function exported(file, ...options) {
  const out = join(await stage.folder(), 'page.html')
  await cwl('export', file, '--html', out, '--engine', ENGINE, ...options)
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const requests = []
  const complaints = []
  // The context counts them, as the worker asks for itself.
  context.on('request', (request) => requests.push(request.url().slice(0, 60)))
  context.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  context.on('weberror', (error) => complaints.push(String(error.error())))
  await page.goto(pathToFileURL(out).href)
  await page.waitForSelector('.window[data-phase=open]', { timeout: LIMIT })
  const close = async () => {
    const kept = await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])
    assert.deepEqual(kept, [0, 0, ''])
    const outside = requests.filter((url) => !/^(file|data|blob):/.test(url))
    assert.deepEqual({ outside, complaints }, { outside: [], complaints: [] })
    assert.equal(requests.filter((url) => url.startsWith('file:')).length, 1)
    await context.close()
  }
  return { page, out, close }
}

/** Goes to a place, as a link does. */
const go = (page, place) =>
  page.evaluate((to) => (location.hash = to), new URLSearchParams(place).toString())

/** Numbers that are the same in every run. */
function drawn(seed) {
  let state = seed
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
}

const VIEWS = [
  ['cwl', {}],
  ['cwl+', {}],
  ['summary', {}],
  ['mask', {}],
  ['window', {}],
  ['none', {}],
  ['cwl', { set: 'protected_turns=2' }],
  ['cwl', { tokenizer: 'cl100k' }],
  ['summary', { tokenizer: 'o200k' }],
]

/** Compares the total and the number of blocks at places of a log; every view has two of them. */
async function compareAt(page, log, n) {
  const draw = drawn(61)
  for (let at = 0; at < n; at += 2) {
    const [policy, more] = VIEWS[(at / 2) % VIEWS.length]
    const tau = String(20_000 + draw(120_000))
    const options = Object.entries(more).flatMap(([name, value]) => [`--${name}`, value])
    const asked = ['--policy', policy, '--budget', tau, ...options, '--json']
    const { turns } = JSON.parse(await cwl('replay', log, ...asked))
    const passes = turns.filter(({ steps }) => steps.length > 0)
    const pass = passes[draw(passes.length)]
    const anywhere = turns[draw(turns.length)]
    for (const [{ turn }, step] of [
      [anywhere, null],
      ...(pass ? [[pass, draw(pass.steps.length + 1)]] : []),
    ]) {
      const where = `${policy} at ${tau}, turn ${turn}, step ${step}`
      await go(page, { turn, ...(step === null ? {} : { step }), policy, tau, tab: 'context', ...more })
      await page.waitForSelector(`[data-testid=position][data-turn="${turn}"]`)
      const cut = ['--turn', String(turn), ...(step === null ? [] : ['--step', String(step)])]
      const listed = JSON.parse(await cwl('context', log, ...asked, ...cut))
      await page
        .waitForSelector(`[data-testid=context-total][data-total="${listed.total}"]`)
        .catch(async () => {
          const total = await page.getAttribute('[data-testid=context-total]', 'data-total')
          assert.fail(`${where}: the page has ${total}, cwl ${listed.total}`)
        })
    }
  }
}

test('the page has the figures of cwl anywhere, within its size', { ...inBrowser, timeout: 10 * LIMIT }, async () => {
  const { page, out, close } = await exported(LONG)
  const { size } = await stat(out)
  assert.ok(size <= MOST_BYTES, `${size} bytes`)
  await compareAt(page, LONG, N_PLACES)
  await close()
})

test('τ is dragged to any value, and Compare and the duel have the figures of cwl', inBrowser, async () => {
  const { page, close } = await exported(LONG, '--budget', '80k')
  await page.waitForSelector('[data-testid=tau-input]')
  for (const tau of [61_803, 31_416]) {
    await page.fill('[data-testid=tau-input]', String(tau))
    await page.press('[data-testid=tau-input]', 'Enter')
    const trace = JSON.parse(await cwl('replay', LONG, '--budget', String(tau), '--json'))
    await page.evaluate(() => document.activeElement?.blur())
    await page.keyboard.press('End')
    await page.waitForSelector(`[data-testid=totals][data-sent="${trace.turns.at(-1).tokens_after}"]`)
  }
  await go(page, { policy: 'cwl', tau: 40_000, tab: 'compare', with: 'summary' })
  const asked = ['--budget', '40k', '--policies', 'cwl,summary', '--json']
  const { columns } = JSON.parse(await cwl('compare', LONG, ...asked))
  await page.waitForFunction(
    (wanted) =>
      JSON.stringify([...document.querySelectorAll('[data-measure=cost] td')].map((cell) => Number(cell.dataset.value))) ===
      wanted,
    JSON.stringify(columns.map(({ cost }) => cost.total_cost)),
  )
  await page.evaluate(() => document.activeElement?.blur())
  await page.keyboard.press('D')
  await page.waitForSelector('[data-testid=duel] [data-testid=duel-a] [data-figure]')
  await page.keyboard.press('Escape')
  await close()
})

const HOSTILE = '</script><script>window.cwlHostile=1</script><!-- <script> <img src=x onerror="window.cwlHostile=1">'

test('nothing of a log runs, no secret of it is in the page, and the figures are those of the log', inBrowser, async () => {
  const secret = 'ghp_' + 'a8F3kQ92xLm04ZpT7rWv1cYb6NdE5gHj2uKs'
  const rows = (await readFile(join(SAMPLES, 'pi/quickstart/input.jsonl'), 'utf8')).split('\n').filter(Boolean)
  const spoil = (value, key) => {
    if (Array.isArray(value)) return value.map((inner) => spoil(inner))
    if (typeof value === 'string')
      return ['text', 'thinking', 'description'].includes(key) && value.length > 12 ? `${HOSTILE} ${secret} ${value}` : value
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, spoil(inner, name)]))
  }
  const file = await stage.file('hostile.jsonl', rows.map((row) => JSON.stringify(spoil(JSON.parse(row))) + '\n').join(''))
  const { page, out, close } = await exported(file, '--budget', '6k')
  const html = await readFile(out, 'utf8')
  const data = await page.evaluate(async () => {
    const bytes = Uint8Array.from(atob(document.getElementById('session').textContent), (sign) => sign.charCodeAt(0))
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text()
  })
  for (const text of [html, data]) assert.ok(!text.includes(secret), 'the secret is in the file')
  assert.ok(data.includes('[redacted:github-token#1]'))
  const found = await page.evaluate(() => ({ ran: window.cwlHostile ?? null, scripts: document.scripts.length }))
  assert.deepEqual(found, { ran: null, scripts: 6 })
  await page.click('[data-testid=tab-context]')
  const listed = JSON.parse(await cwl('context', file, '--budget', '6k', '--json'))
  await page.waitForSelector(`[data-testid=context-total][data-total="${listed.total}"]`)
  await page.click('[data-testid=about-export]')
  assert.match(await page.textContent('[data-testid=exported-about]'), /github-token: 1 different/)
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

test('what is no engine is refused in words', inBrowser, async () => {
  const out = join(await stage.folder(), 'page.html')
  await assert.rejects(cwl('export', LONG, '--html', out, '--engine', LONG), /no engine of a page/)
  await assert.rejects(cwl('export', LONG, '--html', out, '--engine', join(out, 'none')), /cannot read the engine/)
})

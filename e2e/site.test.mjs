// The page without a host: from a plain web server it opens a dropped log, and computes what `cwl` says of the same file. It asks no
// other origin, and keeps nothing. `make test-site` builds it.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { extname, join, normalize } from 'node:path'
import { gzipSync } from 'node:zlib'

import { KIND, LIMIT, ROOT, SAMPLES, cwl } from './app.mjs'
import { CHROMIUM } from './browser.mjs'
import { after, before, test } from './runner.mjs'

const { chromium } = createRequire(join(ROOT, 'ui/package.json'))('playwright-core')
const SITE = process.env.CWL_SITE
const AXE = join(ROOT, 'ui/node_modules/axe-core/axe.min.js')
const LONG = join(SAMPLES, 'pi/long/input.jsonl')
const inBrowser = {
  skip: KIND !== 'browser' ? 'a browser opens the page' : SITE === undefined && '`make test-site` builds the page',
  timeout: LIMIT,
}

const KINDS = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' }

let browser
let server
let address
before(async () => {
  if (KIND !== 'browser' || SITE === undefined) return
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  server = createServer(async (request, answer) => {
    const name = normalize(decodeURIComponent(new URL(request.url, 'http://any').pathname))
    const file = join(SITE, name.endsWith('/') ? `${name}index.html` : name)
    const bytes = await readFile(file).catch(() => null)
    answer.writeHead(bytes ? 200 : 404, { 'content-type': KINDS[extname(file)] ?? 'application/octet-stream' })
    answer.end(bytes)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  address = `http://127.0.0.1:${server.address().port}`
})
after(async () => {
  await browser?.close()
  server?.close()
})

/** Opens the page; `close` says whether it asked another origin, complained, or kept anything. */
async function opened(query = '') {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const requests = []
  const complaints = []
  // The context counts them, as the worker asks for itself.
  context.on('request', (request) => requests.push(request.url()))
  context.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  context.on('weberror', (error) => complaints.push(String(error.error())))
  await page.goto(`${address}/${query}`)
  const close = async () => {
    const kept = await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])
    const elsewhere = requests.filter((url) => !url.startsWith(`${address}/`) && !/^(blob|data):/.test(url))
    assert.deepEqual({ kept, elsewhere, complaints }, { kept: [0, 0, ''], elsewhere: [], complaints: [] })
    await context.close()
  }
  return { page, requests, close }
}

/** Drops files on the page, each a name and its bytes. */
async function drop(page, ...files) {
  const given = files.map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')])
  const dropped = await page.evaluateHandle((given) => {
    const dropped = new DataTransfer()
    for (const [name, base64] of given)
      dropped.items.add(new File([Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))], name))
    return dropped
  }, given)
  for (const event of ['dragenter', 'dragover', 'drop'])
    await page.dispatchEvent('body', event, { dataTransfer: dropped })
}

/** Goes to a place of the open log, as back and forward do: loading the page again would forget the log. */
async function go(page, place) {
  await page.evaluate((query) => {
    history.pushState({ cwl: 'own' }, '', `?${query}`)
    dispatchEvent(new PopStateEvent('popstate', { state: { cwl: 'own' } }))
  }, new URLSearchParams(place).toString())
}

/** Numbers that are the same in every run. */
function drawn(seed) {
  let state = seed
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
}

const untilOpen = (page) => page.waitForSelector('.window[data-phase=open]', { timeout: LIMIT })

test('a dropped log has the figures of cwl at any turn, budget and policy', inBrowser, async () => {
  const { page, close } = await opened()
  await page.waitForSelector('[data-testid=drop-zone]')
  await drop(page, ['input.jsonl', await readFile(LONG)])
  await untilOpen(page)
  const draw = drawn(43)
  const place = { session: 'input.jsonl', tab: 'context' }
  const views = [
    ['cwl', []],
    ['cwl+', []],
    ['summary', []],
    ['mask', []],
    ['window', []],
    ['cwl', ['--set', 'protected_turns=2']],
  ]
  for (const [policy, options] of views) {
    const tau = String(20_000 + draw(120_000))
    const asked = ['--policy', policy, '--budget', tau, ...options, '--json']
    const trace = JSON.parse(await cwl('replay', LONG, ...asked))
    const set = options.length > 0 ? { set: options[1] } : {}
    for (let n = 0; n < 6; n += 1) {
      const pass = n < 3 ? trace.turns.filter(({ steps }) => steps.length > 0)[draw(9)] : undefined
      const { turn, tokens_after: after } = pass ?? trace.turns[draw(trace.turns.length - 1)]
      await go(page, { ...place, turn, policy, tau, ...set })
      await page.waitForSelector(`[data-testid=position][data-turn="${turn}"]`)
      await page.waitForSelector(`[data-testid=totals][data-sent="${after}"]`)
      if (n > 0) continue
      const listed = JSON.parse(await cwl('context', LONG, ...asked, '--turn', String(turn)))
      await page.waitForSelector(`[data-testid=context-total][data-total="${listed.total}"]`)
      const rows = await page.$$eval('[data-testid=context-list]', ([list]) => Number(list.dataset.items))
      assert.ok(rows > 0, `${policy} at ${tau}, turn ${turn}`)
    }
  }
  await close()
})

test('τ follows the field to any value, and steps and Compare have the figures of cwl', inBrowser, async () => {
  const { page, close } = await opened()
  await drop(page, ['input.jsonl', await readFile(LONG)])
  await untilOpen(page)
  await page.click('[data-testid=what-if-on]')
  const field = page.locator('[data-testid=tau-input]')
  for (const tau of [61_803, 31_416]) {
    await field.fill(String(tau))
    await field.press('Enter')
    const trace = JSON.parse(await cwl('replay', LONG, '--budget', String(tau), '--json'))
    const pass = trace.turns.find(({ steps }) => steps.length > 0)
    // The passes of the budget before are gone once the last request is that of this one.
    await page.evaluate(() => document.activeElement?.blur())
    await page.keyboard.press('End')
    await page.waitForSelector(`[data-testid=totals][data-sent="${trace.turns.at(-1).tokens_after}"]`)
    await page.keyboard.press('Home')
    await page.keyboard.press('.')
    await page.waitForSelector(
      `[data-testid=position][data-turn="${pass.turn}"][data-step="${pass.steps.length}"]`,
    )
    await page.waitForSelector(`[data-testid=totals][data-sent="${pass.tokens_after}"]`)
    await page.keyboard.press('ArrowLeft')
    await page.waitForSelector(
      `[data-testid=position][data-turn="${pass.turn}"][data-step="${pass.steps.length - 1}"]`,
    )
  }
  await go(page, { session: 'input.jsonl', policy: 'cwl', tau: 40_000, tab: 'compare', with: 'summary' })
  const asked = ['--budget', '40k', '--policies', 'cwl,summary', '--json']
  const { columns } = JSON.parse(await cwl('compare', LONG, ...asked))
  await page.waitForFunction(
    (wanted) =>
      JSON.stringify([...document.querySelectorAll('[data-measure=cost] td')].map((cell) => Number(cell.dataset.value))) ===
      wanted,
    JSON.stringify(columns.map(({ cost }) => cost.total_cost)),
  )
  await close()
})

test('what a page cannot read is refused in words, and the open log stays', inBrowser, async () => {
  const { page, close } = await opened()
  await page.waitForSelector('[data-testid=drop-zone]')
  await drop(page, ['opencode.db', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4096)])])
  const failure = await page.waitForSelector('[data-testid=failure]')
  const said = await failure.textContent()
  assert.match(said, /opencode\.db/)
  assert.match(said, /database/)
  assert.match(said, /opencode export/)
  await page.click('[data-testid=failure-back]')
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('[data-testid=choose-log]')])
  await chooser.setFiles({ name: 'a.jsonl.gz', mimeType: 'application/gzip', buffer: gzipSync(await readFile(LONG)) })
  await untilOpen(page)
  const title = await page.textContent('[data-testid=session-title]')
  await drop(page, ['notes.txt', Buffer.from('no log\n')])
  await page.waitForSelector('[data-testid=not-opened][data-code=unknownFormat]')
  await page.keyboard.press('Escape')
  await untilOpen(page)
  assert.equal(await page.textContent('[data-testid=session-title]'), title)
  for (const hidden of ['toggle-sessions', 'export', 'notes-button'])
    assert.equal(await page.$(`[data-testid=${hidden}]`), null, hidden)
  await close()
})

test('the sample is one press away, and its link opens it again', inBrowser, async () => {
  const { page, requests, close } = await opened()
  await page.click('[data-testid=open-sample]')
  await untilOpen(page)
  const opening = await page.textContent('[data-testid=session-title]')
  await page.waitForFunction(() => location.search.includes('session=sample.jsonl'))
  await page.reload()
  await untilOpen(page)
  assert.equal(await page.textContent('[data-testid=session-title]'), opening)
  assert.ok(requests.some((url) => url.endsWith('.wasm')))
  await close()
})

test('a link to a place of a log waits until that log is there', inBrowser, async () => {
  const elsewhere = await opened('?session=/home/somebody/secret.jsonl')
  await elsewhere.page.waitForSelector('[data-testid=failure][data-code=missing]')
  await elsewhere.close()
  const { page, close } = await opened('?session=input.jsonl&turn=40&policy=cwl&tau=50000&tab=context')
  await page.waitForSelector('[data-testid=failure][data-code=missing]')
  await drop(page, ['input.jsonl', await readFile(LONG)])
  await page.waitForSelector('[data-testid=position][data-turn="40"]', { timeout: LIMIT })
  const trace = JSON.parse(await cwl('replay', LONG, '--budget', '50000', '--json'))
  const { tokens_after: after } = trace.turns.find(({ turn }) => turn === 40)
  await page.waitForSelector(`[data-testid=totals][data-sent="${after}"]`)
  await close()
})

test('the page lets nothing out, and axe finds nothing on its start', inBrowser, async () => {
  const { page } = await opened()
  await page.waitForSelector('[data-testid=drop-zone]')
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
  // A server that any page may ask, where neither this page nor a worker of it gets.
  let asked = 0
  const outside = createServer((_, answer) => {
    asked += 1
    answer.writeHead(200, { 'access-control-allow-origin': '*' }).end()
  })
  outside.listen(0, '127.0.0.1')
  await once(outside, 'listening')
  const escaped = await page.evaluate(async (there) => {
    const code = `fetch('${there}').then(() => postMessage(true), () => postMessage(false))`
    const worker = new Worker(URL.createObjectURL(new Blob([code])))
    const inWorker = new Promise((done) => (worker.onmessage = ({ data }) => done(data)))
    return [await fetch(there).then(() => true, () => false), await inWorker]
  }, `http://127.0.0.1:${outside.address().port}/`)
  outside.close()
  assert.deepEqual({ escaped, asked }, { escaped: [false, false], asked: 0 })
  await page.context().close()
})

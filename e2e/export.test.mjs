// The file of an exported page: what is in it and what it leaves out, how a place of it is reached, and that nothing of a log runs in
// it. `crates/cli/tests/it/export.rs` has what is refused.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { ROOT, SAMPLES, cwl, until } from './app.mjs'
import { ENGINE, ExportedPages, QUICKSTART, inBrowser } from './exportedPages.mjs'
import { clickOn } from './page.mjs'
import { after, before, test } from './runner.mjs'

const AXE = join(ROOT, 'ui/node_modules/axe-core/axe.min.js')

const pages = new ExportedPages()
before(() => pages.start())
after(() => pages.stop())

test('axe finds nothing on it, in both themes', inBrowser, async () => {
  const { page, close } = await pages.export(QUICKSTART, '--budget', '6k')
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

test('find goes through the context and what was evicted', inBrowser, async () => {
  const log = QUICKSTART
  const { page, close } = await pages.export(log, '--budget', '6k')
  const listed = JSON.parse(await cwl('context', log, '--budget', '6k', '--json'))
  const n = listed.items.reduce((sum, { text }) => sum + (text.match(/retry/gi)?.length ?? 0), 0)
  assert.ok(n > 3)
  await page.click('[data-testid=tab-context]')
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
  const nGone = gone.items.filter(({ text }) => /retry/i.test(text)).length
  assert.ok(nGone > 0 && nGone < gone.items.length)
  await page.fill('[data-testid=evicted-find] input', 'retry')
  await page.waitForSelector(`[data-testid=evicted-list][data-items="${nGone}"]`)
  await close()
})

test('a link leads to a turn, a step, an episode and a tab, and back goes one step', inBrowser, async () => {
  const log = QUICKSTART
  const { page, out, at, blur, close } = await pages.export(log, '--budget', '6k')
  const { turns } = JSON.parse(await cwl('replay', log, '--budget', '8k', '--json'))
  const { turn, steps } = turns.find((one) => one.steps.length > 1)
  const { episode } = steps[0]
  await page.fill('[data-testid=tau-input]', '8000')
  await page.press('[data-testid=tau-input]', 'Enter')
  await page.click('[data-testid=tab-evicted]')
  await blur()
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
  const linked = await pages.open(out, `#${place}`)
  await linked.at(turn, 1)
  await linked.page.waitForSelector(`[data-testid=inspector][data-episode="${episode}"]`)
  await linked.page.waitForSelector('[data-testid=tab-episodes][aria-selected=true]')
  await linked.page.waitForSelector('[data-testid=tau-input][data-budget="8000"]')
  await linked.page.click('[data-testid=tab-context]')
  await linked.page.keyboard.press('Alt+ArrowLeft')
  await linked.page.waitForSelector('[data-testid=tab-episodes][aria-selected=true]')
  // A link to another place of the page that is open goes there.
  await linked.page.evaluate((to) => (location.hash = to), `turn=1&step=0&tau=6000`)
  await linked.at(1, 0)
  await linked.page.waitForSelector('[data-testid=tau-input][data-budget="6000"]')
  await linked.close()
})

test('the audit of compactions is in it, and what is left out is told', inBrowser, async () => {
  const log = join(SAMPLES, 'pi/compacted/input.jsonl')
  const { page, close } = await pages.export(log)
  const { compactions } = JSON.parse(await cwl('compactions', log, '--json'))
  await page.click('[data-testid=tab-compactions]')
  await page.waitForSelector(`[data-testid=compactions-sum][data-compactions="${compactions.length}"]`)
  const turns = await page.$$eval('[data-testid=compaction]', (cards) => cards.map(({ dataset }) => Number(dataset.turn)))
  assert.deepEqual(
    turns,
    compactions.map(({ turn }) => turn),
  )
  await close()
  const captured = await pages.export(join(SAMPLES, 'claude-code/captured/input.jsonl'))
  await captured.page.click('[data-testid=about-export]')
  assert.match(await captured.page.textContent('[data-testid=exported-left-out]'), /captured bodies of \d+ requests?/)
  await captured.close()
})

test('the page says whose episodes it shows', inBrowser, async () => {
  const log = QUICKSTART
  for (const annotation of ['declared', 'filled', 'inferred']) {
    const { page, close } = await pages.export(log, '--budget', '6k', '--annotation', annotation)
    await page.waitForSelector(`[data-testid=annotation-source][data-source="${annotation}"]`)
    const { from } = JSON.parse(await cwl('graph', log, '--annotation', annotation, '--json'))
    await page.click('[data-testid=about-export]')
    const said = await page.textContent('[data-testid=exported-annotation]')
    assert.ok(said.includes(from.says), `${from.says} in ${said}`)
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

test('nothing of a log runs, no secret of it is in the file, and the figures are those of the log', inBrowser, async () => {
  const secret = 'ghp_' + 'a8F3kQ92xLm04ZpT7rWv1cYb6NdE5gHj2uKs'
  const rows = (await readFile(QUICKSTART, 'utf8'))
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
  const file = await pages.stage.file(
    'hostile.jsonl',
    rows.map((row) => JSON.stringify(spoil(JSON.parse(row))) + '\n').join(''),
  )
  const { page, out, close } = await pages.export(file, '--budget', '6k')
  const html = await readFile(out, 'utf8')
  const data = await page.evaluate(async () => {
    const [, session] = document.getElementById('export').textContent.split('\n')
    const bytes = Uint8Array.from(atob(session), (sign) => sign.charCodeAt(0))
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text()
  })
  for (const text of [html, data]) assert.ok(!text.includes(secret), 'the secret is in the file')
  assert.ok(data.includes('[redacted:github-token#1]'))
  await page.click('[data-testid=tab-context]')
  const listed = JSON.parse(await cwl('context', file, '--budget', '6k', '--json'))
  await page.waitForSelector(`[data-testid=context-total][data-total="${listed.total}"]`)
  await page.waitForSelector('[data-testid=context-item]')
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

test('the window exports the same page', inBrowser, async () => {
  const app = await pages.stage.open([QUICKSTART, '--engine', ENGINE, '--budget', '6k'])
  await until('a session is open', () => app.run(`return document.querySelector('.window[data-phase=open]') !== null`))
  await clickOn(app, 'export')
  await until('it asks', () => app.run(`return document.querySelector('[data-testid=export-save]') !== null`))
  const html = await app.downloaded(() => clickOn(app, 'export-save'))
  await pages.stage.close()
  const out = join(await pages.stage.folder(), 'page.html')
  await writeFile(out, html)
  const { page, close } = await pages.open(out)
  await page.click('[data-testid=tab-context]')
  const { total } = JSON.parse(await cwl('context', QUICKSTART, '--budget', '6k', '--json'))
  await page.waitForSelector(`[data-testid=context-total][data-total="${total}"]`)
  await close()
})

// Exported pages, opened from files on their own in a browser. `make test-exported` builds their engine.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { KIND, LIMIT, ROOT, SAMPLES, Stage, cwl } from './app.mjs'
import { CHROMIUM } from './browser.mjs'

const { chromium } = createRequire(join(ROOT, 'ui/package.json'))('playwright-core')

/** The engine of the pages, a file. */
export const ENGINE = process.env.CWL_PAGE_ENGINE

/** The options of a test that opens exported pages. */
export const inBrowser = {
  skip: KIND !== 'browser' ? 'a browser opens the page' : ENGINE === undefined && '`make test-exported` builds the engine',
  timeout: LIMIT,
}

export const LONG = join(SAMPLES, 'pi/long/input.jsonl')
export const QUICKSTART = join(SAMPLES, 'pi/quickstart/input.jsonl')

/** A browser, and a stage for the files. */
export class ExportedPages {
  stage
  #browser

  async start() {
    if (inBrowser.skip) return
    this.stage = await Stage.start()
    this.#browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  }

  async stop() {
    await this.#browser?.close()
    await this.stage?.stop()
  }

  /** Exports a log and opens the page. */
  async export(log, ...options) {
    const out = join(await this.stage.folder(), 'page.html')
    await cwl('export', log, '--html', out, '--engine', ENGINE, ...options)
    return this.open(out)
  }

  /** Opens a page, at a place of it where a fragment says one; `close` says whether it asked for anything, complained, or kept anything. */
  async open(out, fragment = '') {
    const context = await this.#browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const page = await context.newPage()
    const requests = []
    const complaints = []
    // The context counts them, as the worker asks for itself.
    context.on('request', (request) => requests.push(request.url().slice(0, 60)))
    context.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    context.on('weberror', (error) => complaints.push(String(error.error())))
    await page.goto(`${pathToFileURL(out).href}${fragment}`)
    await page.waitForSelector('.window[data-phase=open]', { timeout: LIMIT })
    const close = async () => {
      const kept = await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])
      assert.deepEqual(kept, [0, 0, ''])
      const outside = requests.filter((url) => !/^(file|data|blob):/.test(url))
      assert.deepEqual({ outside, complaints }, { outside: [], complaints: [] })
      assert.equal(requests.filter((url) => url.startsWith('file:')).length, 1)
      await context.close()
    }
    const place = () =>
      page.$eval('[data-testid=position]', ({ dataset: { turn, step } }) => [Number(turn), Number(step)])
    const at = (turn, step) =>
      page.waitForSelector(`[data-testid=position][data-turn="${turn}"][data-step="${step}"]`)
    /** Takes the keyboard from whatever has it, such as a tab, which would take Home for itself. */
    const blur = () => page.evaluate(() => document.activeElement?.blur())
    /** Goes to a place, as a link does. */
    const go = (place) => page.evaluate((to) => (location.hash = to), new URLSearchParams(place).toString())
    return { page, out, place, at, blur, go, close }
  }
}

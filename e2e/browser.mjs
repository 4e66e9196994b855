// The page in a browser: Chromium before a real `cwl serve`. What Chromium complains about fails the test.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'

import { chromium } from '../ui/node_modules/playwright-core/index.mjs'
import { Tab } from './tab.mjs'
import { CWL, ENV, IS_TEST, ROOT, ended, until } from './ground.mjs'

// The headless shell first: a whole Chromium makes a window and two pages of its own for every tab, unseen, which is half
// of the time that a test takes.
export const CHROMIUM =
  process.env.CHROMIUM ??
  ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
    .map((name) => `/usr/bin/${name}`)
    .find((path) => existsSync(path))

/** The browser of this process: all files that it tests share it. */
let shared

function launched() {
  if (!CHROMIUM) throw new Error('there is no Chromium; `make setup-test` installs it, CHROMIUM names another')
  // As root there is no sandbox to be had; the pages are our own.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  // The shell takes the hinting of letters from here, the whole Chromium from the font folder's settings.
  args.push('--font-render-hinting=slight', '--disable-lcd-text', '--force-color-profile=srgb')
  // A foreign name with the address of this machine.
  args.push('--host-resolver-rules=MAP evil.test 127.0.0.1')
  if (IS_TEST) args.push('--renderer-process-limit=1')
  return chromium.launch({ executablePath: CHROMIUM, args, env: ENV })
}

export class BrowserHost {
  #browser
  #context
  #kept
  /** The port of the first page, which later ones have too: what a page stores belongs to its origin. */
  #port = 0
  /** The server's standard error, errors of the page included. */
  said = ''

  static async start() {
    const host = new BrowserHost()
    host.#browser = await (shared ??= launched())
    // One for all pages of a test file, as the window's storage is: what a person set is there after a restart.
    host.#context = await host.#browser.newContext({
      reducedMotion: 'reduce',
      colorScheme: 'light',
      locale: 'en-US',
      timezoneId: 'UTC',
      permissions: ['clipboard-read', 'clipboard-write'],
      acceptDownloads: true,
    })
    return host
  }

  /** Opens a tab; `now` stops its calendar, `by` are words before those that start the server. */
  async open(args, { width, height, now, by }) {
    const { server, address } = await this.serve(args, this.#port, by)
    this.#port = Number(new URL(address).port)
    if (IS_TEST) this.#kept ??= await this.#keep(address)
    const page = await this.#context.newPage()
    if (now) await page.clock.setFixedTime(now)
    await page.setViewportSize({ width, height })
    const tab = new Tab(page, server.pid, () => ended(server))
    await page.goto(address)
    return tab
  }

  /**
   * Opens a small page of the server and leaves it open. Its process then shows the page of every test, which shares nothing
   * but that with the others; a new process for each takes a fifth of the time that a page takes. A bench does without, as people
   * wait for that process.
   */
  async #keep(address) {
    const page = await this.#context.newPage()
    await page.goto(new URL('/no-such-page', address).href)
    return page
  }

  /** Starts `cwl serve` and returns it with the address that it prints. */
  async serve(args, port = 0, by = []) {
    const [program, ...words] = [...by, CWL, 'serve', ...args, '--port', String(port), '--ui', `${ROOT}/ui/dist`]
    const server = spawn(program, words, {
      env: ENV,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let told = ''
    let greeting = ''
    server.stdout.setEncoding('utf8').on('data', (text) => (told += text))
    server.stderr.setEncoding('utf8').on('data', (text) => {
      // The greeting is no error.
      for (const line of text.split(/(?<=\n)/)) {
        if (/^cwl: (only this machine|Ctrl\+C)/.test(line)) greeting += line
        else this.said += line
      }
    })
    await until('the server tells its address', () => {
      if (server.exitCode !== null) throw new Error(`cwl serve has ended: ${greeting}${this.said}`)
      return told.includes('\n')
    })
    return { server, address: told.trim() }
  }

  /** Which Chromium it is. */
  get version() {
    return this.#browser.version()
  }

  /** A page of its own, which is no tab of the test. */
  newPage() {
    return this.#context.newPage()
  }

  /** Playwright Test ends the browser of a test with its worker. */
  async stop() {
    await this.#context.close()
    if (!IS_TEST) await this.#browser.close()
  }
}

// The real app on a virtual screen: starts the screen and the driver once per test file, the app once per test.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { Driver } from './driver.mjs'

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')
export const SAMPLES = join(ROOT, 'samples')
const APP = resolve(process.env.CWL_INSPECTOR_BIN ?? join(ROOT, 'target/debug/cwl-inspector'))
const CWL = resolve(process.env.CWL_BIN ?? join(ROOT, 'target/debug/cwl'))
const PICTURES = join(ROOT, 'test-output/screenshots')

// A home of their own: nobody's sessions, tool tables and themes are seen, and none are left. Without animations, so
// that pictures stand still.
export const HOME = mkdtempSync(join(tmpdir(), 'cwl-e2e-home-'))
mkdirSync(join(HOME, '.config/gtk-3.0'), { recursive: true })
writeFileSync(join(HOME, '.config/gtk-3.0/settings.ini'), '[Settings]\ngtk-enable-animations=0\n')
process.on('exit', () => rmSync(HOME, { recursive: true, force: true, maxRetries: 3 }))

const ENV = {
  PATH: process.env.PATH,
  HOME,
  XDG_CONFIG_HOME: join(HOME, '.config'),
  XDG_DATA_HOME: join(HOME, '.local/share'),
  XDG_CACHE_HOME: join(HOME, '.cache'),
  LANG: 'C.UTF-8',
  CWL_LOG: 'warn',
  RUST_BACKTRACE: '1',
}

/** How long one test may take, milliseconds; the machine may be busy. */
export const LIMIT = 120_000

/** Polls `ask` until it returns something truthy, and returns that. */
export async function until(what, ask, limit = 20_000) {
  const end = Date.now() + limit
  let last
  for (;;) {
    try {
      const answer = await ask()
      if (answer) return answer
      last = undefined
    } catch (error) {
      last = error
    }
    if (Date.now() > end) throw new Error(`${limit} ms passed, and not yet: ${what}`, { cause: last })
    await new Promise((done) => setTimeout(done, 25))
  }
}

/** A screen and a driver. `await using` is not in every supported Node, so call `stop()`. */
export class Stage {
  #processes = []
  #folders = []
  #port
  #app

  static async start({ width = 1600, height = 1000 } = {}) {
    const stage = new Stage()
    const display = await stage.#screen(width, height)
    stage.display = display
    stage.env = ENV
    stage.#port = await freePort()
    const driver = stage.#spawn('WebKitWebDriver', [`--port=${stage.#port}`], {
      DISPLAY: display,
      GDK_BACKEND: 'x11',
      TAURI_WEBVIEW_AUTOMATION: 'true',
    })
    stage.errors = ''
    driver.stderr.setEncoding('utf8').on('data', (text) => (stage.errors += text))
    await until('the driver listens', async () => {
      const answer = await fetch(`http://127.0.0.1:${stage.#port}/status`)
      return (await answer.json()).value.ready
    })
    return stage
  }

  /** An empty folder that goes with the stage. */
  async folder() {
    const folder = await mkdtemp(join(tmpdir(), 'cwl-e2e-'))
    this.#folders.push(folder)
    return folder
  }

  /** A copy of a sample that a test may write to, in a folder of its own. */
  async sample(name) {
    const folder = join(SAMPLES, name)
    const input = (await readdir(folder)).find((entry) => /^input\.jsonl?$/.test(entry))
    const file = join(await this.folder(), input.replace('input', 'session'))
    await copyFile(join(folder, input), file)
    return file
  }

  /** A file with this content. */
  async file(name, content) {
    const file = join(await this.folder(), name)
    await writeFile(file, content)
    return file
  }

  /** Opens the window and returns its driver; the one before is closed. */
  async open(args, { width = 1440, height = 900, dataDir } = {}) {
    await this.close()
    this.errors = ''
    const store = dataDir ?? join(await this.folder(), 'data')
    this.#app = await Driver.open({ port: this.#port, binary: APP, args: [...args, '--data-dir', store] })
    await this.#app.resize(width, height)
    return this.#app
  }

  async close() {
    const app = this.#app
    this.#app = undefined
    await app?.close()
  }

  async stop() {
    await this.close().catch(() => undefined)
    for (const process of this.#processes.reverse()) {
      if (process.exitCode === null && process.signalCode === null) {
        const ended = once(process, 'exit')
        process.kill()
        await ended
      }
    }
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }

  /** Starts a virtual screen, which chooses a free number itself. */
  async #screen(width, height) {
    const screen = this.#spawn(
      'Xvfb',
      ['-displayfd', '3', '-screen', '0', `${width}x${height}x24`, '-nolisten', 'tcp'],
      {},
      ['ignore', 'ignore', 'pipe', 'pipe'],
    )
    let told = ''
    screen.stdio[3].setEncoding('utf8').on('data', (text) => (told += text))
    await until('the screen tells its number', () => told.includes('\n'))
    return `:${told.trim()}`
  }

  #spawn(program, args, env, stdio = ['ignore', 'ignore', 'pipe']) {
    const child = spawn(program, args, { env: { ...ENV, ...env }, stdio })
    child.on('error', (error) => {
      throw new Error(`${program} cannot be started; \`make setup-test\` installs it`, { cause: error })
    })
    this.#processes.push(child)
    return child
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** Runs `cwl` and returns what it says on standard output. */
export async function cwl(...args) {
  const { stdout } = await promisify(execFile)(CWL, args, { env: ENV, maxBuffer: 1 << 28 })
  return stdout
}

/** Keeps a picture of the page for people to look at. */
export async function keepPicture(driver, name) {
  await mkdir(PICTURES, { recursive: true })
  const picture = await driver.picture()
  await writeFile(join(PICTURES, `${name}.png`), picture)
  return picture
}

// The real app: what shows it is started once per test file, the app once per test. The same tests run in the window
// (`CWL_E2E=window`) and in a browser (`CWL_E2E=browser`).

import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { ENV, IS_ALL, IS_TEST, KIND, ROOT, SAMPLES, until } from './ground.mjs'

export { ENV, HOME, KIND, LIMIT, ROOT, SAMPLES, cwl, ended, until } from './ground.mjs'

const PICTURES = join(ROOT, 'test-output', KIND === 'browser' ? 'screenshots-browser' : 'screenshots')

/** Only one of them is loaded: Playwright alone takes half a second. */
const HOSTS = {
  browser: async () => (await import('./browser.mjs')).BrowserHost,
  window: async () => (await import('./window.mjs')).WindowHost,
}
if (!(KIND in HOSTS)) throw new Error(`CWL_E2E is browser or window, not ${KIND}`)

const stages = new Set()
if (IS_TEST) (await import('./runner.mjs')).afterEach(() => stages.forEach((stage) => stage.complain()))

/** Where the app is shown. `await using` is not in every supported Node, so call `stop()`. */
export class Stage {
  #folders = []
  #host
  #app
  #problems = []

  static async start({ width = 1600, height = 1000 } = {}) {
    const stage = new Stage()
    const host = await HOSTS[KIND]()
    stage.#host = await host.start({ width, height })
    stage.host = stage.#host
    stage.env = ENV
    stages.add(stage)
    return stage
  }

  /** The text on standard error since the app was opened. */
  get errors() {
    return this.#host.said
  }

  /** The virtual screen, where there is one. */
  get display() {
    return this.#host.display
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

  /**
   * Opens the app and returns its driver; the one before is closed. With `asLeft` a window keeps the size that it opens
   * with; a served program is started by the words of `by`. A link to a file that the window does not know is confirmed,
   * unless the test is about the question (`asks`). The Context tab is chosen as soon as there are tabs, unless the test is
   * about the first one (`firstTab`).
   */
  async open(
    args,
    { width = 1440, height = 900, dataDir, now, asLeft = false, by, asks = false, firstTab = false } = {},
  ) {
    await this.close()
    this.#host.said = ''
    const store = dataDir ?? join(await this.folder(), 'data')
    this.#app = await this.#host.open([...args, '--data-dir', store], { width, height, now, asLeft, by })
    if (!firstTab) await chooseContext(this.#app)
    if (!asks && args.some((arg) => arg.startsWith('cwl-inspector:'))) await followed(this.#app)
    return this.#app
  }

  async close() {
    const app = this.#app
    this.#app = undefined
    this.#problems.push(...(app?.problems?.() ?? []))
    await app?.close()
  }

  /** Throws what the browser complained about since the last time. */
  complain() {
    const problems = [...this.#problems.splice(0), ...(this.#app?.problems?.() ?? [])]
    if (problems.length > 0) throw new Error(`the browser complains:\n${problems.join('\n')}`)
  }

  async stop() {
    stages.delete(this)
    await this.close().catch(() => undefined)
    await this.#host.stop()
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Chooses the Context tab in the place of the Overview, now or as soon as a session is open. */
const chooseContext = (app) =>
  app.run(`
    const choose = () => {
      const first = document.querySelector('[data-testid="tab-overview"]')
      if (!first) return false
      if (first.ariaSelected === 'true') document.querySelector('[data-testid="tab-context"]').click()
      return true
    }
    if (choose()) return 1
    const watch = new MutationObserver(() => choose() && watch.disconnect())
    watch.observe(document.documentElement, { childList: true, subtree: true })
    return 1
  `)

/** Waits until a link is followed, and answers the question of the window whether it may be. */
async function followed(app) {
  const at = () =>
    app.run(`
      const shown = (selector) => !!document.querySelector(selector)
      return shown('[data-testid="link-open"]') ? 'asked' : shown('.session-name[data-path], [data-testid="failure"]') ? 'there' : ''
    `)
  // Not by the pointer, which would stay on what the window shows there.
  if ((await until('the link is followed or asked about', at)) === 'asked')
    await app.run(`document.querySelector('[data-testid="link-open"]').click(); return 1`)
}

/** Keeps a picture of the page for people to look at, in `make test-all`: it takes a while, and compares nothing. A fault is always kept. */
export async function keepPicture(driver, name, { isFault = false } = {}) {
  if (!IS_ALL && !isFault) return
  await mkdir(PICTURES, { recursive: true })
  await writeFile(join(PICTURES, `${name}.png`), await driver.picture())
}

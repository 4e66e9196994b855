// A tab of Chromium with the interface of the window's driver, so that one test runs in both.

import { readFile } from 'node:fs/promises'

/** Keys by their WebDriver code points, in Playwright's names. */
const KEYS = {
  '\uE003': 'Backspace',
  '\uE004': 'Tab',
  '\uE006': 'Enter',
  '\uE007': 'Enter',
  '\uE008': 'Shift',
  '\uE009': 'Control',
  '\uE00A': 'Alt',
  '\uE00C': 'Escape',
  '\uE00D': 'Space',
  '\uE00E': 'PageUp',
  '\uE00F': 'PageDown',
  '\uE010': 'End',
  '\uE011': 'Home',
  '\uE012': 'ArrowLeft',
  '\uE013': 'ArrowUp',
  '\uE014': 'ArrowRight',
  '\uE015': 'ArrowDown',
  '\uE017': 'Delete',
  '\uE03D': 'Meta',
  ' ': 'Space',
}
const keyOf = (key) => KEYS[key] ?? key

/** The time that an element has to be there and to stand still, milliseconds. */
const PATIENCE = 60_000

export class Tab {
  #page
  #end
  #devtools
  #problems = []

  /** The number of the process that serves the page. */
  pid

  /** `end` ends what serves the page. */
  constructor(page, pid, end) {
    this.pid = pid
    this.#page = page
    this.#end = end
    page.setDefaultTimeout(PATIENCE)
    page.on('console', (message) => {
      // A refusal of the engine is an answer, and Chromium writes a line for every answer of its kind.
      const isRefusal = message.text().includes('status of 422')
      if (message.type() === 'error' && !isRefusal) this.#problems.push(`console: ${message.text()}`)
    })
    page.on('pageerror', (error) => {
      if (!error.message.startsWith('ResizeObserver loop')) this.#problems.push(`uncaught: ${error.stack}`)
    })
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText
      // A page that is left takes its requests with it.
      if (reason !== 'net::ERR_ABORTED') this.#problems.push(`${reason}: ${request.method()} ${request.url()}`)
    })
    page.on('response', (answer) => {
      if (answer.status() >= 400 && answer.status() !== 422) this.#problems.push(`${answer.status()}: ${answer.url()}`)
    })
  }

  /** Takes the complaints of Chromium since the last time. */
  problems() {
    return this.#problems.splice(0)
  }

  async close() {
    await this.#page.close()
    await this.#end()
  }

  /** Runs `body` as a function of `args` in the page and returns what it returns. */
  async run(body, ...args) {
    return (await this.#page.evaluate(`(function () { ${body}\n}).apply(null, ${JSON.stringify(args)})`)) ?? null
  }

  /** The text of the file that is downloaded while `act` goes on. */
  async downloaded(act) {
    const [download] = await Promise.all([this.#page.waitForEvent('download'), act()])
    return readFile(await download.path(), 'utf8')
  }

  async find(selector) {
    const found = await this.#page.$(selector)
    if (!found) throw new Error(`nothing is ${selector}`)
    return found
  }

  /** Clicks on the first element that fits, within `patience` milliseconds. After an error the page may have got the click. */
  async click(selector, patience = PATIENCE) {
    await this.#page.locator(selector).first().click({ timeout: patience })
  }

  /** Types into a field, over what is selected in it. */
  async type(selector, text) {
    const field = await this.find(selector)
    if (!(await field.evaluate((element) => element === document.activeElement))) {
      await field.focus()
      await this.#page.keyboard.press('End')
    }
    for (const key of text) {
      if (KEYS[key] && key !== ' ') await this.#page.keyboard.press(KEYS[key])
      else await this.#page.keyboard.type(key)
    }
  }

  /** Presses one key, with the held ones down. */
  async press(key, ...held) {
    for (const other of held) await this.#page.keyboard.down(keyOf(other))
    await this.#page.keyboard.press(keyOf(key))
    for (const other of held.reverse()) await this.#page.keyboard.up(keyOf(other))
  }

  /** Drags from one point of the page to another in `n` moves. */
  async drag(from, to, n = 8) {
    const { mouse } = this.#page
    await mouse.move(Math.round(from.x), Math.round(from.y))
    await mouse.down()
    for (let i = 1; i <= n; i += 1) {
      const at = (a, b) => Math.round(a + ((b - a) * i) / n)
      await mouse.move(at(from.x, to.x), at(from.y, to.y))
      await this.#page.evaluate('new Promise((done) => requestAnimationFrame(done))')
    }
    await mouse.up()
  }

  async resize(width, height) {
    await this.#page.setViewportSize({ width, height })
  }

  /** Sets which theme the desktop has, and whether it forces its own colours on every page. */
  async prefer(colorScheme, forcedColors = 'none') {
    await this.#page.emulateMedia({ colorScheme, forcedColors, reducedMotion: 'reduce' })
  }

  /** Returns the texts that a font of the machine draws, each with that font: no font of the page has a sign in them. */
  async foreignTexts() {
    const devtools = await this.#page.context().newCDPSession(this.#page)
    for (const domain of ['DOM', 'CSS']) await devtools.send(`${domain}.enable`)
    const { root } = await devtools.send('DOM.getDocument', { depth: -1 })
    const foreign = []
    // One sign of one kind of element is drawn alike everywhere, and each question takes a while.
    const asked = new Set()
    const isNew = (kind, text) => {
      const before = asked.size
      for (const sign of text) asked.add(`${kind} ${sign}`)
      return asked.size > before
    }
    const visit = async ({ nodeId, nodeName, attributes = [], children = [] }) => {
      const text = children.map(({ nodeType, nodeValue }) => (nodeType === 3 ? nodeValue : '')).join('')
      const kind = [nodeName, attributes[attributes.indexOf('class') + 1]].join(' ')
      if (text.trim() && isNew(kind, text)) {
        const { fonts } = await devtools.send('CSS.getPlatformFontsForNode', { nodeId })
        for (const font of fonts) if (!font.isCustomFont) foreign.push(`${font.familyName}: ${text}`)
      }
      for (const child of children) await visit(child)
    }
    await visit(root)
    await devtools.detach()
    return foreign
  }

  /** Returns a picture to be compared with the next one: taken in a third of the time, and larger. */
  async glance() {
    this.#devtools ??= await this.#page.context().newCDPSession(this.#page)
    return (await this.#devtools.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true })).data
  }

  /** Returns a picture of the page as PNG bytes. */
  picture() {
    return this.#page.screenshot({ animations: 'disabled', caret: 'hide' })
  }

  /** Returns a picture of the first element that fits, as PNG bytes. */
  pictureOf(selector) {
    return this.#page.locator(selector).first().screenshot({ animations: 'disabled', caret: 'hide' })
  }
}

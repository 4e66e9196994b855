// A WebDriver client: the few calls that the tests need, over plain fetch.

/**
 * How long the start of an app and every other call may take: less than a test, so that the call is named that hangs. A start
 * takes two or three seconds; one that hangs is tried again.
 */
const START_MS = 60_000
const CALL_MS = 120_000

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

/** One session of a WebDriver server, which is one running app. */
export class Driver {
  #base
  #timeout

  constructor(base, timeout) {
    this.#base = base
    this.#timeout = timeout
  }

  /** Starts `binary` with `args` under the server on `port`. */
  static async open({ port, binary, args }) {
    const server = new Driver(`http://127.0.0.1:${port}`, START_MS)
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': { binary, args } } }
    const { sessionId } = await server.#send('POST', '/session', { capabilities })
    return new Driver(`http://127.0.0.1:${port}/session/${sessionId}`, CALL_MS)
  }

  async close() {
    await this.#send('DELETE', '')
  }

  /** Runs `body` as a function of `args` in the page and returns what it returns. */
  run(body, ...args) {
    return this.#send('POST', '/execute/sync', { script: body, args })
  }

  async find(selector) {
    const found = await this.#send('POST', '/element', { using: 'css selector', value: selector })
    return found[ELEMENT]
  }

  async click(selector) {
    await this.#send('POST', `/element/${await this.find(selector)}/click`, {})
  }

  /** Types into a field, over what is selected in it. */
  async type(selector, text) {
    await this.#send('POST', `/element/${await this.find(selector)}/value`, { text })
  }

  /** Presses one key, with the held ones down. */
  async press(key, ...held) {
    const down = held.map((value) => ({ type: 'keyDown', value }))
    const up = held.map((value) => ({ type: 'keyUp', value })).reverse()
    const actions = [...down, { type: 'keyDown', value: key }, { type: 'keyUp', value: key }, ...up]
    await this.#send('POST', '/actions', { actions: [{ type: 'key', id: 'keyboard', actions }] })
  }

  /** Drags from one point of the page to another in `n` moves. */
  async drag(from, to, n = 8) {
    const move = (x, y, duration = 0) => ({ type: 'pointerMove', duration, x: Math.round(x), y: Math.round(y) })
    const path = Array.from({ length: n }, (_, i) => {
      const share = (i + 1) / n
      return move(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share, 16)
    })
    const actions = [move(from.x, from.y), { type: 'pointerDown', button: 0 }, ...path, { type: 'pointerUp', button: 0 }]
    const pointer = { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }
    await this.#send('POST', '/actions', { actions: [pointer] })
  }

  async resize(width, height) {
    await this.#send('POST', '/window/rect', { width, height })
  }

  /** Returns a picture to be compared with the next one. */
  async glance() {
    return (await this.picture()).toString('base64')
  }

  /**
   * Returns a picture of the page as PNG bytes.
   *
   * The server takes it at the next painted frame and waits for ever on a page that stands still. So an invisible
   * dot is painted all the while.
   */
  async picture() {
    await this.run(`
      const dot = document.body.appendChild(document.createElement('div'))
      dot.id = 'webdriver-dot'
      Object.assign(dot.style, { position: 'fixed', left: 0, top: 0, width: '1px', height: '1px', background: '#888' })
      let n = 0
      const paint = () => {
        if (!dot.isConnected) return
        dot.style.opacity = n++ % 2 ? 0.001 : 0.002
        requestAnimationFrame(paint)
      }
      paint()
      return 1
    `)
    const picture = await this.#send('GET', '/screenshot')
    await this.run(`document.getElementById('webdriver-dot').remove(); return 1`)
    return Buffer.from(picture, 'base64')
  }

  async #send(method, path, body) {
    const answer = await fetch(this.#base + path, {
      method,
      body: body && JSON.stringify(body),
      headers: body && { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(this.#timeout),
    }).catch((cause) => {
      const asked = (body?.script?.trim() ?? JSON.stringify(body) ?? '').slice(0, 200)
      throw new Error(`${method} ${path}: no answer in ${this.#timeout} ms: ${asked}`, { cause })
    })
    const { value } = await answer.json()
    if (!answer.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`)
    return value
  }
}

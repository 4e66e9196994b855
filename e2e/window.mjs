// The real window: WebKit, driven over WebDriver, on a virtual screen.

import { spawn } from 'node:child_process'

import { Driver } from './driver.mjs'
import { APP, ENV, ended, freePort, until } from './ground.mjs'

export class WindowHost {
  #processes = []
  #port
  /** The standard error of the program and its driver. */
  said = ''

  static async start({ width, height }) {
    const host = new WindowHost()
    host.display = await host.#screen(width, height)
    host.#port = await freePort()
    const driver = host.#spawn('WebKitWebDriver', [`--port=${host.#port}`], {
      DISPLAY: host.display,
      GDK_BACKEND: 'x11',
      TAURI_WEBVIEW_AUTOMATION: 'true',
    })
    driver.stderr.setEncoding('utf8').on('data', (text) => (host.said += text))
    await until('the driver listens', async () => {
      const answer = await fetch(`http://127.0.0.1:${host.#port}/status`)
      return (await answer.json()).value.ready
    })
    return host
  }

  async open(args, { width, height, asLeft }) {
    const app = await Driver.open({ port: this.#port, binary: APP, args })
    if (!asLeft) await app.resize(width, height)
    return app
  }

  async stop() {
    for (const child of this.#processes.reverse()) await ended(child)
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

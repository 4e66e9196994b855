// The real window: WebKit, driven over WebDriver, on a virtual screen.

import { spawn } from 'node:child_process'

import { Driver } from './driver.mjs'
import { APP, ENV, ended, freePort, until } from './ground.mjs'

/** Ends a driver and all that it started, if it is still there. */
function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

export class WindowHost {
  #processes = []
  #driver
  #port
  /** The standard error of the program and its driver. */
  said = ''

  static async start({ width, height }) {
    const host = new WindowHost()
    host.display = await host.#screen(width, height)
    await host.#drive()
    return host
  }

  /** Starts the driver, in a group of processes with the apps that it starts. */
  async #drive() {
    this.#port = await freePort()
    const env = { DISPLAY: this.display, GDK_BACKEND: 'x11', TAURI_WEBVIEW_AUTOMATION: 'true' }
    this.#driver = this.#spawn('WebKitWebDriver', [`--port=${this.#port}`], env, { detached: true })
    const { pid } = this.#driver
    process.once('exit', () => killGroup(pid))
    this.#driver.stderr.setEncoding('utf8').on('data', (text) => (this.said += text))
    await until('the driver listens', async () => {
      const answer = await fetch(`http://127.0.0.1:${this.#port}/status`)
      return (await answer.json()).value.ready
    })
  }

  /**
   * Starts an app. On a busy machine the driver waits now and then for ever for an app that runs already; then both are ended
   * and started once more, and the test's output says so.
   */
  async #start(args) {
    try {
      return await Driver.open({ port: this.#port, binary: APP, args })
    } catch (error) {
      if (error.cause?.name !== 'TimeoutError') throw error
      console.error(`the driver is started again: ${error.message}`)
      killGroup(this.#driver.pid)
      await ended(this.#driver)
      await this.#drive()
      this.said = ''
      return Driver.open({ port: this.#port, binary: APP, args })
    }
  }

  async open(args, { width, height, asLeft }) {
    const app = await this.#start(args)
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
      { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] },
    )
    let told = ''
    screen.stdio[3].setEncoding('utf8').on('data', (text) => (told += text))
    await until('the screen tells its number', () => told.includes('\n'))
    return `:${told.trim()}`
  }

  #spawn(program, args, env, options) {
    const child = spawn(program, args, { env: { ...ENV, ...env }, stdio: ['ignore', 'ignore', 'pipe'], ...options })
    child.on('error', (error) => {
      throw new Error(`${program} cannot be started; \`make setup-test\` installs it`, { cause: error })
    })
    this.#processes.push(child)
    return child
  }
}

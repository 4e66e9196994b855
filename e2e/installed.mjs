// `make bench`: from the package file to the newest session on the screen, in two commands, in a root of Debian 12 that has nothing but
// apt. Takes the folder of the packages; measures, judges nothing. Without a package, root or mmdebstrap it says so and measures nothing.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

import { Driver } from './driver.mjs'
import { SAMPLES, ended, freePort, until } from './ground.mjs'

/** Logs where harnesses put them, the newest first; each is an hour older than the one before. */
const LOGS = [
  ['claude-code/compaction', '.claude/projects/-home-dev-tidewater/0a789f64-8ecc-4a6f-a5c7-821d6c5fe4e0.jsonl'],
  ['pi/long', '.pi/agent/sessions/--home-dev-tidewater--/2026-05-12T14-20-00-000Z_1.jsonl'],
]
const OPENED = 5
const ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LANG: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' }

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`

/** Says why there is no row, and what would give one. */
function leave(why) {
  console.log(`\nfrom the package file to the newest session on the screen: not measured, because ${why}`)
  process.exit(0)
}

const folder = process.argv[2]
const packed = existsSync(folder) ? readdirSync(folder).find((name) => name.endsWith('.deb')) : undefined
if (!packed) leave(`there is no .deb in ${folder}; \`make package\` makes it`)
if (process.getuid?.() !== 0) leave('a clean root needs root')
if (!(process.env.PATH ?? '').split(':').some((place) => existsSync(join(place, 'mmdebstrap'))))
  leave('mmdebstrap is missing (apt-get install mmdebstrap)')

const root = join(mkdtempSync(join(tmpdir(), 'cwl-bare-')), 'root')
const children = []
const within = (...command) => ['chroot', [root, ...command], { env: ENV }]

/** Runs a command in the root and returns how long it took, milliseconds. */
function timed(...command) {
  const since = performance.now()
  const [program, args, options] = within(...command)
  execFileSync(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  return performance.now() - since
}

function started(options, ...command) {
  const [program, args, { env }] = within(...command)
  const child = spawn(program, args, { stdio: 'ignore', ...options, env: { ...env, ...options.env } })
  children.push(child)
  return child
}

/** Starts the window as the second command does, and waits for the newest session: its line, then its graph. */
async function opened(port) {
  const since = performance.now()
  const app = await Driver.open({ port, binary: '/usr/bin/cwl-inspector', args: [] })
  const newest = '[data-testid="newest-row"]'
  await until(
    'the newest session has its line',
    () =>
      app.run(
        `return document.querySelector(arguments[0])?.querySelector('[data-testid="glance"]')?.dataset.marks !== undefined`,
        newest,
      ),
    60_000,
  )
  const listed = performance.now() - since
  await app.click(newest)
  await until('its graph is painted', () => app.run(`return !!document.querySelector('[data-episodes]')`), 60_000)
  const shown = performance.now() - since
  const name = await app.run(`return document.querySelector('.session-name[data-path]')?.dataset.path`)
  await app.close()
  if (!name?.endsWith(basename(LOGS[0][1]))) throw new Error(`${name} was opened, which is not the newest`)
  return { listed, shown }
}

try {
  execFileSync('mmdebstrap', ['--quiet', '--variant=apt', 'bookworm', root], { stdio: ['ignore', 'ignore', 'pipe'] })
  copyFileSync(join(folder, packed), join(root, 'tmp', packed))
  for (const [at, [sample, to]] of LOGS.entries()) {
    const path = join(root, 'root', to)
    mkdirSync(dirname(path), { recursive: true })
    copyFileSync(join(SAMPLES, sample, 'input.jsonl'), path)
    const when = Date.now() / 1000 - 3600 * (at + 1)
    utimesSync(path, when, when)
  }
  timed('apt-get', 'update', '-qq')
  const install = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', `/tmp/${packed}`]
  const bare = timed(...install)
  timed('dpkg', '--purge', 'cwl-inspector')
  const alone = timed(...install)
  // These serve the measurement, and are no part of what is measured.
  timed('apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'xvfb', 'webkit2gtk-driver')

  // The process of the page ends at once without it.
  timed('mount', '-t', 'proc', 'proc', '/proc')
  const screen = started({ stdio: ['ignore', 'ignore', 'ignore', 'pipe'] }, 'Xvfb', '-displayfd', '3', '-screen', '0', '1440x900x24')
  let told = ''
  screen.stdio[3].setEncoding('utf8').on('data', (text) => (told += text))
  await until('the screen tells its number', () => told.includes('\n'))
  const port = await freePort()
  const env = { DISPLAY: `:${told.trim()}`, GDK_BACKEND: 'x11', TAURI_WEBVIEW_AUTOMATION: 'true' }
  started({ env }, 'WebKitWebDriver', `--port=${port}`)
  await until('the driver listens', async () => (await (await fetch(`http://127.0.0.1:${port}/status`)).json()).value.ready)
  const first = await opened(port)
  const again = []
  for (let n = 0; n < OPENED; n += 1) again.push(await opened(port))
  const median = (of) => again.map((one) => one[of]).sort((a, b) => a - b)[Math.floor(OPENED / 2)]

  const size = (readFileSync(join(folder, packed)).length / 1e6).toFixed(1)
  console.log(`\nfrom the package file to the newest session on the screen (${packed}, ${size} MB, Debian 12, two commands)`)
  console.log(`  apt-get install ./${packed}: ${seconds(alone)}; on a bare machine ${seconds(bare)}, most of it for WebKit's packages over the network`)
  console.log(`  cwl-inspector, first start: the newest session has its line after ${seconds(first.listed)}, a click shows its graph: ${seconds(first.shown)}`)
  console.log(`  cwl-inspector, warm, median of ${OPENED}: ${seconds(median('listed'))} and ${seconds(median('shown'))}`)
  console.log(`  in all: ${seconds(alone + first.shown)}, on the bare machine ${seconds(bare + first.shown)}`)
} finally {
  for (const child of children.reverse()) await ended(child)
  spawnSync('umount', ['-l', join(root, 'proc')], { stdio: 'ignore' })
  rmSync(dirname(root), { recursive: true, force: true, maxRetries: 3 })
}

// The ground of every test: a home of its own, the programs under test, and waiting.

import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')
export const SAMPLES = join(ROOT, 'samples')
export const APP = resolve(process.env.CWL_INSPECTOR_BIN ?? join(ROOT, 'target/debug/cwl-inspector'))
export const CWL = resolve(process.env.CWL_BIN ?? join(ROOT, 'target/debug/cwl'))

/** Where the tests run: `browser` or `window`. */
export const KIND = process.env.CWL_E2E ?? 'window'
/** True in the tests; benches and pictures are none. `run.mjs` says so. */
export const IS_TEST = process.env.CWL_E2E_TEST === '1'
/** True where all tests run, those as well that `make test` leaves to `make test-all`. */
export const IS_ALL = process.env.CWL_E2E_ALL === '1'

// The tests have a home of their own: they see no person's sessions, tool tables and themes, and leave none.
export const HOME = mkdtempSync(join(tmpdir(), 'cwl-e2e-home-'))
process.on('exit', () => rmSync(HOME, { recursive: true, force: true, maxRetries: 3 }))

/** Makes the home as it is before the first start. The cache of fonts stays, as it takes a while to fill. */
export function emptyHome() {
  for (const name of readdirSync(HOME))
    if (name !== '.cache' && name !== 'fonts.conf') rmSync(join(HOME, name), { recursive: true, maxRetries: 3 })
  // There are no animations, so that pictures stand still.
  mkdirSync(join(HOME, '.config/gtk-3.0'), { recursive: true })
  writeFileSync(join(HOME, '.config/gtk-3.0/settings.ini'), '[Settings]\ngtk-enable-animations=0\n')
}
emptyHome()

// One font folder for all of them: a picture must not depend on the fonts of the machine.
const FONTS = join(HOME, 'fonts.conf')
writeFileSync(
  FONTS,
  `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>${join(ROOT, 'e2e/fonts')}</dir>
  <cachedir>${join(HOME, '.cache/fontconfig')}</cachedir>
  <match target="pattern">
    <edit name="antialias" mode="assign"><bool>true</bool></edit>
    <edit name="hintstyle" mode="assign"><const>hintslight</const></edit>
    <edit name="rgba" mode="assign"><const>none</const></edit>
  </match>
</fontconfig>
`,
)

/** The environment of every program that a test starts. */
export const ENV = {
  PATH: process.env.PATH,
  HOME,
  FONTCONFIG_FILE: FONTS,
  XDG_CONFIG_HOME: join(HOME, '.config'),
  XDG_DATA_HOME: join(HOME, '.local/share'),
  XDG_CACHE_HOME: join(HOME, '.cache'),
  LANG: 'C.UTF-8',
  TZ: 'UTC',
  CWL_LOG: 'warn',
  RUST_BACKTRACE: '1',
}

/** How long one test may take, milliseconds; a busy machine takes ten times as long as an idle one. */
export const LIMIT = 300_000

/** Polls `ask` until it returns something truthy, and returns that. Only a test that is red waits until `limit`. */
export async function until(what, ask, limit = 90_000) {
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

/** Returns a free port. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** Ends a program and waits for it. */
export async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const end = once(child, 'exit')
  child.kill()
  await end
}

/** Runs `cwl` and returns what it says on standard output. */
export const cwl = (...args) => runCwl(args, ENV)

/** Runs `cwl` with the store in a folder, as a window with `--data-dir` has it. */
export const cwlIn = (dataDir, ...args) => runCwl(args, { ...ENV, CWL_DATA_DIR: dataDir })

async function runCwl(args, env) {
  const { stdout } = await promisify(execFile)(CWL, args, { env, maxBuffer: 1 << 28 })
  return stdout
}

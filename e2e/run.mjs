// Runs the tests of this folder: `run.mjs browser|window [--all] [NAME…]`. Without `--all` it runs the gate: in the window the tests
// that its engine or the desktop can break, in a browser one or two of each part of the page. A file that is red stays red. The end
// tells how long each file took; the list of red ones goes to the file that CWL_FAILED names.

import { spawn } from 'node:child_process'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { tell } from './results.mjs'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const PLAYWRIGHT = join(HERE, '../ui/node_modules/@playwright/test/cli.js')

/**
 * The files that run in the window as well: those in which the engine of the page, its keyboard, pointer, clipboard, files or the
 * desktop may differ. The others ask the same engine the same, and would take minutes there.
 */
const IN_WINDOW = [
  'access',
  'annotation',
  'appearances',
  'buttons',
  'corpora',
  'distance',
  'editor',
  'graph',
  'hostile',
  'jobs',
  'left',
  'links',
  'live',
  'marks',
  'notes',
  'palette',
  'panes',
  'range',
  'reader',
  'search',
  'sessions',
  'steps',
  'theme',
]

const [kind, ...words] = process.argv.slice(2)
const asked = words.filter((word) => word !== '--all')
const isAll = words.includes('--all') || process.env.CWL_E2E_ALL === '1'
if (kind !== 'browser' && kind !== 'window') throw new Error('run.mjs browser|window [--all] [NAME…]')

const sources = new Map()
for (const entry of (await readdir(HERE)).filter((entry) => entry.endsWith('.test.mjs')))
  sources.set(entry.replace('.test.mjs', ''), await readFile(join(HERE, entry), 'utf8'))
const inGate = (name) => /\bwindow: true\b/.test(sources.get(name))
for (const name of [...IN_WINDOW, ...asked]) if (!sources.has(name)) throw new Error(`there is no ${name}.test.mjs`)
for (const [name, source] of sources) {
  if (/['"]node:test['"]/.test(source)) throw new Error(`${name}.test.mjs has its tests from runner.mjs, not from Node`)
  const isOfWindow = inGate(name) || source.includes("KIND !== 'window'")
  if (isOfWindow && !IN_WINDOW.includes(name)) throw new Error(`${name}.test.mjs is for the window, and is not in IN_WINDOW`)
}

const env = { ...process.env, CWL_E2E: kind, CWL_E2E_TEST: '1', CWL_E2E_ALL: isAll ? '1' : '' }
process.exitCode = kind === 'browser' ? await inBrowser() : await inWindow()

/** Has Playwright Test run the files in a browser; its reporter tells the end. */
function inBrowser() {
  const names = asked.map((name) => `/${name}\\.test\\.mjs$`)
  const args = [PLAYWRIGHT, 'test', '--config', join(HERE, 'playwright.config.mjs'), ...names]
  const child = spawn(process.execPath, args, { env, stdio: 'inherit' })
  return new Promise((done) => child.on('close', (code) => done(code ?? 1)))
}

/** Runs files in the window, one after another: two that draw in software take as long, and make each other's commands late. */
async function inWindow() {
  const since = performance.now()
  const took = []
  const usual = IN_WINDOW.filter((name) => isAll || inGate(name))
  for (const name of asked.length > 0 ? asked : usual) {
    if (!isAll && !inGate(name)) throw new Error(`no test of ${name} is marked for the window; --all runs all of them`)
    took.push(await runInWindow(name))
  }
  await tell('window', took, (performance.now() - since) / 1000, 1)
  return took.some(({ failed }) => failed) ? 1 : 0
}

/** Runs one file by Node's runner. */
async function runInWindow(name) {
  console.log(`\n-- ${name}, in the window`)
  const since = performance.now()
  const args = ['--test', '--test-reporter=spec', join(HERE, `${name}.test.mjs`)]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'inherit', 'inherit'] })
  const code = await new Promise((done) => child.on('close', done))
  return { name, seconds: (performance.now() - since) / 1000, failed: code !== 0 }
}

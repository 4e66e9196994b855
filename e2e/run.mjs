// Runs the tests of this folder: `run.mjs browser|window [NAME…]`. All of them run in a browser; in the window run the
// main flows. In a browser as many files run at once as there are cores, because most of a file's time is waiting
// (CWL_E2E_JOBS=1 runs one after another). A file that failed runs once more when the others have ended, as a laden
// machine is one reason to fail: the end names those that were green only then, which is a fault to be found, and how
// long each file took. The list of those that stayed red goes to the file that CWL_FAILED names.

import { spawn } from 'node:child_process'
import { appendFile, readFile, readdir, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('.', import.meta.url))

/**
 * The flows that run in the window too: those in which the engine of the page, its keyboard, pointer, clipboard, files or the
 * desktop may differ. The others ask the same engine the same, and would take minutes there.
 */
const MAIN_FLOWS = [
  'access',
  'annotation',
  'corpora',
  'editor',
  'graph',
  'hostile',
  'jobs',
  'left',
  'links',
  'live',
  'looks',
  'marks',
  'notes',
  'palette',
  'panes',
  'range',
  'search',
  'sessions',
  'steps',
]

const [kind, ...asked] = process.argv.slice(2)
if (kind !== 'browser' && kind !== 'window') throw new Error('run.mjs browser|window [NAME…]')

const all = (await readdir(HERE)).filter((name) => name.endsWith('.test.mjs')).map((name) => name.replace('.test.mjs', ''))
for (const name of [...MAIN_FLOWS, ...asked]) if (!all.includes(name)) throw new Error(`there is no ${name}.test.mjs`)
for (const name of all) {
  const isOfWindow = (await readFile(file(name), 'utf8')).includes("KIND !== 'window'")
  if (isOfWindow && !MAIN_FLOWS.includes(name)) throw new Error(`${name}.test.mjs is for the window, and no main flow`)
}
const usual = kind === 'browser' ? all : all.filter((name) => MAIN_FLOWS.includes(name))
const names = asked.length > 0 ? asked : usual

// The longest files first: a long one that starts last would run alone at the end.
const sizes = new Map(await Promise.all(names.map(async (name) => [name, (await stat(file(name))).size])))
const waiting = [...names].sort((a, b) => sizes.get(b) - sizes.get(a))
// Two windows that draw in software take as long as one after the other, and make each other's commands late.
const usualJobs = kind === 'window' ? 1 : availableParallelism()
const jobs = Math.min(waiting.length, Number(process.env.CWL_E2E_JOBS) || usualJobs)
const since = performance.now()
const took = []
await Promise.all(Array.from({ length: jobs }, work))
const unsteady = []
for (const first of took.filter((one) => one.failed)) {
  const again = await run(first.name)
  took[took.indexOf(first)] = { ...again, seconds: first.seconds + again.seconds }
  if (!again.failed) unsteady.push(first.name)
}
took.sort((a, b) => (a.name < b.name ? -1 : 1))

function file(name) {
  return join(HERE, `${name}.test.mjs`)
}

/** Runs files until none waits. */
async function work() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) took.push(await run(name))
}

/** Runs one file; its output is shown when it ends, so that two files do not mix. */
async function run(name) {
  const since = performance.now()
  const child = spawn(process.execPath, ['--test', '--test-reporter=spec', file(name)], {
    env: { ...process.env, CWL_E2E: kind },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
  const code = await new Promise((done) => child.on('close', done))
  console.log(`\n-- ${name}, in the ${kind}\n${said}`)
  return { name, seconds: (performance.now() - since) / 1000, failed: code !== 0 }
}

console.log(`\nseconds in the ${kind}`)
for (const { name, seconds, failed } of took) {
  console.log(`${seconds.toFixed(1).padStart(7)}  ${name}${failed ? '  FAILED' : ''}`)
}
console.log(`${((performance.now() - since) / 1000).toFixed(1).padStart(7)}  in all, ${jobs} at once`)
if (unsteady.length > 0) console.log(`red at first and green when run again: ${unsteady.join(', ')}`)
const failed = took.filter((one) => one.failed)
if (failed.length > 0) {
  process.exitCode = 1
  const list = failed.map(({ name }) => `  ${name}, in the ${kind}\n`).join('')
  if (process.env.CWL_FAILED) await appendFile(process.env.CWL_FAILED, list)
}

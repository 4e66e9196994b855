// Runs the tests of this folder: `run.mjs browser|window [NAME…]`. All of them run in a browser; in the window run the
// main flows. The end says how long each file took, and the list of failed ones goes to the file that CWL_FAILED names.

import { spawn } from 'node:child_process'
import { appendFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('.', import.meta.url))

/** The flows that run in the window too. Compare and formats would take minutes there, and ask the same engine the same. */
const MAIN_FLOWS = [
  'access',
  'axis',
  'cards',
  'graph',
  'hostile',
  'jobs',
  'links',
  'live',
  'looks',
  'notes',
  'palette',
  'panes',
  'range',
  'search',
  'sessions',
  'steps',
  'trace',
]

const [kind, ...asked] = process.argv.slice(2)
if (kind !== 'browser' && kind !== 'window') throw new Error('run.mjs browser|window [NAME…]')

const all = (await readdir(HERE)).filter((name) => name.endsWith('.test.mjs')).map((name) => name.replace('.test.mjs', ''))
for (const name of [...MAIN_FLOWS, ...asked]) if (!all.includes(name)) throw new Error(`there is no ${name}.test.mjs`)
const usual = kind === 'browser' ? all : all.filter((name) => MAIN_FLOWS.includes(name))
const names = asked.length > 0 ? asked : usual

const took = []
for (const name of names.sort()) {
  const since = performance.now()
  console.log(`\n-- ${name}, in the ${kind}`)
  const child = spawn(process.execPath, ['--test', '--test-reporter=spec', join(HERE, `${name}.test.mjs`)], {
    env: { ...process.env, CWL_E2E: kind },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const code = await new Promise((done) => child.on('exit', done))
  took.push({ name, seconds: (performance.now() - since) / 1000, failed: code !== 0 })
}

console.log(`\nseconds in the ${kind}`)
for (const { name, seconds, failed } of took) {
  console.log(`${seconds.toFixed(1).padStart(7)}  ${name}${failed ? '  FAILED' : ''}`)
}
const sum = took.reduce((total, { seconds }) => total + seconds, 0)
console.log(`${sum.toFixed(1).padStart(7)}  in all`)
const failed = took.filter((one) => one.failed)
if (failed.length > 0) {
  process.exitCode = 1
  const list = failed.map(({ name }) => `  ${name}, in the ${kind}\n`).join('')
  if (process.env.CWL_FAILED) await appendFile(process.env.CWL_FAILED, list)
}

// `make bench`: what `cwl serve` and the window cost while nothing happens, with five hundred sessions watched; the
// window above an empty one of the same toolkit, whose binary is the argument (without it there is no row of the window).
// Measures, judges nothing.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { HOME, SAMPLES, Stage, until } from './app.mjs'
import { CWL } from './ground.mjs'

const N_SESSIONS = 500
const SETTLE_MS = 15_000
const WATCH_MS = 20_000
const empty = process.argv[2]
const inspector = process.env.CWL_INSPECTOR_BIN

/** All processes below one, that one included. */
async function tree(root) {
  const parents = new Map()
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '')
    parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const below = (pid) => pid === root || (parents.has(pid) && parents.get(pid) > 1 && below(parents.get(pid)))
  return [...parents.keys()].filter(below)
}

async function anonymous(pids) {
  let kilobytes = 0
  for (const pid of pids) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    kilobytes += Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0)
  }
  return kilobytes / 1024
}

async function ticks(pids) {
  let sum = 0
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    sum += Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
  }
  return sum
}

/** Memory, and processor time in per cent of one core, of a program that is left alone after `use`. */
async function idle(stage, program, args, use = async () => undefined) {
  const env = { ...stage.env, DISPLAY: stage.display }
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  await use(child)
  await pause(SETTLE_MS)
  const [since, before] = [performance.now(), await ticks(await tree(child.pid))]
  await pause(WATCH_MS)
  const pids = await tree(child.pid)
  const perSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  const share = (((await ticks(pids)) - before) / perSecond / ((performance.now() - since) / 1000)) * 100
  const memory = await anonymous(pids)
  const ended = once(child, 'exit')
  child.kill()
  await ended
  return { memory, share }
}

/** Asks a server for the list of sessions, and listens, as a page does. */
async function visit(child) {
  let told = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (told += text))
  await until('the server tells its address', () => told.includes('\n'))
  const { origin, hash } = new URL(told.trim())
  const headers = { authorization: `Bearer ${hash.replace('#token=', '')}`, 'content-type': 'application/json' }
  const stream = await fetch(`${origin}/push`, { headers })
  // It is read to its end, which is that of the server.
  stream.text().catch(() => undefined)
  await until(
    'all sessions are listed',
    async () => {
      const answer = await fetch(`${origin}/call/sessions`, { method: 'POST', headers, body: '{}' })
      return (await answer.json()).rows.length >= N_SESSIONS
    },
    60_000,
  )
}

const stage = await Stage.start()
try {
  const folder = join(HOME, '.pi/agent/sessions/--home-nobody-project--')
  await mkdir(folder, { recursive: true })
  const sample = join(SAMPLES, 'pi/quickstart/input.jsonl')
  for (let n = 0; n < N_SESSIONS; n += 1) await copyFile(sample, join(folder, `2026-01-02T03-04-05_${n}.jsonl`))
  const row = (what, measured, goal) => console.log(`${what.padEnd(42)}  ${measured.padEnd(34)}  goal ${goal}`)
  const data = async () => ['--data-dir', join(await stage.folder(), 'data')]
  const served = await idle(stage, CWL, ['serve', '--port', '0', ...(await data())], visit)
  row(`cwl serve, ${N_SESSIONS} sessions watched, idle`, `${served.share.toFixed(2)} % of a core`, '< 1 %')
  row('  its memory', `${served.memory.toFixed(0)} MB`, '< 150 MB, anonymous')
  if (empty) await measureWindow(row, data)
} finally {
  await stage.stop()
}

async function measureWindow(row, data) {
  const nothing = await idle(stage, empty, [])
  const window = await idle(stage, inspector, await data())
  const above = window.memory - nothing.memory
  row(`the window, ${N_SESSIONS} sessions watched, idle`, `${window.share.toFixed(2)} % of a core`, '< 1 %')
  row(
    '  its memory above an empty window',
    `${above.toFixed(0)} MB (${window.memory.toFixed(0)} - ${nothing.memory.toFixed(0)})`,
    '≤ 60 MB, anonymous',
  )
}

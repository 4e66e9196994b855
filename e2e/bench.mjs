// `make bench`: what people wait for. Takes the logs to show; measures, judges nothing. In the window, or with
// CWL_E2E=browser in a browser before `cwl serve`.

import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'

import { KIND, Stage, until } from './app.mjs'
import { KEY, shown } from './page.mjs'
import { Writer } from './writer.mjs'

const logs = process.argv.slice(2)
const STARTS = 6
const MOVES = 120

const ms = (value) => `${value.toFixed(0)} ms`

/** The value below which a share of the sorted ones is. */
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

function row(...cells) {
  const widths = [34, 12, 10, 10, 14]
  console.log(cells.map((cell, n) => (n === 0 ? cell.padEnd(widths[n]) : cell.padStart(widths[n]))).join(''))
}

/** Measures the frames that are painted while `act` goes on, and the longest task where the engine tells. */
async function frames(app, act) {
  await app.run(`
    const seen = (window.cwlFrames = { times: [performance.now()], tasks: [], on: true })
    const frame = () => { seen.times.push(performance.now()); if (seen.on) requestAnimationFrame(frame) }
    requestAnimationFrame(frame)
    if (PerformanceObserver.supportedEntryTypes?.includes('longtask')) {
      seen.observer = new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map((task) => task.duration)))
      seen.observer.observe({ entryTypes: ['longtask'] })
    } else seen.tasks = null
    return 1
  `)
  await act()
  const { times, tasks } = await app.run(`
    const seen = window.cwlFrames
    seen.on = false
    for (const task of seen.observer?.takeRecords() ?? []) seen.tasks.push(task.duration)
    seen.observer?.disconnect()
    return { times: seen.times, tasks: seen.tasks }
  `)
  const gaps = times.slice(1).map((time, n) => time - times[n])
  gaps.sort((a, b) => a - b)
  const seconds = (times.at(-1) - times[0]) / 1000
  // Tasks under 50 ms are none that an engine tells of.
  const longest = tasks === null ? `gap ${ms(gaps.at(-1) ?? 0)}` : tasks.length === 0 ? '< 50 ms' : ms(Math.max(...tasks))
  const [rate, p50, p95] = [gaps.length / seconds, at(gaps, 0.5), at(gaps, 0.95)]
  return { rate, p95, cells: [rate.toFixed(0), ms(p50), ms(p95), longest] }
}

const box = (app, selector) =>
  app.run(
    `const { left, top, width, height } = document.querySelector(arguments[0]).getBoundingClientRect()
    return { left, top, width, height }`,
    selector,
  )

/** Drags along an element, from one share of its width to another. */
async function along(app, selector, from, to) {
  const { left, top, width, height } = await box(app, selector)
  const point = (share) => ({ x: left + width * share, y: top + height / 2 })
  await app.drag(point(from), point(to), MOVES)
}

/** Drags the handle of the cut over the timeline and back. */
async function scrub(app) {
  const plot = await box(app, '[data-testid="timeline"] canvas')
  const head = await box(app, '[data-testid="playhead"]')
  const point = (x) => ({ x, y: head.top + 6 })
  await app.drag(point(head.left + head.width / 2), point(plot.left + plot.width * 0.2), MOVES)
}

const GRAPH = '[data-testid="graph"] canvas'

/** Turns the wheel over the graph in and out again, once a frame. */
async function zoom(app) {
  await app.run(
    `const canvas = document.querySelector(arguments[0])
    const { left, top, width, height } = canvas.getBoundingClientRect()
    window.cwlZoomed = false
    let n = 0
    const turn = () => {
      if (n === arguments[1]) return (window.cwlZoomed = true)
      const deltaY = Math.floor(n / 20) % 2 === 0 ? -30 : 30
      n += 1
      const at = { clientX: left + width / 2, clientY: top + height / 2 }
      canvas.dispatchEvent(new WheelEvent('wheel', { ...at, deltaY, bubbles: true, cancelable: true }))
      requestAnimationFrame(turn)
    }
    requestAnimationFrame(turn)
    return 1`,
    GRAPH,
    MOVES,
  )
  await until('all turns of the wheel are made', () => app.run('return window.cwlZoomed'), 120_000)
}

/** An agent in a hurry: so many rows a second for some seconds, followed. */
async function follow(file) {
  const [rate, seconds] = [100, 10]
  const writer = await Writer.at(file)
  const since = performance.now()
  for (let n = 0; n < rate * seconds; ) {
    const due = Math.min(rate * seconds, Math.floor(((performance.now() - since) / 1000) * rate))
    if (due > n) await writer.append(due - n)
    n = due
    await new Promise((done) => setTimeout(done, 10))
  }
}

async function measure(stage, log) {
  const dataDir = join(await stage.folder(), 'data')
  const file = join(await stage.folder(), 'session.jsonl')
  await copyFile(log, file)
  const painted = []
  let app
  for (let n = 0; n < STARTS; n += 1) {
    const since = performance.now()
    app = await stage.open([file], { dataDir })
    await until('the graph is painted', () => shown(app), 240_000)
    // The first one reads the log.
    if (n > 0) painted.push(performance.now() - since)
  }
  painted.sort((a, b) => a - b)
  const { names } = await shown(app)
  const where = KIND === 'browser' ? 'browser' : 'window'
  console.log(`\n${names.length} episodes, ${where}`)
  console.log(`from start to the graph, warm: p50 ${ms(at(painted, 0.5))}, p95 ${ms(at(painted, 0.95))} (goal 1000 ms)`)
  row('', 'frames/s', 'p50', 'p95', 'longest task')
  const rest = () => new Promise((done) => setTimeout(done, 2000))
  const measured = async (name, act) => {
    const found = await frames(app, act)
    row(name, ...found.cells)
    return found
  }
  const still = await measured('still window', rest)
  await measured('panning', () => along(app, GRAPH, 0.1, 0.9))
  await measured('zooming', () => zoom(app))
  await app.press('0')
  await measured('panning over the whole session', () => along(app, GRAPH, 0.9, 0.1))
  await measured('dragging τ', () => along(app, '[data-testid="tau-slider"]', 0.8, 0.2))
  await measured('dragging the cut', () => scrub(app))
  await app.press(KEY.end)
  const followed = await measured('following 100 rows a second', () => follow(file))
  const share = (followed.rate / still.rate).toFixed(2)
  const wider = ms(followed.p95 - still.p95)
  console.log(`following, against the still window: ${share} of its frames (goal 0.95), p95 gap ${wider} wider (goal 5 ms)`)
}

const stage = await Stage.start()
try {
  for (const log of logs) await measure(stage, log)
} finally {
  await stage.stop()
}

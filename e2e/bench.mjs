// `make bench`: what people wait for in the window. Takes the log to show; measures, judges nothing.

import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'

import { Stage, until } from './app.mjs'
import { shown } from './page.mjs'
import { Writer } from './writer.mjs'

const log = process.argv[2]
const stage = await Stage.start()

function spread(times) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(0)
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`
}

function print(what, measured, goal) {
  console.log(`${what.padEnd(42)}  ${measured.padEnd(34)}  goal ${goal}`)
}

/** Counts painted frames while `act` goes on. */
async function frames(app, act) {
  await app.run(`
    const now = performance.now()
    const count = (window.cwlFrames = { n: 0, from: now, last: now, nLate: 0, on: true })
    const frame = (at) => {
      count.n += 1
      if (at - count.last > 50) count.nLate += 1
      count.last = at
      if (count.on) requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
    return 1
  `)
  await act()
  const { perSecond, nLate } = await app.run(`
    const count = window.cwlFrames
    count.on = false
    return { perSecond: count.n / ((performance.now() - count.from) / 1000), nLate: count.nLate }
  `)
  return `${perSecond.toFixed(0)} frames/s, ${nLate} after 50 ms`
}

try {
  const dataDir = join(await stage.folder(), 'data')
  const file = join(await stage.folder(), 'session.jsonl')
  await copyFile(log, file)
  const painted = []
  let app
  for (let n = 0; n < 6; n += 1) {
    const since = performance.now()
    app = await stage.open([file], { dataDir })
    await until('the graph is painted', () => shown(app), 120_000)
    // The first one reads the log.
    if (n > 0) painted.push(performance.now() - since)
  }
  const { names } = await shown(app)
  print('from start to the graph, warm', spread(painted), '1000 ms')

  const box = (selector) =>
    app.run(`const { left, top, width, height } = document.querySelector(arguments[0]).getBoundingClientRect()
      return { left, top, width, height }`, selector)
  const slider = await box('[data-testid="tau-slider"]')
  const y = slider.top + slider.height / 2
  const along = (share) => ({ x: slider.left + slider.width * share, y })
  const dragged = await frames(app, () => app.drag(along(0.8), along(0.2), 120))
  print(`dragging τ over ${names.length} episodes`, dragged, '30 in software')
  const graph = await box('[data-testid="graph"] canvas')
  const middle = graph.top + graph.height / 2
  const panned = await frames(app, () =>
    app.drag({ x: graph.left + graph.width * 0.9, y: middle }, { x: graph.left + graph.width * 0.1, y: middle }, 120),
  )
  print('panning the graph', panned, '30 in software')

  // An agent in a hurry: so many rows a second for ten seconds, followed.
  const [rate, seconds] = [100, 10]
  const writer = await Writer.at(file)
  const followed = await frames(app, async () => {
    const since = performance.now()
    for (let n = 0; n < rate * seconds; ) {
      const due = Math.min(rate * seconds, Math.floor(((performance.now() - since) / 1000) * rate))
      if (due > n) await writer.append(due - n)
      n = due
      await new Promise((done) => setTimeout(done, 10))
    }
  })
  print(`following ${rate} rows a second`, followed, '30 in software')
} finally {
  await stage.stop()
}

import { expect, test } from 'vitest'

import type { StoreTroubleReport } from '../ipc/generated/StoreTroubleReport'
import { HostError } from '../ipc/host'
import { Health } from './health'
import type { Distance } from '../view/distance'
import { Places } from './places'
import { createStore } from './store'
import { ScriptedHost } from './testing'
import { Workbench } from './workbench'

const FULL: StoreTroubleReport = {
  kind: 'full',
  what: 'the disk is full',
  effect: 'logs open',
  hint: 'make room',
  detail: 'cannot store',
  path: '/data/sessions.sqlite',
  in_memory: false,
}

async function scene(trouble: StoreTroubleReport | null) {
  const host = new ScriptedHost()
  const answers = { trouble, kept: false }
  const scripted = host.call
  host.call = (async (name, request) => {
    const refused = host.refuse[name]
    if (refused) throw refused
    if (name === 'store') return { trouble: answers.trouble }
    const answer = await scripted(name, request)
    return name === 'open' ? { ...(answer as object), kept: answers.kept } : answer
  }) as typeof host.call
  const bench = new Workbench(host, null)
  const way = { query: '', isOwn: true, push() {}, replace() {}, back() {}, forward() {}, subscribe() {} }
  const places = new Places(
    bench,
    createStore<{ tab: string; distance: Distance }>({ tab: 'context', distance: 'session' }),
    ['context'],
    null,
    way,
  )
  const health = new Health(host, bench, places)
  await health.start()
  await bench.open('log.jsonl')
  const opens = () => host.asked.filter(([name]) => name === 'open').length
  return { host, answers, bench, health, opens }
}
const settled = () => new Promise((resolve) => setTimeout(resolve))

test('a store that can be used says nothing', async () => {
  const { health } = await scene(null)
  expect(health.store.get().trouble).toBeNull()
})

test('what was read into memory is read into the store when that can be used again, and stays where it was', async () => {
  const { answers, bench, health, opens } = await scene(FULL)
  expect(health.store.get().trouble).toEqual(FULL)
  bench.moveTo({ turn: 3, step: 1 })
  bench.setView({ budget: '5k' })
  answers.kept = true
  health.hear({ type: 'store', trouble: null })
  await settled()
  expect(health.store.get().trouble).toBeNull()
  expect(opens()).toBe(2)
  expect(bench.bench).toMatchObject({ phase: 'open', cut: { turn: 3, step: 1 }, given: '5k' })
  health.hear({ type: 'store', trouble: null })
  await settled()
  expect(opens(), 'what is kept is left alone').toBe(2)
})

test('trying again tells what is the matter now, and nothing is tried twice at once', async () => {
  const { host, answers, health } = await scene(FULL)
  const trying = [health.retry(), health.retry()]
  expect(health.store.get().retrying).toBe(true)
  await Promise.all(trying)
  expect(health.store.get()).toMatchObject({ trouble: FULL, retrying: false })
  host.refuse.store = new HostError('unknown', 'no answer')
  await health.retry()
  expect(health.store.get()).toMatchObject({ trouble: FULL, retrying: false })
  delete host.refuse.store
  answers.trouble = null
  await health.retry()
  expect(health.store.get().trouble).toBeNull()
})

test('after pushes that were lost it is asked again', async () => {
  const { answers, health } = await scene(FULL)
  answers.trouble = null
  health.hear({ type: 'missed' })
  await settled()
  expect(health.store.get().trouble).toBeNull()
})

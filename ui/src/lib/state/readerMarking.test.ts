import { expect, test } from 'vitest'

import { HostError } from '../ipc/host'
import type { Push } from '../ipc/generated/Push'
import { ReaderMarking } from './readerMarking'
import { ScriptedHost } from './testing'
import { Workbench } from './workbench'

const PLAN = { command: 'claude -p', name: 'claude', replaces: false, says: ['1 prompt'] }
const READER = { plan: PLAN, settings: '/settings.toml', example: 'reader = ["claude", "-p"]' }
const TRY = { type: 'reader', session: 7, part: 1, nParts: 1, attempt: 2, nAttempts: 3 } satisfies Push

/** An open session whose host answers the two commands by these functions. */
async function opened(answers: { reader?: () => unknown; mark?: () => unknown } = {}) {
  const host = new ScriptedHost()
  const answer = host.call
  host.call = (async (name: string, request: never) => {
    if (name === 'reader' || name === 'mark_with_reader') host.asked.push([name as never, request])
    if (name === 'reader') return answers.reader?.() ?? READER
    if (name === 'mark_with_reader') return answers.mark?.()
    return answer.call(host, name as never, request)
  }) as never
  const bench = new Workbench(host, null)
  await bench.open('log')
  let time = 1000
  const marking = new ReaderMarking(host, bench, () => (time += 500))
  return { host, bench, marking }
}

test('nothing is started before the user has seen what would be', async () => {
  const { host, marking } = await opened()
  expect(await marking.start()).toBeNull()
  await marking.look()
  expect(marking.store.get().reader).toEqual(READER)
  expect(host.asked.some(([name]) => name === 'mark_with_reader')).toBe(false)
})

test('saved marks are shown, and the command is the one that was seen', async () => {
  const saved = { type: 'saved', name: 'claude', n_episodes: 3, n_calls: 6, n_covered: 6 }
  const { host, bench, marking } = await opened({ mark: () => saved })
  await marking.look()
  expect(await marking.start()).toEqual(saved)
  const asked = host.asked.find(([name]) => name === 'mark_with_reader')
  expect(asked?.[1]).toEqual({ session: 7, command: 'claude -p' })
  expect(bench.bench.view.annotation).toBe('claude')
  expect(marking.store.get()).toMatchObject({ busy: false, notSaved: null, failure: null })
})

test('settings without a reader start nothing', async () => {
  const { host, marking } = await opened({ reader: () => ({ ...READER, plan: null }) })
  await marking.look()
  expect(await marking.start()).toBeNull()
  expect(host.asked.some(([name]) => name === 'mark_with_reader')).toBe(false)
})

test('marks that were refused leave what is shown, and say why', async () => {
  const notSaved = { type: 'not_saved', why: '3 answers in a row had problems', problems: ['x'], draft: '/d' }
  const { bench, marking } = await opened({ mark: () => notSaved })
  const { annotation } = bench.bench.view
  await marking.look()
  expect(await marking.start()).toBeNull()
  expect(marking.store.get().notSaved).toEqual(notSaved)
  expect(bench.bench.view.annotation).toBe(annotation)
  await marking.look()
  expect(marking.store.get().notSaved, 'another look begins anew').toBeNull()
})

test('errors of the host are told', async () => {
  const refuse = () => {
    throw new HostError('missing', 'the reader x does not start', 'name a program on PATH')
  }
  const { marking } = await opened({ mark: refuse })
  await marking.look()
  expect(await marking.start()).toBeNull()
  expect(marking.store.get().failure?.message).toBe('the reader x does not start')
  const other = await opened({ reader: refuse })
  await other.marking.look()
  expect(other.marking.store.get()).toMatchObject({ reader: null, failure: { code: 'missing' } })
})

test('a reader tells its tries, and can be stopped', async () => {
  let end: (outcome: unknown) => void = () => undefined
  const { host, marking } = await opened({ mark: () => new Promise((done) => (end = done)) })
  await marking.look()
  marking.hear(TRY)
  expect(marking.store.get().attempt, 'nothing works yet').toBeNull()
  const marked = marking.start()
  marking.hear({ ...TRY, session: 2 })
  expect(marking.store.get().attempt, 'of another session').toBeNull()
  const { since } = marking.store.get()
  marking.hear(TRY)
  expect(marking.store.get().attempt).toEqual({ part: 1, nParts: 1, attempt: 2, nAttempts: 3 })
  expect(marking.store.get().since, 'seconds count from each prompt').toBeGreaterThan(since)
  expect(await marking.start(), 'one at a time').toBeNull()
  marking.stop()
  expect(host.asked.at(-1)).toEqual(['cancel', { session: 7 }])
  end({ type: 'not_saved', why: 'it was stopped', problems: [], draft: null })
  expect(await marked).toBeNull()
  expect(marking.store.get()).toMatchObject({ busy: false, notSaved: { why: 'it was stopped' } })
})

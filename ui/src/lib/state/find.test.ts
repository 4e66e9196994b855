import { expect, test } from 'vitest'

import type { FindRequest } from '../ipc/generated/FindRequest'
import type { Host } from '../ipc/host'
import { Find } from './find'
import { createStore } from './store'
import type { Question } from './workbench'

const tick = () => new Promise((done) => setImmediate(done))
const question = (turn: number): Question =>
  ({ session: 1, revision: 1, view: {}, cut: { turn, step: null } }) as unknown as Question

function find(answer: (request: FindRequest) => { at: number[]; counts: number[] }, top = 0) {
  const asked: string[] = []
  const bench = { store: createStore<{ question: Question | null }>({ question: question(1) }) }
  const call = async (name: string, request: unknown) => {
    if (name === 'matches') {
      asked.push(`marks ${(request as { block: string }).block}`)
      return { ranges: [[0, 1]], snippet: null }
    }
    const wanted = request as FindRequest
    asked.push(wanted.wanted.query)
    const { at, counts } = answer(wanted)
    return { revision: 1, n_matches: counts.reduce((sum, n) => sum + n, 0), at, counts }
  }
  const host = { call } as unknown as Pick<Host, 'call'>
  const list = () => ({ type: 'context', ghosts: true }) as const
  return { asked, bench, find: new Find(host, bench, list, () => top) }
}

test('it begins where somebody reads, and goes around', async () => {
  const { find: it } = find(() => ({ at: [2, 10], counts: [2, 1] }), 5)
  it.set({ query: 'a' })
  await tick()
  expect(it.store.get()).toMatchObject({ n: 3, number: 2, wish: 1, searching: false })
  expect(it.stop()).toEqual({ row: 10, nth: 0 })
  it.move(1)
  expect(it.stop()).toEqual({ row: 2, nth: 0 })
  it.move(-1)
  expect(it.stop()).toEqual({ row: 10, nth: 0 })
})

test('the newest search wins', async () => {
  const { asked, find: it } = find(({ wanted }) => ({ at: [wanted.query.length], counts: [1] }))
  it.set({ query: 'r' })
  it.set({ query: 're' })
  it.set({ query: 'ret' })
  await tick()
  await tick()
  expect(asked).toEqual(['r', 'ret'])
  expect(it.stop()).toEqual({ row: 3, nth: 0 })
})

test('another question searches again and stays at its row, without moving the list', async () => {
  let shift = 0
  const { bench, find: it } = find(() => ({ at: [2 + shift, 10 + shift], counts: [2, 3] }))
  it.set({ query: 'a' })
  await tick()
  it.move(1)
  it.move(1)
  it.move(1)
  expect(it.stop()).toEqual({ row: 10, nth: 1 })
  const { wish } = it.store.get()
  shift = 1
  bench.store.set({ question: question(2) })
  await tick()
  expect(it.stop()).toEqual({ row: 11, nth: 1 })
  expect(it.store.get().wish).toBe(wish)
})

test('a list that changes before the answer does not take away that the match is brought into view', async () => {
  const { bench, find: it } = find(() => ({ at: [2, 10], counts: [2, 3] }), 5)
  it.set({ query: 'a' })
  it.set({ query: 'ab' })
  // It waits behind the first letter, and the question of the new list takes its place.
  bench.store.set({ question: question(2) })
  await tick()
  await tick()
  expect(it.stop()).toEqual({ row: 10, nth: 0 })
  expect(it.store.get().wish).toBe(1)
  bench.store.set({ question: question(3) })
  await tick()
  expect(it.store.get().wish, 'once').toBe(1)
})

test('marks are asked for once per block and search', async () => {
  const { asked, find: it } = find(() => ({ at: [1], counts: [1] }))
  it.set({ query: 'a' })
  await tick()
  await Promise.all([it.marks('x:0'), it.marks('x:0')])
  it.set({ case: true })
  await tick()
  await it.marks('x:0')
  expect(asked).toEqual(['a', 'marks x:0', 'a', 'marks x:0'])
  it.clear()
  expect(await it.marks('x:0')).toEqual({ ranges: [], snippet: null })
  expect(it.store.get()).toMatchObject({ n: 0, failure: null })
})

test('a pattern that is none is told at the field, and goes with the next one', async () => {
  let broken = true
  const { find: it } = find(() => {
    if (broken) throw new Error('no expression')
    return { at: [1], counts: [1] }
  })
  it.set({ query: '(', regex: true })
  await tick()
  expect(it.store.get()).toMatchObject({ n: 0, searching: false, failure: { message: 'no expression' } })
  expect(await it.marks('x:0')).toEqual({ ranges: [], snippet: null })
  broken = false
  it.set({ query: '\\(' })
  await tick()
  expect(it.store.get()).toMatchObject({ n: 1, failure: null })
})

import { expect, test } from 'vitest'

import type { ContextItem } from '../ipc/generated/ContextItem'
import { PAGE } from './pages'
import { onQuestion, pagesAt, type PartRequest } from './question'
import { createStore } from './store'
import type { Question } from './workbench'

const tick = () => new Promise((done) => setImmediate(done))

const question = (session: number, turn: number): Question => ({
  session,
  revision: 1,
  view: { policy: 'cwl' } as Question['view'],
  cut: { turn, step: null },
})

const bench = () => ({
  store: createStore<{ question: Question | null; other: number }>({ question: null, other: 0 }),
})

test('only a new question is told, and whether it is of another session', () => {
  const asking = bench()
  const heard: [number | undefined, boolean][] = []
  onQuestion(asking, (asked, other) => heard.push([asked?.session, other]))
  asking.store.set({ other: 1 })
  asking.store.set({ question: question(7, 1) })
  asking.store.set({ other: 2 })
  asking.store.set({ question: question(7, 2) })
  asking.store.set({ question: question(8, 2) })
  asking.store.set({ question: null })
  expect(heard).toEqual([
    [7, true],
    [7, false],
    [8, true],
    [undefined, true],
  ])
})

test('blocks are asked for with what the question says, again with every question, not while nobody looks', async () => {
  const asking = bench()
  const asked: PartRequest[] = []
  let looks = true
  const pages = pagesAt(asking, (request) => {
    if (!looks) return null
    asked.push(request)
    const text = `${request.session} at ${request.cut.turn}`
    return Promise.resolve({
      n_items: 150,
      items: Array.from({ length: 100 }, () => ({ text }) as ContextItem),
    })
  })
  pages.ensure(0, 10)
  await tick()
  expect(asked).toEqual([])

  asking.store.set({ question: question(7, 1) })
  await tick()
  expect(asked).toEqual([
    { session: 7, view: { policy: 'cwl' }, cut: { turn: 1, step: null }, offset: 0, limit: PAGE },
  ])
  expect(pages.store.get()).toMatchObject({ n: 150, ready: true })

  // Of the same session: what is shown stays until the answer is there.
  asking.store.set({ question: question(7, 2) })
  expect(pages.at(0)?.text).toBe('7 at 1')
  await tick()
  expect(pages.at(0)?.text).toBe('7 at 2')

  // Of another one: it is gone at once.
  asking.store.set({ question: question(8, 2) })
  expect(pages.at(0)).toBeUndefined()
  expect(pages.store.get()).toMatchObject({ n: 0, ready: false })
  await tick()
  expect(pages.at(0)?.text).toBe('8 at 2')

  looks = false
  asking.store.set({ question: question(8, 3) })
  await tick()
  expect(asked.length).toBe(3)
  expect(pages.at(0)?.text).toBe('8 at 2')
})

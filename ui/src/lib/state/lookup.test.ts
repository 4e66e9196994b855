import { expect, test } from 'vitest'

import { createStore } from './store'
import { Lookup } from './lookup'
import type { Bench, Question, Workbench } from './workbench'

/** A bench of which only the question matters here. */
function benchOf(question: Question | null) {
  const store = createStore<Pick<Bench, 'question'>>({ question })
  const bench = {
    store,
    get bench() {
      return store.get()
    },
  }
  return { store, bench: bench as unknown as Workbench }
}

const asked = (session: number, revision = 1) => ({ session, revision }) as unknown as Question
const told = () => new Promise((resolve) => setTimeout(resolve))

test('a question is asked only for a reader, and another session empties the answer', async () => {
  const { store, bench } = benchOf(asked(1))
  const seen: number[] = []
  let nLeft = 0
  const lookup = new Lookup<number>(
    bench,
    {
      ask: ({ session, revision }) => {
        seen.push(session)
        return Promise.resolve(session * 10 + revision)
      },
      key: ({ session, revision }) => [session, revision],
    },
    () => (nLeft += 1),
  )
  expect(seen).toEqual([])
  const end = lookup.look()
  await told()
  expect([seen, lookup.answer]).toEqual([[1], 11])
  end()
  store.set({ question: asked(1, 2) })
  await told()
  expect([seen, lookup.answer]).toEqual([[1], 11])
  store.set({ question: asked(2) })
  expect([lookup.answer, nLeft]).toEqual([null, 1])
  lookup.look()
  await told()
  expect([seen, lookup.answer]).toEqual([[1, 2], 21])
})

test('a failure is no answer', async () => {
  const { bench } = benchOf(asked(1))
  let nAsked = 0
  const ask = () => {
    nAsked += 1
    return Promise.reject(new Error('no'))
  }
  const failing = new Lookup<number>(bench, { ask })
  failing.look()
  await told()
  expect([nAsked, failing.answer]).toEqual([1, null])
})

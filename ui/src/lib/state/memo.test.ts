import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { HostError } from '../ipc/host'
import { Memo, until } from './memo'
import { createStore } from './store'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** A host that answers when the test says so, in the order in which it was asked. */
function script() {
  const asked: string[] = []
  const waiting: { done: (answer: string) => void; fail: (why: unknown) => void }[] = []
  return {
    asked,
    ask: (question: string) =>
      new Promise<string>((done, fail) => {
        asked.push(question)
        waiting.push({ done, fail })
      }),
    async answer(text: string) {
      waiting.shift()?.done(text)
      await vi.advanceTimersByTimeAsync(0)
    },
    async refuse(message: string) {
      waiting.shift()?.fail(new HostError('unknown', message))
      await vi.advanceTimersByTimeAsync(0)
    },
  }
}

test('of the questions that arrive while one is underway only the newest is asked', async () => {
  const { asked, ask, answer } = script()
  const memo = new Memo({ ask })
  for (const question of ['a', 'b', 'c']) memo.want(question)
  expect(asked).toEqual(['a'])
  expect(memo.store.get()).toMatchObject({ answer: null, busy: true })
  await answer('A')
  expect(asked).toEqual(['a', 'c'])
  expect(memo.store.get()).toEqual({ answer: 'A', to: 'a', failure: null, busy: true })
  await answer('C')
  expect(memo.store.get()).toEqual({ answer: 'C', to: 'c', failure: null, busy: false })
})

test('an answer stays while the next question is asked, unless the terms forbid it', async () => {
  const { ask, answer } = script()
  const memo = new Memo({ ask, keep: (now: string, before: string) => now[0] === before[0] })
  memo.want('a1')
  await answer('first')
  memo.want('a2')
  expect(memo.store.get()).toMatchObject({ answer: 'first', to: 'a1', busy: true })
  await answer('second')
  memo.want('b1')
  expect(memo.store.get()).toMatchObject({ answer: null, to: null, busy: true })
})

test('a late answer is dropped where it may not stand for the newer question', async () => {
  const { asked, ask, answer } = script()
  const memo = new Memo({ ask, keep: (now: string, before: string) => now[0] === before[0] })
  memo.want('a1')
  memo.want('b1')
  await answer('late')
  expect(memo.store.get()).toMatchObject({ answer: null, busy: true })
  expect(asked).toEqual(['a1', 'b1'])
  await answer('right')
  expect(memo.store.get().answer).toBe('right')
})

test('questions with equal keys are asked once', async () => {
  const { asked, ask, answer } = script()
  const memo = new Memo({ ask, key: (question: string) => [question[0]] })
  memo.want('a1')
  memo.want('a2')
  await answer('A')
  memo.want('a3')
  expect(asked).toEqual(['a1'])
  memo.want('b1')
  expect(asked).toEqual(['a1', 'b1'])
})

test('nothing is asked while nothing is wanted, and the answer stays', async () => {
  const { asked, ask, answer } = script()
  const memo = new Memo({ ask, key: (question: string) => [question] })
  memo.want('a')
  memo.want('b')
  memo.want(null)
  await answer('A')
  expect(asked).toEqual(['a'])
  expect(memo.store.get()).toEqual({ answer: 'A', to: 'a', failure: null, busy: false })
  memo.want('a')
  expect(asked, 'it has its answer').toEqual(['a'])
  memo.want('b')
  expect(asked).toEqual(['a', 'b'])
})

test('a failure is shown beside the last answer, and asked again on request', async () => {
  const { asked, ask, answer, refuse } = script()
  const memo = new Memo({ ask, key: (question: string) => [question] })
  memo.want('a')
  await answer('A')
  memo.want('b')
  await refuse('no window')
  expect(memo.store.get()).toMatchObject({ answer: 'A', to: 'b', busy: false })
  expect(memo.store.get().failure?.message).toBe('no window')
  memo.want('b')
  expect(asked, 'the same question fails in the same way').toEqual(['a', 'b'])
  memo.again()
  await answer('B')
  expect(memo.store.get()).toEqual({ answer: 'B', to: 'b', failure: null, busy: false })
})

test('the failure of a question that was overtaken is not shown', async () => {
  const { ask, answer, refuse } = script()
  const memo = new Memo({ ask })
  memo.want('a')
  memo.want('b')
  await refuse('too late')
  expect(memo.store.get()).toMatchObject({ failure: null, busy: true })
  await answer('B')
  expect(memo.store.get().answer).toBe('B')
})

test('what is stopped or forgotten never arrives, and the next question does not wait for it', async () => {
  const { asked, ask, answer } = script()
  const memo = new Memo({ ask })
  memo.want('a')
  memo.stop()
  expect(memo.store.get().busy).toBe(false)
  memo.want('b')
  expect(asked).toEqual(['a', 'b'])
  await answer('A')
  expect(memo.store.get()).toMatchObject({ answer: null, busy: true })
  await answer('B')
  expect(memo.store.get()).toMatchObject({ answer: 'B', busy: false })
  memo.want('c')
  memo.forget()
  await answer('C')
  expect(memo.store.get()).toEqual({ answer: null, to: null, failure: null, busy: false })
})

test('a question rests before it is asked, and one that is gone by then is not asked', async () => {
  const { asked, ask } = script()
  const memo = new Memo({ ask, restMs: 300 })
  memo.want('a')
  await vi.advanceTimersByTimeAsync(200)
  memo.want('b')
  await vi.advanceTimersByTimeAsync(299)
  expect(asked).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(asked).toEqual(['b'])
  memo.want('c')
  memo.want(null)
  await vi.advanceTimersByTimeAsync(1000)
  expect(asked).toEqual(['b'])
})

test('how long a question rests may depend on the one that was asked before it', async () => {
  const { asked, ask, answer } = script()
  const memo = new Memo<string, string>({ ask, restMs: (_, before) => (before === 'a' ? 900 : 100) })
  memo.want('a')
  await vi.advanceTimersByTimeAsync(100)
  expect(asked).toEqual(['a'])
  memo.want('b')
  await vi.advanceTimersByTimeAsync(899)
  expect(asked).toEqual(['a'])
  await answer('A')
  await vi.advanceTimersByTimeAsync(1)
  expect(asked).toEqual(['a', 'b'])
})

test('an answer comes in parts until a newer question makes the rest useless', async () => {
  const steps: ((goOn: string) => void)[] = []
  const heard: boolean[] = []
  const memo = new Memo<string, string[]>({
    ask: async (question, tell) => {
      let parts: string[] = []
      for (;;) {
        const part = await new Promise<string>((done) => steps.push(done))
        parts = [...parts, question + part]
        if (part === 'end') return parts
        const goesOn = tell(parts)
        heard.push(goesOn)
        if (!goesOn) return parts
      }
    },
  })
  const next = async (part: string) => {
    steps.shift()?.(part)
    await vi.advanceTimersByTimeAsync(0)
  }
  memo.want('a')
  await next('1')
  expect(memo.store.get()).toMatchObject({ answer: ['a1'], busy: true })
  memo.want('b')
  await next('2')
  expect(heard).toEqual([true, false])
  await next('1')
  await next('end')
  expect(memo.store.get()).toMatchObject({ answer: ['b1', 'bend'], to: 'b', busy: false })
})

test('waiting ends with the first thing that is found, and listens no more', async () => {
  const store = createStore({ n: 0 })
  let nLooks = 0
  const found = until([store], () => {
    nLooks += 1
    return store.get().n >= 2 ? `at ${store.get().n}` : undefined
  })
  store.set({ n: 1 })
  store.set({ n: 2 })
  store.set({ n: 3 })
  expect(await found).toBe('at 2')
  expect(nLooks).toBe(3)
  expect(await until([], () => 'there already')).toBe('there already')
})

test('an owner takes what may be shown, and is told of the last failure only', async () => {
  const { ask, answer, refuse } = script()
  const heard: string[] = []
  const memo = new Memo({
    ask,
    took: (answer: string, question: string) => heard.push(`${question}: ${answer}`),
    failed: ({ message }, question) => heard.push(`${question}: failed, ${message}`),
  })
  memo.want('a')
  memo.want('b')
  await refuse('no')
  await answer('B')
  memo.want('c')
  await refuse('gone')
  memo.want('d')
  memo.forget()
  await answer('D')
  expect(heard).toEqual(['b: B', 'c: failed, gone'])
})

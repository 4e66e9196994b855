import { expect, test } from 'vitest'

import { newest } from './newest'

/** A host whose answers come when the test says so. */
function slow() {
  const waiting: { question: number; answer: (value: number) => void; refuse: (reason: unknown) => void }[] =
    []
  const ask = (question: number) =>
    new Promise<number>((answer, refuse) => waiting.push({ question, answer, refuse }))
  const tick = () => new Promise((done) => setImmediate(done))
  return { waiting, ask, tick }
}

test('one question is asked at a time, and of those that wait only the newest', async () => {
  const host = slow()
  const drawn: number[] = []
  const run = newest(
    host.ask,
    (answer) => drawn.push(answer),
    () => undefined,
  )
  for (const question of [1, 2, 3, 4]) run(question)
  expect(host.waiting.map((one) => one.question)).toEqual([1])
  host.waiting[0]?.answer(10)
  await host.tick()
  expect(host.waiting.map((one) => one.question)).toEqual([1, 4])
  host.waiting[1]?.answer(40)
  await host.tick()
  expect(drawn).toEqual([10, 40])
})

test('a failure is told, and the next question is asked all the same', async () => {
  const host = slow()
  const drawn: number[] = []
  const failed: unknown[] = []
  const run = newest(
    host.ask,
    (answer) => drawn.push(answer),
    (reason) => failed.push(reason),
  )
  run(1)
  run(2)
  host.waiting[0]?.refuse('no')
  await host.tick()
  host.waiting[1]?.answer(20)
  await host.tick()
  expect([failed, drawn]).toEqual([['no'], [20]])
})

test('what was asked before it was forgotten is never drawn', async () => {
  const host = slow()
  const drawn: number[] = []
  const run = newest(
    host.ask,
    (answer) => drawn.push(answer),
    () => undefined,
  )
  run(1)
  run(2)
  run.forget()
  host.waiting[0]?.answer(10)
  await host.tick()
  expect(drawn).toEqual([])
  expect(host.waiting).toHaveLength(1)
  run(3)
  host.waiting[1]?.answer(30)
  await host.tick()
  expect(drawn).toEqual([30])
})

import { expect, test } from 'vitest'

import { startEngine } from './engine'
import type { EngineRequest, EngineReply } from './messages'

/** A worker that keeps what it is asked, and answers when the test says so. */
function scripted() {
  const requests: EngineRequest[] = []
  const worker: { postMessage(request: EngineRequest): void; onmessage: Worker['onmessage'] } = {
    postMessage: (request) => requests.push(request),
    onmessage: null,
  }
  const say = (data: EngineReply) =>
    worker.onmessage?.call(worker as never, { data } as MessageEvent<EngineReply>)
  return { requests, worker, say }
}

test('answers find their questions, whichever comes first', async () => {
  const { requests, worker, say } = scripted()
  const engine = startEngine(Promise.resolve(new ArrayBuffer(1)), worker)
  const [frame, page] = [engine.call('frame', '{}'), engine.call('page', '{}')]
  await expect.poll(() => requests.length).toBe(3)
  expect(requests.map(({ type }) => type)).toEqual(['start', 'call', 'call'])
  say({ type: 'answer', id: 2, answer: 'second' })
  say({ type: 'error', id: 1, error: '{"code":"bad_view","message":"no"}' })
  expect(await page).toBe('second')
  await expect(frame).rejects.toMatchObject({ code: 'bad_view', message: 'no' })
})

test('a log tells how far it is read, and an engine that is not there says so', async () => {
  const { requests, worker, say } = scripted()
  const engine = startEngine(Promise.resolve(new ArrayBuffer(1)), worker)
  const read: number[][] = []
  const opened = engine.open('a.jsonl', new Blob(), (...far) => read.push(far))
  await expect.poll(() => requests.length).toBe(2)
  say({ type: 'progress', done: 1, total: 2 })
  say({ type: 'answer', id: 1, answer: '{}' })
  expect([await opened, read]).toEqual(['{}', [[1, 2]]])

  const none = startEngine(Promise.reject(new Error('404')), scripted().worker)
  await expect(none.call('frame', '{}')).rejects.toMatchObject({ code: 'unreachable' })
})

import { expect, test } from 'vitest'

import type { Push } from './generated/Push'
import { hold, type Around } from './pushes'

/** A stream of these pushes that then ends. */
const streamOf = (...pushes: Push[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      const encoder = new TextEncoder()
      for (const push of pushes) controller.enqueue(encoder.encode(`data: ${JSON.stringify(push)}\n\n`))
      controller.close()
    },
  })

const missed: Push = { type: 'missed' }
const sessions: Push = { type: 'sessions' }
const trouble: Push = { type: 'trouble', message: 'm' }

/** Runs `hold` on these answers of the server, the last of which is a refusal. */
async function held(answers: (() => ReadableStream<Uint8Array>)[]) {
  const heard: Push[] = []
  const told: Push[] = []
  let pauses = 0
  const around: Around = {
    open: () => Promise.resolve().then(() => answers.shift()?.() ?? null),
    alone: (work) => work(),
    tell: (push) => told.push(push),
    pause: () => Promise.resolve(void (pauses += 1)),
  }
  await hold(around, (push) => heard.push(push))
  return { heard, told, pauses }
}

const gone = () => {
  throw new TypeError('failed to fetch')
}

test.each([
  ['nobody is let in', [], { pushes: [], pauses: 0 }],
  ['pushes come', [() => streamOf(sessions, trouble)], { pushes: [missed, sessions, trouble], pauses: 1 }],
  [
    'the server is gone for a while',
    [() => streamOf(sessions), gone, gone, () => streamOf(trouble)],
    { pushes: [missed, sessions, missed, trouble], pauses: 4 },
  ],
  [
    'the stream breaks off',
    [() => new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('reset')) })],
    { pushes: [missed], pauses: 1 },
  ],
])('%s', async (_, answers, { pushes, pauses }) => {
  expect(await held([...answers])).toEqual({ heard: pushes, told: pushes, pauses })
})

test('one tab at a time holds the stream', async () => {
  let last = Promise.resolve()
  let nOpen = 0
  let most = 0
  const around: Around = {
    open: async () => {
      nOpen += 1
      most = Math.max(most, nOpen)
      await Promise.resolve()
      nOpen -= 1
      return null
    },
    alone: (work) => (last = last.then(work)),
    tell: () => undefined,
    pause: () => Promise.resolve(),
  }
  await Promise.all([1, 2, 3].map(() => hold(around, () => undefined)))
  expect(most).toBe(1)
})

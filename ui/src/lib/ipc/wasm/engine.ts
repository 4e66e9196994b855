import { HostError, hostErrorOf } from '../host'
import type { EngineRequest, EngineReply, Packed } from './messages'
import EngineWorker from './worker?worker&inline'

/** The engine behind the page: one log, and the commands about it. */
export interface Engine {
  /** Reads a log, which takes the place of the one before; answers its session as JSON. */
  open(name: string, log: Blob, progress: (done: number, total: number) => void): Promise<string | Uint8Array>
  /** Opens the session of an exported page; answers it as JSON. */
  openSession(data: Packed): Promise<string | Uint8Array>
  /** Answers a command with JSON arguments. */
  call(name: string, args: string): Promise<string | Uint8Array>
  /** Stops the reading of a log. */
  stop(): void
}

/** The part of a worker that the engine uses. */
type EnginePort = Pick<Worker, 'postMessage' | 'onmessage'>

/**
 * Starts the engine in a worker, so that a long answer leaves the page free. The worker is part of the page's script, because one
 * that is loaded by its address does not have the page's policy, and could ask other machines.
 */
export function startEngine(
  module: Promise<ArrayBuffer | Packed>,
  worker: EnginePort = new EngineWorker(),
): Engine {
  const waiting = new Map<number, { done(answer: string | Uint8Array): void; fail(error: unknown): void }>()
  let last = 0
  let progress: (done: number, total: number) => void = () => undefined
  worker.onmessage = ({ data }: MessageEvent<EngineReply>) => {
    if (data.type === 'progress') return progress(data.done, data.total)
    const waits = waiting.get(data.id)
    waiting.delete(data.id)
    if (data.type === 'answer') waits?.done(data.answer)
    else waits?.fail(hostErrorOf(data.error))
  }
  const say = (request: EngineRequest, given: Transferable[] = []) => worker.postMessage(request, given)
  const started = module.then(
    (bytes) => say({ type: 'start', module: bytes }, typeof bytes === 'string' ? [] : [bytes]),
    (thrown: unknown) => {
      throw new HostError(
        'unreachable',
        `the engine of the page could not be loaded (${String(thrown)})`,
        'load the page again',
      )
    },
  )
  // Each question reports a failed start.
  started.catch(() => undefined)
  const ask = async (request: (id: number) => EngineRequest): Promise<string | Uint8Array> => {
    await started
    const id = ++last
    return new Promise((done, fail) => {
      waiting.set(id, { done, fail })
      say(request(id))
    })
  }
  return {
    open(name, log, hear) {
      progress = hear
      return ask((id) => ({ type: 'open', id, name, log }))
    },
    openSession: (data) => ask((id) => ({ type: 'session', id, data })),
    call: (name, args) => ask((id) => ({ type: 'call', id, name, args })),
    stop: () => say({ type: 'stop' }),
  }
}

import { Exchange, Refusal, type EngineExports } from './exchange'
import type { EngineRequest, EngineReply, Packed } from './messages'
import { unpack } from './unpack'

/** How much of a log is read at once, bytes. Between two pieces the worker hears that it is to stop. */
const PIECE = 4 << 20

const tell = (reply: EngineReply, ...given: ArrayBuffer[]) => self.postMessage(reply, { transfer: given })

const errorOf = (code: string, message: string, hint: string) => JSON.stringify({ code, message, hint })

/** Compiled once; a new instance has an empty memory. */
let compiled: Promise<WebAssembly.Module> | undefined
let exchange: Promise<Exchange> | undefined
let isStopped = false

const engine = () =>
  (exchange ??= (compiled ?? Promise.reject(new Error('the engine is not there yet')))
    .then((module) => WebAssembly.instantiate(module))
    .then((instance) => new Exchange(instance.exports as unknown as EngineExports)))

async function open(name: string, log: Blob): Promise<string | Uint8Array> {
  isStopped = false
  const reads = await engine()
  reads.begin(name)
  for (let at = 0; at < log.size || at === 0; at += PIECE) {
    const piece = await log.slice(at, at + PIECE).arrayBuffer()
    if (isStopped) throw new Refusal(errorOf('cancelled', 'the reading was stopped', 'open the log again'))
    reads.feed(new Uint8Array(piece))
    if (log.size > PIECE) tell({ type: 'progress', done: Math.min(at + PIECE, log.size), total: log.size })
  }
  return reads.finish()
}

async function openSession(data: Packed): Promise<string | Uint8Array> {
  const [reads, bytes] = await Promise.all([engine(), unpack(data)])
  return reads.openSession(new Uint8Array(bytes))
}

/** The error of whatever was thrown. After a trap, as when the memory is full, the engine begins anew. */
function refusalOf(thrown: unknown): string {
  if (thrown instanceof Refusal) return thrown.message
  if (thrown instanceof DOMException)
    return errorOf('unreadable', `the browser cannot read the file (${thrown.message})`, 'choose it again')
  exchange = undefined
  return errorOf(
    'internal',
    `the engine of the page has stopped (${String(thrown)})`,
    'the log may be too large for a browser: open it with `cwl serve`',
  )
}

async function answer(id: number, act: () => Promise<string | Uint8Array>): Promise<void> {
  try {
    const answer = await act()
    tell(
      { type: 'answer', id, answer },
      ...(typeof answer === 'string' ? [] : [answer.buffer as ArrayBuffer]),
    )
  } catch (thrown) {
    tell({ type: 'error', id, error: refusalOf(thrown) })
  }
}

self.onmessage = ({ data }: MessageEvent<EngineRequest>) => {
  if (data.type === 'start') {
    const { module } = data
    compiled = (typeof module === 'string' ? unpack(module) : Promise.resolve(module)).then((bytes) =>
      WebAssembly.compile(bytes),
    )
    // Ready before it is asked; a failure is told by the first answer.
    engine().catch(() => undefined)
  } else if (data.type === 'stop') isStopped = true
  else if (data.type === 'open') void answer(data.id, () => open(data.name, data.log))
  else if (data.type === 'session') void answer(data.id, () => openSession(data.data))
  else void answer(data.id, async () => (await engine()).call(data.name, data.args))
}

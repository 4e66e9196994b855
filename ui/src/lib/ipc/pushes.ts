import { readEvents } from './events'
import type { Push } from './generated/Push'

/** The surroundings of the stream of pushes; a test has its own. */
export interface Around {
  /** Opens the stream of pushes; `null` where this page may not. */
  open(): Promise<ReadableStream<Uint8Array> | null>
  /** Runs `work` while no other tab of this origin does. */
  alone(work: () => Promise<void>): Promise<void>
  /** Tells other tabs. */
  tell(push: Push): void
  /** Waits before the stream is opened again. */
  pause(): Promise<void>
}

/**
 * Hears pushes until the page may not any more. One tab of a browser holds the stream and tells the others, because
 * a browser opens six connections to one server and a stream keeps its own for ever. When that tab is closed, or the
 * server comes back, pushes may have been missed, and every tab is told so.
 */
export async function hold(around: Around, hear: (push: Push) => void): Promise<void> {
  await around.alone(async () => {
    const tell = (push: Push) => {
      hear(push)
      around.tell(push)
    }
    for (let times = 0; ; times += 1) {
      try {
        const stream = await around.open()
        if (stream === null) return
        // At the start of the first tab nothing was missed; then asking twice does no harm.
        tell({ type: 'missed' })
        await readEvents(stream, (data) => tell(JSON.parse(data) as Push))
      } catch {
        // A server that is gone may come back; calls tell the user meanwhile.
      }
      await around.pause()
    }
  })
}

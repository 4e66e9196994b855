import type { GlanceAnswer } from '../ipc/generated/GlanceAnswer'
import { hostErrorOf, type Host } from '../ipc/host'
import { createStore } from './store'

/**
 * The lines about sessions: what is interesting in each. The host reads a log for each line, so one is asked for after
 * the other.
 */
export class Glances {
  readonly store = createStore<{ lines: ReadonlyMap<string, GlanceAnswer> }>({ lines: new Map() })
  private readonly host: Host
  private waiting: string[] = []
  private asking = false
  /** Those that were asked for since the last look. */
  private asked = new Set<string>()

  constructor(host: Host) {
    this.host = host
  }

  /** A new look: lines of logs that may have grown are asked for again, and stay until the new ones are there. */
  again(): void {
    this.asked = new Set()
  }

  /** Asks for the lines of sessions, by their paths, the first one first; nothing else is waited for. */
  want(paths: readonly string[]): void {
    this.waiting = paths.filter((path) => !this.asked.has(path))
    void this.ask()
  }

  private async ask(): Promise<void> {
    if (this.asking) return
    this.asking = true
    for (let path = this.waiting.shift(); path !== undefined; path = this.waiting.shift()) {
      this.asked.add(path)
      const line = await this.lineOf(path)
      this.store.set({ lines: new Map(this.store.get().lines).set(path, line) })
    }
    this.asking = false
  }

  private async lineOf(path: string): Promise<GlanceAnswer> {
    try {
      return await this.host.call('glance', { target: path })
    } catch (thrown) {
      return { says: hostErrorOf(thrown).message, marks: [] }
    }
  }
}

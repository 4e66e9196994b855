import type { Push } from '../ipc/generated/Push'
import type { StoreTroubleReport } from '../ipc/generated/StoreTroubleReport'
import type { Host } from '../ipc/host'
import { createStore } from './store'
import type { Places } from './places'
import type { Workbench } from './workbench'

/** Follows whether the host's store can be used. */
export class Health<Tab extends string> {
  readonly store = createStore<{
    trouble: StoreTroubleReport | null
    retrying: boolean
    /** False while the details are shown. */
    folded: boolean
  }>({ trouble: null, retrying: false, folded: true })
  private readonly host: Host
  private readonly bench: Workbench
  private readonly places: Places<Tab>

  constructor(host: Host, bench: Workbench, places: Places<Tab>) {
    this.host = host
    this.bench = bench
    this.places = places
  }

  /** Asks how the store does. A host that does not answer has told why elsewhere. */
  async start(): Promise<void> {
    try {
      this.take((await this.host.call('store', { retry: false })).trouble)
    } catch {
      this.take(null)
    }
  }

  hear(push: Push): void {
    if (push.type === 'store') this.take(push.trouble)
    if (push.type === 'missed') void this.start()
  }

  /** Tries the store again. */
  async retry(): Promise<void> {
    if (this.store.get().retrying) return
    this.store.set({ retrying: true })
    try {
      this.take((await this.host.call('store', { retry: true })).trouble)
    } catch {
      // The trouble goes on.
    }
    this.store.set({ retrying: false })
  }

  fold(folded: boolean): void {
    this.store.set({ folded })
  }

  private take(trouble: StoreTroubleReport | null): void {
    this.store.set({ trouble })
    if (trouble === null && this.bench.bench.session?.kept === false) void this.reopen()
  }

  /** Opens the session again, which was read into memory only: now it goes into the store. */
  private async reopen(): Promise<void> {
    const place = this.places.current()
    if (place.session !== null) await this.places.go(place, true)
  }
}

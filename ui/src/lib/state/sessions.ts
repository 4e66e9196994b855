import type { SessionRowDto } from '../ipc/generated/SessionRowDto'
import { hostErrorOf, type Host, type HostError } from '../ipc/host'
import { newest, type Newest } from './newest'
import { createStore } from './store'

/** The list of sessions. */
export class Sessions {
  readonly store = createStore<{
    rows: SessionRowDto[]
    folders: string[]
    ready: boolean
    failure: HostError | null
    find: string
  }>({ rows: [], folders: [], ready: false, failure: null, find: '' })
  private readonly ask: Newest<null>

  constructor(host: Host) {
    this.ask = newest(
      () => host.call('sessions', {}),
      ({ rows, folders }) => this.store.set({ rows, folders, ready: true, failure: null }),
      (thrown) => this.store.set({ ready: true, failure: hostErrorOf(thrown) }),
    )
  }

  refresh(): void {
    this.ask(null)
  }

  setFind(find: string): void {
    this.store.set({ find })
  }
}

import type { NoticeRow } from '../ipc/generated/NoticeRow'
import type { SessionListRow } from '../ipc/generated/SessionListRow'
import type { SessionsAnswer } from '../ipc/generated/SessionsAnswer'
import type { Host, HostError } from '../ipc/host'
import { Memo } from './memo'
import { createStore } from './store'
import { toldApart } from '../view/twins'

/** While a session is live, the list is asked for so often: nothing tells of a log that is not written any more. */
const LIVE_MS = 30_000

/** True or false where the user showed or hid the subagents of a session, by its path. */
export type Unfolded = Readonly<Record<string, boolean>>

/** The list of sessions. */
export class Sessions {
  readonly store = createStore<{
    rows: SessionListRow[]
    /** Words that tell sessions of one title apart, by path. */
    apart: ReadonlyMap<string, string>
    folders: string[]
    /** Logs that were found and are not among the rows. */
    notices: NoticeRow[]
    /** How many logs are still to be looked at. */
    nPending: number
    ready: boolean
    failure: HostError | null
    find: string
    /** True when all matching sessions are shown, false for a few of them. */
    allNamed: boolean
    unfolded: Unfolded
    /** The same for what was found: a new search shows all that it finds. */
    unfoldedFound: Unfolded
  }>({
    rows: [],
    apart: new Map(),
    folders: [],
    notices: [],
    nPending: 0,
    ready: false,
    failure: null,
    find: '',
    allNamed: false,
    unfolded: {},
    unfoldedFound: {},
  })
  private readonly memo: Memo<object, SessionsAnswer>
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(host: Host) {
    this.memo = new Memo({
      ask: () => host.call('sessions', {}),
      took: ({ rows, folders, notices, n_pending: nPending }) => {
        const apart = toldApart(rows)
        this.store.set({ rows, apart, folders, notices, nPending, ready: true, failure: null })
        clearTimeout(this.timer)
        if (rows.some(isAnyLive)) this.timer = setTimeout(() => this.refresh(), LIVE_MS)
      },
      failed: (failure) => this.store.set({ ready: true, failure }),
    })
  }

  refresh(): void {
    this.memo.want({})
  }

  setFind(find: string): void {
    this.store.set({ find, allNamed: false, unfoldedFound: {} })
  }

  /** Shows all sessions that fit. */
  showAllNamed(): void {
    this.store.set({ allNamed: true })
  }

  /** Shows or hides the subagents of a session. */
  unfold(path: string, on: boolean): void {
    const { find, unfolded, unfoldedFound } = this.store.get()
    if (find.trim() === '') this.store.set({ unfolded: { ...unfolded, [path]: on } })
    else this.store.set({ unfoldedFound: { ...unfoldedFound, [path]: on } })
  }
}

/** True while a session or one of its subagents is being written. */
const isAnyLive = (row: SessionListRow): boolean => row.live || row.children.some(isAnyLive)

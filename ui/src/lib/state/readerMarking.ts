import type { Push } from '../ipc/generated/Push'
import type { ReaderPlanAnswer } from '../ipc/generated/ReaderPlanAnswer'
import type { ReaderOutcome } from '../ipc/generated/ReaderOutcome'
import { can } from '../ipc/abilities'
import { hostErrorOf, type Host, type HostError } from '../ipc/host'
import { createStore } from './store'
import type { Workbench } from './workbench'

/** The prompt that a reader has, of parts and attempts counted from 1. */
export interface ReaderAttempt {
  part: number
  nParts: number
  attempt: number
  nAttempts: number
}

/** Why a reader gave no marks. */
export type NotSaved = Extract<ReaderOutcome, { type: 'not_saved' }>
export type Saved = Extract<ReaderOutcome, { type: 'saved' }>

/** Marks the open session with the reader that the user's settings name: only the host knows and starts the command. */
export class ReaderMarking {
  readonly store = createStore<{
    /** The command and its prompt; `null` until the host has answered. */
    reader: ReaderPlanAnswer | null
    /** True from the start of a command to its end. */
    busy: boolean
    attempt: ReaderAttempt | null
    /** When the command got its prompt, milliseconds. */
    since: number
    notSaved: NotSaved | null
    failure: HostError | null
  }>({ reader: null, busy: false, attempt: null, since: 0, notSaved: null, failure: null })
  private readonly host: Host
  private readonly bench: Workbench
  private readonly now: () => number

  constructor(host: Host, bench: Workbench, now = () => performance.now()) {
    this.host = host
    this.bench = bench
    this.now = now
  }

  /** Tells whether the host can start a reader for the session that is open. */
  get isPossible(): boolean {
    return can(this.host, 'mark_with_reader') && this.bench.bench.phase === 'open'
  }

  /** Asks what would be started, and what would leave the machine. Nothing is started. */
  async look(): Promise<void> {
    const session = this.bench.bench.session?.session
    if (session === undefined || this.store.get().busy) return
    this.store.set({ reader: null, notSaved: null, failure: null })
    try {
      this.store.set({ reader: await this.host.call('reader', { session }) })
    } catch (thrown) {
      this.store.set({ failure: hostErrorOf(thrown) })
    }
  }

  /** Takes what the host says without being asked. */
  hear(push: Push): void {
    if (push.type !== 'reader' || push.session !== this.bench.bench.session?.session) return
    const { part, nParts, attempt, nAttempts } = push
    if (this.store.get().busy) {
      this.store.set({ attempt: { part, nParts, attempt, nAttempts }, since: this.now() })
    }
  }

  /** Ends the command that works. */
  stop(): void {
    const session = this.bench.bench.session?.session
    if (session === undefined || !this.store.get().busy) return
    this.host.call('cancel', { session }).catch((thrown: unknown) => {
      this.store.set({ failure: hostErrorOf(thrown) })
    })
  }

  /** Starts the reader that was shown, and shows its marks; answers what was saved, or `null`. */
  async start(): Promise<Saved | null> {
    const session = this.bench.bench.session?.session
    const { reader, busy } = this.store.get()
    if (session === undefined || busy || !reader?.plan) return null
    this.store.set({ busy: true, attempt: null, since: this.now(), notSaved: null, failure: null })
    try {
      const { command } = reader.plan
      const outcome = await this.host.call('mark_with_reader', { session, command })
      if (outcome.type === 'not_saved') {
        this.store.set({ notSaved: outcome })
        return null
      }
      if (this.bench.bench.session?.session === session) this.bench.setView({ annotation: outcome.name })
      return outcome
    } catch (thrown) {
      this.store.set({ failure: hostErrorOf(thrown) })
      return null
    } finally {
      this.store.set({ busy: false })
    }
  }
}

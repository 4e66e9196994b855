import type { LiveChange } from '../ipc/generated/LiveChange'
import type { LivePreview } from '../ipc/generated/LivePreview'
import type { LiveProcessRow } from '../ipc/generated/LiveProcessRow'
import { can } from '../ipc/abilities'
import { hostErrorOf, type Host, type HostError } from '../ipc/host'
import { text } from '../text'
import { count } from '../view/format'
import { changeBack, changeTo, isInForce } from '../view/steer'
import { Memo } from './memo'
import { createStore, partOf } from './store'
import type { Undo } from './undo'
import type { Workbench } from './workbench'

/** How often a process is asked what it does, milliseconds. */
const ASK_MS = 1000
/** How long a view must stand before its effect is asked for, milliseconds. */
const REST_MS = 150

interface PreviewQuestion {
  session: number
  change: LiveChange
  /** The state of the process: after a decision or a change of its settings the effect is another one. */
  number: number
}

/** The process that decides for the open session: what is in force, what the view would change, and the change. */
export class Steering {
  readonly store = createStore<{
    process: LiveProcessRow | null
    /** Why the last change was not made. */
    failure: HostError | null
    applying: boolean
  }>({ process: null, failure: null, applying: false })
  private readonly host: Host
  private readonly bench: Workbench
  private readonly undo: Undo
  private session: number | null = null
  private asking = false
  private timer: ReturnType<typeof setTimeout> | undefined
  private readonly effect: Memo<PreviewQuestion, LivePreview>

  constructor(host: Host, bench: Workbench, undo: Undo) {
    this.host = host
    this.bench = bench
    this.undo = undo
    this.effect = new Memo<PreviewQuestion, LivePreview>({
      ask: ({ session, change }) => host.call('preview_live', { session, change }),
      key: ({ session, change, number }) => [session, number, JSON.stringify(change)],
      keep: (now, before) => now.session === before.session,
      restMs: REST_MS,
    })
    if (!can(host, 'live_status')) return
    partOf(bench.store, ({ phase, session }) => [phase, session?.session, session?.revision]).subscribe(() =>
      this.look(),
    )
    partOf(bench.store, ({ view, replay }) => [view, replay?.budget]).subscribe(() => this.preview())
  }

  /** The effect of the view on the next request. */
  get effects() {
    return this.effect.store
  }

  /** The view as a change; `null` while nothing is shown. */
  get change(): LiveChange | null {
    const { view, replay } = this.bench.bench
    return replay && changeTo(view, replay.budget)
  }

  /** True where the view is not what is in force. */
  get differs(): boolean {
    const { process } = this.store.get()
    const { change } = this
    return process !== null && change !== null && !isInForce(process, change)
  }

  /** Asks for the process of the open session, and goes on asking while there is one. */
  look(): void {
    const { phase, session } = this.bench.bench
    const open = phase === 'open' && session ? session.session : null
    if (open !== this.session) {
      this.session = open
      this.effect.forget()
      this.take(null)
      this.store.set({ failure: null })
    }
    void this.ask()
  }

  private async ask(): Promise<void> {
    const { session } = this
    if (session === null || this.asking) return
    this.asking = true
    let process: LiveProcessRow | null = null
    try {
      process = (await this.host.call('live_status', { session })).process
    } catch {
      // A process that does not answer now is asked again.
      process = this.store.get().process
    }
    this.asking = false
    if (session === this.session) this.take(process)
    else void this.ask()
  }

  private take(process: LiveProcessRow | null): void {
    clearTimeout(this.timer)
    // A log that is written asks by itself; a process may also be changed elsewhere, or end.
    if (process !== null) this.timer = setTimeout(() => this.askVisible(), ASK_MS)
    const before = this.store.get().process
    if (JSON.stringify(before) !== JSON.stringify(process)) this.store.set({ process })
    this.preview()
  }

  private askVisible(): void {
    if (typeof document !== 'undefined' && document.hidden)
      this.timer = setTimeout(() => this.askVisible(), ASK_MS)
    else void this.ask()
  }

  private preview(): void {
    const { process } = this.store.get()
    const { session, change } = this
    if (process === null || session === null || change === null || !this.differs)
      return this.effect.want(null)
    this.effect.want({ session, change, number: process.events.at(-1)?.number ?? 0 })
  }

  /** Brings the view into force, from the next request on; what was in force before comes back when it is taken back. */
  async apply(): Promise<void> {
    const { process } = this.store.get()
    const { session, change } = this
    if (process === null || session === null || change === null) return
    this.store.set({ applying: true, failure: null })
    const before = changeBack(process)
    const put = async (next: LiveChange) => {
      const { process } = await this.host.call('set_live', { session, change: next })
      if (session === this.session) this.take(process)
    }
    try {
      await this.undo.doing(async () => {
        await put(change)
        const tau = change.policy === 'none' ? null : count(Number(change.budget))
        return {
          what: text.live.applied(change.policy ?? '', tau),
          undo: () => put(before),
          redo: () => put(change),
        }
      })
    } catch (thrown) {
      this.store.set({ failure: hostErrorOf(thrown) })
    }
    this.store.set({ applying: false })
    void this.ask()
  }

  /** Shows what is in force. */
  showInForce(): void {
    const { process } = this.store.get()
    if (!process) return
    const { policy, budget } = process
    const options = changeBack(process).options ?? {}
    this.bench.setView({ policy, budget: String(budget), options })
  }
}

import type { SideBySideAnswer } from '../ipc/generated/SideBySideAnswer'
import { can } from '../ipc/abilities'
import { hostErrorOf, type Host, type HostError } from '../ipc/host'
import { besideView } from '../view/beside'
import { Memo } from './memo'
import { onQuestion } from './question'
import { createStore } from './store'
import type { Question, Workbench } from './workbench'

/** How long the view rests before the host is asked, milliseconds: the answer takes a look at all texts of both. */
const REST_MS = 300

/** The session that stands beside the open one. */
export interface Other {
  session: number
  path: string
  title: string
}

/** Puts another session beside the open one. It asks only while its part of the Compare tab is shown. */
export class Beside {
  readonly store = createStore<{
    /** True while the list of sessions waits for a choice. */
    choosing: boolean
    other: Other | null
    /** Why the chosen session could not be opened. */
    failure: HostError | null
    /** True shows only the turns that differ in their work or their marks. */
    onlyDifferent: boolean
  }>({ choosing: false, other: null, failure: null, onlyDifferent: false })
  readonly memo: Memo<{ question: Question; other: Other }, SideBySideAnswer>
  /** False where the host has no other sessions. */
  readonly canAsk: boolean
  private readonly host: Host
  private readonly bench: Workbench
  private nLooking = 0

  constructor(host: Host, bench: Workbench) {
    this.host = host
    this.bench = bench
    this.canAsk = can(host, 'side_by_side') && can(host, 'sessions')
    this.memo = new Memo({
      ask: ({ question: { session, view }, other }) =>
        host.call('side_by_side', {
          session,
          view,
          other: other.session,
          other_view: other.session === session ? view : besideView(view),
          cache: { minimum: null, granularity: null, lifetime: null },
        }),
      key: ({ question, other }) => [question.session, question.revision, question.view, other.session],
      keep: (now, before) =>
        now.question.session === before.question.session && now.other.session === before.other.session,
      restMs: REST_MS,
    })
    onQuestion(bench, (question, isOther) => {
      // The other session may be the one that is open now.
      if (isOther && question !== null) this.memo.forget()
      this.refresh()
    })
  }

  /** Asks from now on until the returned function is called. */
  look(): () => void {
    this.nLooking += 1
    this.refresh()
    return () => {
      this.nLooking -= 1
    }
  }

  /** Waits for a choice in the list of sessions, or no longer. */
  choose(choosing: boolean): void {
    this.store.set({ choosing })
  }

  /** Puts a session beside the open one. */
  async take(path: string): Promise<void> {
    this.store.set({ choosing: false, failure: null })
    try {
      const { session, title, path: found } = await this.host.call('open', { target: path, format: null })
      this.store.set({ other: { session, title, path: found } })
    } catch (thrown) {
      this.store.set({ failure: hostErrorOf(thrown), other: null })
    }
    this.refresh()
  }

  setOnlyDifferent(onlyDifferent: boolean): void {
    this.store.set({ onlyDifferent })
  }

  private refresh(): void {
    const { question } = this.bench.bench
    const { other } = this.store.get()
    this.memo.want(this.nLooking > 0 && question !== null && other !== null ? { question, other } : null)
  }
}

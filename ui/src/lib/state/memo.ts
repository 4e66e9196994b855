import { useEffect, useState } from 'react'

import { hostErrorOf, type HostError } from '../ipc/host'
import { createStore, useStore, type Store } from './store'

/** The newest answer to a stream of questions, as components read it. */
export interface Answered<Q, A> {
  /** The last answer, or the part of it that has come so far. It stays while the next question is asked. */
  answer: A | null
  /** Why the last question has no answer. */
  failure: HostError | null
  /** The question that `answer` or `failure` belongs to. */
  to: Q | null
  /** True while a question is underway. */
  busy: boolean
}

/** How a memo asks. */
export interface Terms<Q, A> {
  /**
   * Asks the host. An answer that comes in parts hands each part to `tell`, which returns false as soon as the rest is
   * of no use.
   */
  ask: (question: Q, tell: (part: A) => boolean) => Promise<A>
  /** Two questions with equal keys are one question and asked once. Without a key every question is a new one. */
  key?: (question: Q) => readonly unknown[]
  /** True when the answer to `before` may be shown until `question` has its own. Without it, it always may. */
  keep?: (question: Q, before: Q) => boolean
  /** How long a question must stand before it is asked, milliseconds; may depend on the one before it. */
  restMs?: number | ((question: Q, before: Q | null) => number)
  /** Takes over every answer and every part of one that may be shown, for an owner that keeps it in a store of its own. */
  took?: (answer: A, question: Q) => void
  /** Is told why the last question has no answer. */
  failed?: (failure: HostError, question: Q) => void
}

/** One question on its way through a memo. */
interface Asked<Q> {
  readonly question: Q
}

/**
 * Asks one question at a time and remembers the answer. Of the questions that arrive meanwhile only the newest is asked
 * next, so that a drag asks as often as the pointer moves and the host answers as fast as it can.
 */
export class Memo<Q, A> {
  readonly store: Store<Answered<Q, A>> = createStore<Answered<Q, A>>({ ...NOTHING })
  private readonly terms: Terms<Q, A>
  /** The last question that was accepted; the key of the next one is compared with its key. */
  private last: Asked<Q> | null = null
  private waiting: Asked<Q> | null = null
  private underway: Asked<Q> | null = null
  private resting: ReturnType<typeof setTimeout> | undefined

  constructor(terms: Terms<Q, A>) {
    this.terms = terms
  }

  /** Asks a question unless it is the one that was asked last. `null` asks nothing, and the last answer stays. */
  want(question: Q | null): void {
    clearTimeout(this.resting)
    if (question === null) {
      if (this.waiting) this.last = this.underway
      this.waiting = null
      return
    }
    const { to } = this.store.get()
    if (to !== null && !this.keeps(question, to)) this.store.set({ ...NOTHING, busy: this.underway !== null })
    if (this.last && this.isSame(question, this.last.question)) return
    const { restMs } = this.terms
    if (restMs === undefined) this.accept({ question })
    else {
      const rest = typeof restMs === 'number' ? restMs : restMs(question, this.last?.question ?? null)
      this.resting = setTimeout(() => this.accept({ question }), rest)
    }
  }

  /** Asks the last question once more: after a failure, after `stop`, or because its answer may have changed. */
  again(): void {
    if (this.last) this.accept({ question: this.last.question })
  }

  /** Drops what is underway and what waits. The last answer stays. */
  stop(): void {
    clearTimeout(this.resting)
    this.waiting = null
    this.underway = null
    this.store.set({ busy: false })
  }

  /** Drops everything, the last answer too. */
  forget(): void {
    this.stop()
    this.last = null
    this.store.set(NOTHING)
  }

  private accept(asked: Asked<Q>): void {
    this.last = asked
    if (this.underway) this.waiting = asked
    else void this.run(asked)
  }

  private async run(asked: Asked<Q>): Promise<void> {
    const { question } = asked
    this.underway = asked
    this.store.set({ busy: true })
    const tell = (answer: A): boolean => {
      if (!this.mayShow(asked)) return false
      this.store.set({ answer, to: question, failure: null })
      this.terms.took?.(answer, question)
      return this.waiting === null
    }
    try {
      tell(await this.terms.ask(question, tell))
    } catch (thrown) {
      if (this.underway === asked && this.waiting === null) {
        const failure = hostErrorOf(thrown)
        this.store.set({ failure, to: question })
        this.terms.failed?.(failure, question)
      }
    }
    // Stopped meanwhile: another question may be underway already.
    if (this.underway !== asked) return
    this.underway = null
    const { waiting } = this
    this.waiting = null
    if (waiting) void this.run(waiting)
    else this.store.set({ busy: false })
  }

  /** The answer to a question that was overtaken is shown where it may stand until the newer one is answered. */
  private mayShow(asked: Asked<Q>): boolean {
    if (this.underway !== asked) return false
    return this.waiting === null || this.keeps(this.waiting.question, asked.question)
  }

  private keeps(question: Q, before: Q): boolean {
    return this.terms.keep?.(question, before) ?? true
  }

  private isSame(question: Q, other: Q): boolean {
    const { key } = this.terms
    if (!key) return false
    const [one, two] = [key(question), key(other)]
    return one.length === two.length && one.every((part, at) => Object.is(part, two[at]))
  }
}

const NOTHING = { answer: null, failure: null, to: null, busy: false }

/**
 * Asks for as long as a component shows, anew whenever `key` changes; without a key it asks nothing. The last answer
 * stays until the next one has come: `to` tells which key it belongs to.
 */
export function useAnswer<A>(
  key: readonly unknown[] | null,
  ask: () => Promise<A>,
  restMs?: number,
): Answered<Wish<A>, A> {
  const [memo] = useState(
    () =>
      new Memo<Wish<A>, A>({
        key: (wish) => wish.key,
        ask: (wish) => wish.ask(),
        ...(restMs === undefined ? {} : { restMs }),
      }),
  )
  useEffect(() => {
    if (key === null) memo.forget()
    else memo.want({ key, ask })
    // The parts of the key say when to ask again.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [memo, key === null, ...(key ?? [])])
  useEffect(() => () => memo.forget(), [memo])
  return useStore(memo.store, (state) => state)
}

/** A question of a component: how to ask it, and what it depends on. */
interface Wish<A> {
  key: readonly unknown[]
  ask: () => Promise<A>
}

/** Waits until `look` finds something. It looks at once, and again whenever one of the stores changes. */
export function until<T>(
  stores: readonly Pick<Store<object>, 'subscribe'>[],
  look: () => T | undefined,
): Promise<T> {
  return new Promise((resolve) => {
    const check = () => {
      const found = look()
      if (found === undefined) return false
      ends.forEach((end) => end())
      resolve(found)
      return true
    }
    const ends: (() => void)[] = []
    if (check()) return
    for (const store of stores) ends.push(store.subscribe(() => void check()))
  })
}

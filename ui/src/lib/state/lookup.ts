import { Memo, type Terms } from './memo'
import { onQuestion } from './question'
import type { Question, Workbench } from './workbench'

/**
 * Asks about the view that is shown for as long as a reader looks at the answer: the host reads all texts for it.
 * Another session empties it at once.
 */
export class Lookup<A> {
  private readonly bench: Workbench
  private readonly memo: Memo<Question, A>
  private nLooking = 0

  /** `left` is told when another session is open. */
  constructor(bench: Workbench, terms: Terms<Question, A>, left?: () => void) {
    this.bench = bench
    this.memo = new Memo(terms)
    onQuestion(bench, (_, other) => {
      if (other) {
        this.memo.forget()
        left?.()
      }
      this.refresh()
    })
  }

  get store() {
    return this.memo.store
  }

  /** The last answer; `null` where the last question has none. */
  get answer(): A | null {
    const { answer, failure } = this.store.get()
    return failure === null ? answer : null
  }

  /** Asks from now on until the returned function is called. */
  look(): () => void {
    this.nLooking += 1
    this.refresh()
    return () => {
      this.nLooking -= 1
    }
  }

  private refresh(): void {
    this.memo.want(this.nLooking > 0 ? this.bench.bench.question : null)
  }
}

import type { CodeDto } from '../ipc/generated/CodeDto'
import type { UndeclaredDto } from '../ipc/generated/UndeclaredDto'
import type { UndeclaredHintDto } from '../ipc/generated/UndeclaredHintDto'
import { can } from '../ipc/abilities'
import type { Host } from '../ipc/host'
import { Memo } from './memo'
import { onQuestion } from './question'
import type { Question, Workbench } from './workbench'

/** Asks which explorations acts use without declaring them. The host reads all texts for it, so it asks only for a reader. */
export class UndeclaredHints {
  private readonly bench: Workbench
  private readonly memo: Memo<Question, UndeclaredDto>
  private readonly canAsk: boolean
  private nLooking = 0

  constructor(host: Host, bench: Workbench) {
    this.bench = bench
    this.canAsk = can(host, 'undeclared')
    this.memo = new Memo({
      ask: ({ session, view }) => host.call('undeclared', { session, view }),
      key: ({ session, revision, view: { branch } }) => [session, revision, branch],
    })
    onQuestion(bench, (_, other) => {
      if (other) this.memo.forget()
      this.refresh()
    })
  }

  get store() {
    return this.memo.store
  }

  /** The hints. The list of problems is shown without them where they could not be worked out. */
  get hints(): readonly UndeclaredHintDto[] {
    return this.answer?.hints ?? NONE
  }

  /** The meaning of the code that these hints have. */
  get about(): CodeDto | null {
    return this.answer?.codes[0] ?? null
  }

  private get answer(): UndeclaredDto | null {
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
    this.memo.want(this.nLooking > 0 && this.canAsk ? this.bench.bench.question : null)
  }
}

const NONE: readonly UndeclaredHintDto[] = []

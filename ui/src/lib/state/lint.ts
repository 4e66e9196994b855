import type { CodeDto } from '../ipc/generated/CodeDto'
import type { LintDto } from '../ipc/generated/LintDto'
import type { LintItemDto } from '../ipc/generated/LintItemDto'
import { can } from '../ipc/abilities'
import type { Host } from '../ipc/host'
import { ofProblem } from '../view/lint'
import { Memo } from './memo'
import { onQuestion } from './question'
import type { Question, Workbench } from './workbench'

/** Asks for everything that is found under a view. The host reads all texts for it, so it asks only for a reader. */
export class Lint {
  private readonly bench: Workbench
  private readonly memo: Memo<Question, LintDto>
  /** False where the host lists the problems of the log only. */
  readonly canAsk: boolean
  private nLooking = 0

  constructor(host: Host, bench: Workbench) {
    this.bench = bench
    this.canAsk = can(host, 'lint')
    this.memo = new Memo({
      ask: ({ session, view }) => host.call('lint', { session, view }),
      key: ({ session, revision, view }) => [session, revision, JSON.stringify(view)],
      restMs: 120,
    })
    onQuestion(bench, (_, other) => {
      if (other) this.memo.forget()
      this.refresh()
    })
  }

  get store() {
    return this.memo.store
  }

  /** The findings; the problems of the session where the host could not answer, or has not yet. */
  get findings(): readonly LintItemDto[] {
    const answer = this.answer
    if (answer) return answer.findings
    const { session } = this.bench.bench
    if (session?.problems !== this.known) {
      this.known = session?.problems ?? null
      this.shown = (session?.problems ?? []).map(ofProblem)
    }
    return this.shown
  }

  private known: object | null = null
  private shown: readonly LintItemDto[] = []

  /** The meaning of the codes of these findings. */
  get codes(): readonly CodeDto[] {
    return this.answer?.codes ?? this.bench.bench.session?.codes ?? NONE
  }

  private get answer(): LintDto | null {
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

const NONE: readonly CodeDto[] = []

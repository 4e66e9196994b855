import type { CompactionsDto } from '../ipc/generated/CompactionsDto'
import type { RecoveryDto } from '../ipc/generated/RecoveryDto'
import type { Host } from '../ipc/host'
import { Memo } from './memo'
import { onQuestion } from './question'
import type { Question, Workbench } from './workbench'

/** Asks for the audit of the compactions that the log records. The host reads all texts for it, so it asks only for a reader. */
export class Compactions {
  private readonly host: Host
  private readonly bench: Workbench
  private readonly memo: Memo<Question, CompactionsDto>
  private nLooking = 0

  constructor(host: Host, bench: Workbench) {
    this.host = host
    this.bench = bench
    this.memo = new Memo({
      ask: ({ session, view }) => host.call('compactions', { session, view }),
      key: ({ session, revision, view: { branch, tokenizer } }) => [session, revision, branch, tokenizer],
    })
    onQuestion(bench, (_, other) => {
      if (other) this.memo.forget()
      this.refresh()
    })
  }

  get store() {
    return this.memo.store
  }

  /** Asks from now on until the returned function is called. */
  look(): () => void {
    this.nLooking += 1
    this.refresh()
    return () => {
      this.nLooking -= 1
    }
  }

  /** Fetches the text to recover by of a compaction, by its number from 1. */
  recovery(compaction: number): Promise<RecoveryDto> {
    const { question } = this.bench.bench
    if (!question) return Promise.reject(new Error('no session is open'))
    const { session, view } = question
    return this.host.call('recovery', { session, view, compaction })
  }

  private refresh(): void {
    this.memo.want(this.nLooking > 0 ? this.bench.bench.question : null)
  }
}

import type { CompactionsAnswer } from '../../lib/ipc/generated/CompactionsAnswer'
import type { RecoveryAnswer } from '../../lib/ipc/generated/RecoveryAnswer'
import type { Host } from '../../lib/ipc/host'
import { Lookup } from '../../lib/state/lookup'
import type { Workbench } from '../../lib/state/workbench'

/** Asks for the audit of the compactions that the log records, for as long as it shows. */
export class Compactions extends Lookup<CompactionsAnswer> {
  /** Fetches the text to recover by of a compaction, by its number from 1. */
  readonly recovery: (compaction: number) => Promise<RecoveryAnswer>

  constructor(host: Host, bench: Workbench) {
    super(bench, {
      ask: ({ session, view }) => host.call('compactions', { session, view }),
      key: ({ session, revision, view: { branch, tokenizer } }) => [session, revision, branch, tokenizer],
    })
    this.recovery = (compaction) => {
      const { question } = bench.bench
      if (!question) return Promise.reject(new Error('no session is open'))
      const { session, view } = question
      return host.call('recovery', { session, view, compaction })
    }
  }
}

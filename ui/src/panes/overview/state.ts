import type { OverviewAnswer } from '../../lib/ipc/generated/OverviewAnswer'
import type { Host } from '../../lib/ipc/host'
import { Lookup } from '../../lib/state/lookup'
import type { Workbench } from '../../lib/state/workbench'

/** Asks what happened in the session, for as long as the Overview tab shows. */
export class Overview extends Lookup<OverviewAnswer> {
  constructor(host: Host, bench: Workbench) {
    super(bench, {
      ask: ({ session, view }) => host.call('overview', { session, view }),
      key: ({ session, revision, view: { branch, tokenizer, overhead } }) => [
        session,
        revision,
        branch,
        tokenizer,
        overhead,
      ],
    })
  }
}

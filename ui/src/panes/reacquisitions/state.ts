import type { ReacquisitionCauseName } from '../../lib/ipc/generated/ReacquisitionCauseName'
import type { ReacquisitionStoriesAnswer } from '../../lib/ipc/generated/ReacquisitionStoriesAnswer'
import type { Host } from '../../lib/ipc/host'
import type { StoryPick } from '../../lib/view/stories'
import { Lookup } from '../../lib/state/lookup'
import { createStore } from '../../lib/state/store'
import type { Workbench } from '../../lib/state/workbench'

/** How long the view rests before the host is asked, milliseconds. */
const REST_MS = 300

/** Asks for the stories of what was read again, as long as they show; and keeps which of them is open. */
export class Stories extends Lookup<ReacquisitionStoriesAnswer> {
  /** The story that is open, and the cause that the list is narrowed to. */
  readonly chosen = createStore<{ pick: StoryPick | null; cause: ReacquisitionCauseName | null }>({
    pick: null,
    cause: null,
  })

  constructor(host: Host, bench: Workbench) {
    super(
      bench,
      {
        ask: ({ session, view }) => host.call('reacquisition_stories', { session, view }),
        key: ({ session, revision, view }) => [session, revision, view],
        keep: (now, before) => now.session === before.session,
        restMs: REST_MS,
      },
      () => this.chosen.set({ pick: null, cause: null }),
    )
  }

  /** Opens the story that something leads to, whatever its cause. */
  open(pick: StoryPick): void {
    this.chosen.set({ pick, cause: null })
  }
}

import type { RegretCauseDto } from '../ipc/generated/RegretCauseDto'
import type { RegretStoriesDto } from '../ipc/generated/RegretStoriesDto'
import type { Host } from '../ipc/host'
import type { StoryPick } from '../view/stories'
import { Memo } from './memo'
import { onQuestion } from './question'
import { createStore } from './store'
import type { Question, Workbench } from './workbench'

/** How long the view rests before the host is asked, milliseconds: the answer takes a look at all texts. */
const REST_MS = 300

/** Asks for the stories of what was read again, as long as they show; and keeps which of them is open. */
export class Stories {
  private readonly bench: Workbench
  private readonly memo: Memo<Question, RegretStoriesDto>
  private nLooking = 0
  /** The story that is open, and the cause that the list is narrowed to. */
  readonly chosen = createStore<{ pick: StoryPick | null; cause: RegretCauseDto | null }>({
    pick: null,
    cause: null,
  })

  constructor(host: Host, bench: Workbench) {
    this.bench = bench
    this.memo = new Memo({
      ask: ({ session, view }) => host.call('regret_stories', { session, view }),
      key: ({ session, revision, view }) => [session, revision, view],
      keep: (now, before) => now.session === before.session,
      restMs: REST_MS,
    })
    onQuestion(bench, (_, other) => {
      if (other) {
        this.memo.forget()
        this.chosen.set({ pick: null, cause: null })
      }
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

  /** Opens the story that something leads to, whatever its cause. */
  open(pick: StoryPick): void {
    this.chosen.set({ pick, cause: null })
  }

  private refresh(): void {
    this.memo.want(this.nLooking > 0 ? this.bench.bench.question : null)
  }
}

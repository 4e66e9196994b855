import type { ReacquisitionRow } from '../ipc/generated/ReacquisitionRow'
import type { ReacquisitionsAnswer } from '../ipc/generated/ReacquisitionsAnswer'
import type { Host } from '../ipc/host'
import { Memo } from './memo'
import { onQuestion } from './question'
import type { Question, Workbench } from './workbench'

/** How long the view rests before the host is asked, milliseconds: the answer takes a look at all texts. */
const REST_MS = 300
/** And while lines come: a long session would be looked through all the time. */
const REST_BETWEEN_LINES_MS = 2000

type ByEpisode = ReadonlyMap<number, ReacquisitionRow>

interface ReacquisitionMarks extends Pick<ReacquisitionsAnswer, 'n_stories' | 'turns'> {
  byEpisode: ByEpisode
}

/** Asks of which episodes something was read again after the policy had evicted it. */
export class Reacquisitions {
  private readonly memo: Memo<Question, ReacquisitionMarks>

  constructor(host: Host, bench: Workbench) {
    this.memo = new Memo<Question, ReacquisitionMarks>({
      ask: async ({ session, view }) => {
        const { reacquisitions, n_stories, turns } = await host.call('reacquisitions', { session, view })
        return { byEpisode: new Map(reacquisitions.map((one) => [one.episode, one])), n_stories, turns }
      },
      key: ({ session, revision, view }) => [session, revision, view],
      keep: (now, before) => now.session === before.session,
      restMs: (question, before) => {
        const isOfMoreLines = before?.session === question.session && before.revision !== question.revision
        return isOfMoreLines ? REST_BETWEEN_LINES_MS : REST_MS
      },
    })
    onQuestion(bench, (question, other) => {
      if (other) this.memo.forget()
      this.memo.want(question)
    })
  }

  get store() {
    return this.memo.store
  }

  /** The reacquisitions by episode. The marks are left out where they could not be worked out; the graph is drawn without. */
  get byEpisode(): ByEpisode {
    return this.told.byEpisode
  }

  /** The turns whose replies read something again, in order. */
  get turns(): readonly number[] {
    return this.told.turns
  }

  /** How many things were read again. */
  get nStories(): number {
    return this.told.n_stories
  }

  private get told(): ReacquisitionMarks {
    const { answer, failure } = this.store.get()
    return failure === null && answer !== null ? answer : NONE
  }
}

const NONE: ReacquisitionMarks = { byEpisode: new Map(), n_stories: 0, turns: [] }

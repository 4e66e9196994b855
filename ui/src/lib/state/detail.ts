import type { EpisodeAnswer } from '../ipc/generated/EpisodeAnswer'
import type { Host } from '../ipc/host'
import { Memo } from './memo'
import type { Question, Workbench } from './workbench'

/** Asks about the selected episode at the cut. */
export class EpisodeDetail {
  private readonly memo: Memo<{ question: Question; episode: number }, EpisodeAnswer>

  constructor(host: Host, bench: Workbench) {
    this.memo = new Memo({
      ask: ({ question: { session, view, cut }, episode }) =>
        host.call('episode', { session, view, cut, episode }),
      key: ({ question, episode }) => [question, episode],
    })
    bench.store.subscribe(() => {
      const { question, selected } = bench.bench
      if (selected === null) this.memo.forget()
      else if (question) this.memo.want({ question, episode: selected })
    })
  }

  get store() {
    return this.memo.store
  }
}

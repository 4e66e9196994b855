import type { BodyDto } from '../ipc/generated/BodyDto'
import type { EpisodeDetailDto } from '../ipc/generated/EpisodeDetailDto'
import { hostErrorOf, type Host, type HostError } from '../ipc/host'
import { newest } from './newest'
import { onQuestion } from './question'
import { createStore } from './store'
import type { Question, Workbench } from './workbench'

/** The selected episode at the cursor. */
export class EpisodeDetail {
  readonly store = createStore<{ detail: EpisodeDetailDto | null; failure: HostError | null }>({
    detail: null,
    failure: null,
  })

  constructor(host: Host, bench: Workbench) {
    const ask = newest(
      ({ question, episode }: { question: Question; episode: number }) => {
        const { session, view, cut } = question
        return host.call('episode', { session, view, cut, episode })
      },
      (detail, { episode }) => {
        if (bench.bench.selected === episode) this.store.set({ detail, failure: null })
      },
      (thrown) => this.store.set({ detail: null, failure: hostErrorOf(thrown) }),
    )
    let seen: { question: Question | null; selected: number | null } = { question: null, selected: null }
    bench.store.subscribe(() => {
      const { question, selected } = bench.bench
      if (question === seen.question && selected === seen.selected) return
      seen = { question, selected }
      if (selected === null) this.store.set({ detail: null, failure: null })
      else if (question) ask({ question, episode: selected })
    })
  }
}

/** The request body at the cursor. Asks only while its tab is shown. */
export class RequestBody {
  readonly store = createStore<{
    provider: string
    shown: boolean
    body: BodyDto | null
    lines: string[]
    failure: HostError | null
  }>({ provider: 'anthropic', shown: false, body: null, lines: [], failure: null })
  private readonly ask
  private readonly bench: Workbench

  constructor(host: Host, bench: Workbench) {
    this.bench = bench
    this.ask = newest(
      ({ question, provider }: { question: Question; provider: string }) => {
        const { session, view, cut } = question
        return host.call('body', { session, view, cut, provider })
      },
      (body) => this.store.set({ body, lines: body.json.split('\n'), failure: null }),
      (thrown) => this.store.set({ body: null, lines: [], failure: hostErrorOf(thrown) }),
    )
    onQuestion(bench, () => this.refresh())
  }

  setShown(shown: boolean): void {
    this.store.set({ shown })
    this.refresh()
  }

  setProvider(provider: string): void {
    this.store.set({ provider })
    this.refresh()
  }

  private refresh(): void {
    const { question } = this.bench.bench
    const { shown, provider } = this.store.get()
    if (shown && question) this.ask({ question, provider })
  }
}

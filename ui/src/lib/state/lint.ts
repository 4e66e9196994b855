import type { CodeDto } from '../ipc/generated/CodeDto'
import type { LintDto } from '../ipc/generated/LintDto'
import type { LintItemDto } from '../ipc/generated/LintItemDto'
import type { QualityFigureDto } from '../ipc/generated/QualityFigureDto'
import { can } from '../ipc/abilities'
import type { Host } from '../ipc/host'
import { ofProblem } from '../view/lint'
import { Memo } from './memo'
import { onQuestion } from './question'
import { createStore } from './store'
import type { Question, Workbench } from './workbench'

/** Asks for everything that is found under a view. The host reads all texts for it, so it asks only for a reader. */
export class Lint {
  private readonly bench: Workbench
  private readonly memo: Memo<Question, LintDto>
  /** False where the host lists the problems of the log only. */
  readonly canAsk: boolean
  private nLooking = 0
  /** The episode whose findings are to be shown; `wish` grows by one per wish. */
  readonly chosen = createStore<{ episode: number | null; wish: number }>({ episode: null, wish: 0 })

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

  /** The annotation in figures; none before the host has answered. */
  get figures(): readonly QualityFigureDto[] {
    return this.answer?.figures ?? NO_FIGURES
  }

  /** Whom the figures judge, where that is not the agent. */
  get figuresNote(): string | null {
    return this.answer?.figures_note ?? null
  }

  private get answer(): LintDto | null {
    const { answer, failure } = this.store.get()
    return failure === null ? answer : null
  }

  /** Brings the findings about an episode into view. */
  show(episode: number): void {
    this.chosen.set({ episode, wish: this.chosen.get().wish + 1 })
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
const NO_FIGURES: readonly QualityFigureDto[] = []

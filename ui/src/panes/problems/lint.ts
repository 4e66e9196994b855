import type { RuleExplanation } from '../../lib/ipc/generated/RuleExplanation'
import type { LintAnswer } from '../../lib/ipc/generated/LintAnswer'
import type { LintFinding } from '../../lib/ipc/generated/LintFinding'
import type { QualityFigure } from '../../lib/ipc/generated/QualityFigure'
import type { Host } from '../../lib/ipc/host'
import { ofProblem } from '../../lib/view/lint'
import { Lookup } from '../../lib/state/lookup'
import { createStore } from '../../lib/state/store'
import type { Workbench } from '../../lib/state/workbench'

/** Asks for everything that is found under a view; until then the list has the problems of the log. */
export class Lint extends Lookup<LintAnswer> {
  private readonly problemsOf: Workbench
  /** The episode whose findings are to be shown; `wish` grows by one per wish. */
  readonly chosen = createStore<{ episode: number | null; wish: number }>({ episode: null, wish: 0 })

  constructor(host: Host, bench: Workbench) {
    super(bench, {
      ask: ({ session, view }) => host.call('lint', { session, view }),
      key: ({ session, revision, view }) => [session, revision, JSON.stringify(view)],
      restMs: 120,
    })
    this.problemsOf = bench
  }

  /** The findings; the problems of the session where the host could not answer, or has not yet. */
  get findings(): readonly LintFinding[] {
    const { answer } = this
    if (answer) return answer.findings
    const { session } = this.problemsOf.bench
    if (session?.problems !== this.known) {
      this.known = session?.problems ?? null
      this.shown = (session?.problems ?? []).map(ofProblem)
    }
    return this.shown
  }

  private known: object | null = null
  private shown: readonly LintFinding[] = []

  /** The meaning of the codes of these findings. */
  get codes(): readonly RuleExplanation[] {
    return this.answer?.codes ?? this.problemsOf.bench.session?.codes ?? NONE
  }

  /** The annotation in figures; none before the host has answered. */
  get figures(): readonly QualityFigure[] {
    return this.answer?.figures ?? NO_FIGURES
  }

  /** Whom the figures judge, where that is not the agent. */
  get figuresNote(): string | null {
    return this.answer?.figures_note ?? null
  }

  /** Brings the findings about an episode into view. */
  show(episode: number): void {
    this.chosen.set({ episode, wish: this.chosen.get().wish + 1 })
  }
}

const NONE: readonly RuleExplanation[] = []
const NO_FIGURES: readonly QualityFigure[] = []

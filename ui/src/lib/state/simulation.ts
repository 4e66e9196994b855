import type { DefaultsAnswer } from '../ipc/generated/DefaultsAnswer'
import type { SessionAnswer } from '../ipc/generated/SessionAnswer'
import { AS_IT_HAPPENED, hasMarks, isAsItHappened, type Simulated } from '../view/happened'

/** The policy that *What if* simulates, and the choice between it and the recorded history for a session that is opened. */
export class SimulationChoice {
  /** The policy that was simulated last. */
  last: Simulated
  /** True if the host was started with a policy or a budget, which then hold for every session. */
  private isGiven = false

  constructor({ policy, options }: Simulated) {
    this.last = { policy, options }
  }

  startWith(defaults: DefaultsAnswer): void {
    this.isGiven = defaults.policy_given || defaults.budget_given
    this.note(defaults.view)
  }

  /** Keeps the policy of a view that simulates one. */
  note({ policy, options }: Simulated): void {
    if (!isAsItHappened({ policy, options })) this.last = { policy, options }
  }

  /** Returns the policy for a session that is opened. Without marks it opens as it happened. */
  policyFor(session: SessionAnswer, annotation: string, { policy, options }: Simulated): Simulated {
    if (this.isGiven) return { policy, options }
    return hasMarks(session, annotation) ? this.last : AS_IT_HAPPENED
  }
}

import type { RuleExplanation } from '../ipc/generated/RuleExplanation'
import type { UndeclaredAnswer } from '../ipc/generated/UndeclaredAnswer'
import type { UndeclaredHint } from '../ipc/generated/UndeclaredHint'
import type { Host } from '../ipc/host'
import { Lookup } from './lookup'
import type { Workbench } from './workbench'

/** Asks which explorations acts use without declaring them. Unlike lint, the answer does not depend on policy and budget. */
export class UndeclaredHints extends Lookup<UndeclaredAnswer> {
  constructor(host: Host, bench: Workbench) {
    super(bench, {
      ask: ({ session, view }) => host.call('undeclared', { session, view }),
      key: ({ session, revision, view: { branch, annotation } }) => [session, revision, branch, annotation],
    })
  }

  /** The hints. The list of problems is shown without them where they could not be worked out. */
  get hints(): readonly UndeclaredHint[] {
    return this.answer?.hints ?? NONE
  }

  /** The meaning of the code that these hints have. */
  get about(): RuleExplanation | null {
    return this.answer?.codes[0] ?? null
  }
}

const NONE: readonly UndeclaredHint[] = []

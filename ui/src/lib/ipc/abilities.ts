import type { CommandName } from './commands'
import type { RedactionCounts } from './generated/RedactionCounts'

/** Something that a host may be unable to do: answer a command, tell that a log has changed, or open a file by its path. */
export type Ability = CommandName | 'changes' | 'paths'

/** Tells whether a host can do something. A host that declares nothing can do everything. */
export const can = (host: { can?(ability: Ability): boolean }, ability: Ability): boolean =>
  host.can?.(ability) ?? true

/** The facts that an exported page tells about itself. */
export interface PageExport {
  /** The name of its session. */
  readonly path: string
  /** The program that made the page, with its version. */
  readonly madeBy: string
  /** The number of things that were redacted; `null` where the user asked for no redaction. */
  readonly redacted: RedactionCounts | null
  /** The parts that are not in the page. */
  readonly leftOut: readonly string[]
}

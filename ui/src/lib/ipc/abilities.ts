import type { CommandName } from './commands'
import type { RedactedDto } from './generated/RedactedDto'
import type { ViewDto } from './generated/ViewDto'

/**
 * Something that a host may be unable to do: answer a command, answer any view, tell that a log has changed, or open a file by its
 * path.
 */
export type Ability = CommandName | 'any view' | 'changes' | 'paths'

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
  readonly redacted: RedactedDto | null
  /** The things that have no room in the page, as sentences. */
  readonly leftOut: readonly string[]
}

/** A host without an engine: its answers were recorded when the page was made. */
export interface Recording {
  /** The views that were recorded, with their budgets in tokens, the smallest budget first. */
  readonly views: readonly { view: ViewDto; tokens: number }[]
  /** The views that are compared with the recorded view that is nearest to another one, that view first. */
  compared(view: ViewDto): readonly ViewDto[]
  /** The text of a block as far as it is recorded, and how long the whole of it is; `null` where it is not recorded. */
  textOf(view: ViewDto, block: string): { text: string; nChars: number } | null
  /** The recorded view that is nearest to another one. */
  nearest(view: ViewDto): ViewDto
}

import type { SeverityDto } from '../ipc/generated/SeverityDto'
import type { CodeDto } from '../ipc/generated/CodeDto'
import type { ProblemDto } from '../ipc/generated/ProblemDto'
import type { UndeclaredHintDto } from '../ipc/generated/UndeclaredHintDto'

/** A problem as the Lint tab lists it; a hint also has the other episode that it is about. */
export type Listed = ProblemDto & { on?: number }

/** All problems of one code: what it means, and where they are. */
export interface LintGroup {
  code: string
  severity: SeverityDto
  /** The meaning of the code; `null` where the host has no words for it. */
  about: CodeDto | null
  problems: Listed[]
  /** Told from the texts by rules of thumb: may be wrong, and is no problem of the log. */
  isHint: boolean
}

/** One line of the Lint tab: the head of a group, or one of its problems. */
export type LintRow = { group: LintGroup; problem: Listed | null }

/** Tells whether a filter, in lower case, finds a problem. */
function says({ code, message, line }: ProblemDto, about: CodeDto | null, wanted: string): boolean {
  const said = `${code} ${message} ${about?.title ?? ''} ${line === null ? '' : `line ${line}`}`
  return wanted === '' || said.toLowerCase().includes(wanted)
}

const ORDER = ['error', 'warning', 'info']

/** Problems by code, the gravest first, then those of which there are most. */
export function lintGroups(
  problems: readonly ProblemDto[],
  codes: readonly CodeDto[],
  filter = '',
): LintGroup[] {
  const wanted = filter.trim().toLowerCase()
  const about = new Map(codes.map((code) => [code.code, code]))
  const groups = new Map<string, LintGroup>()
  for (const problem of problems) {
    const { code, severity } = problem
    const known = about.get(code) ?? null
    if (!says(problem, known, wanted)) continue
    const group = groups.get(code) ?? { code, severity, about: known, problems: [], isHint: false }
    group.problems.push(problem)
    groups.set(code, group)
  }
  const rank = (severity: SeverityDto) => (ORDER.indexOf(severity) + ORDER.length + 1) % (ORDER.length + 1)
  return [...groups.values()].sort(
    (a, b) =>
      rank(a.severity) - rank(b.severity) ||
      b.problems.length - a.problems.length ||
      (a.code < b.code ? -1 : 1),
  )
}

/** The hints as groups of their own, by code in the order in which they came. */
export function hintGroups(
  hints: readonly UndeclaredHintDto[],
  about: CodeDto | null,
  filter = '',
): LintGroup[] {
  const wanted = filter.trim().toLowerCase()
  const groups = new Map<string, LintGroup>()
  for (const { problem, on } of hints) {
    const { code } = problem
    if (!says(problem, about, wanted)) continue
    const group = groups.get(code) ?? { code, severity: 'info', about, problems: [], isHint: true }
    group.problems.push({ ...problem, on })
    groups.set(code, group)
  }
  return [...groups.values()]
}

/** The lines of groups; those that are folded have only their heads. */
export const lintRows = (groups: readonly LintGroup[], folded: ReadonlySet<string>): LintRow[] =>
  groups.flatMap((group) => [
    { group, problem: null },
    ...(folded.has(group.code) ? [] : group.problems.map((problem) => ({ group, problem }))),
  ])

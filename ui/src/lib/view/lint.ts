import type { CodeDto } from '../ipc/generated/CodeDto'
import type { ProblemDto } from '../ipc/generated/ProblemDto'

/** All problems of one code: what it means, and where they are. */
export interface LintGroup {
  code: string
  severity: string
  /** What the code means; `null` where the host has no words for it. */
  about: CodeDto | null
  problems: ProblemDto[]
}

/** One line of the Lint tab: the head of a group, or one of its problems. */
export type LintRow = { group: LintGroup; problem: ProblemDto | null }

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
    const { code, severity, message, line } = problem
    const known = about.get(code) ?? null
    const said = `${code} ${message} ${known?.title ?? ''} ${line === null ? '' : `line ${line}`}`
    if (wanted !== '' && !said.toLowerCase().includes(wanted)) continue
    const group = groups.get(code) ?? { code, severity, about: known, problems: [] }
    group.problems.push(problem)
    groups.set(code, group)
  }
  const rank = (severity: string) => (ORDER.indexOf(severity) + ORDER.length + 1) % (ORDER.length + 1)
  return [...groups.values()].sort(
    (a, b) =>
      rank(a.severity) - rank(b.severity) ||
      b.problems.length - a.problems.length ||
      (a.code < b.code ? -1 : 1),
  )
}

/** The lines of groups; those that are folded have only their heads. */
export const lintRows = (groups: readonly LintGroup[], folded: ReadonlySet<string>): LintRow[] =>
  groups.flatMap((group) => [
    { group, problem: null },
    ...(folded.has(group.code) ? [] : group.problems.map((problem) => ({ group, problem }))),
  ])

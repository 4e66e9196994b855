import type { MarkEdit } from '../ipc/generated/MarkEdit'
import type { Severity } from '../ipc/generated/Severity'
import type { RuleExplanation } from '../ipc/generated/RuleExplanation'
import type { LintFinding } from '../ipc/generated/LintFinding'
import type { ProblemRow } from '../ipc/generated/ProblemRow'

/** The orders in which the Problems tab lists its findings. */
export type LintOrder = 'rule' | 'cost' | 'turn'

/** All findings of one code, or all of them where they stand in another order. */
export interface LintGroup {
  code: string
  severity: Severity
  /** The meaning of the code; `null` where the host has no words for it. */
  about: RuleExplanation | null
  items: LintFinding[]
  /** Told by rules of thumb: may be wrong, and is no problem of the log. */
  isHint: boolean
}

/** One line of the Problems tab: the head of a group, or one of its findings. */
export type LintRow = { group: LintGroup; item: LintFinding | null }

/** Tells whether a finding is told by a rule of thumb. */
export const isHint = ({ code }: { code: string }): boolean => code.startsWith('Q')

/** A problem of the log as a finding, for hosts that list no others. */
export const ofProblem = (problem: ProblemRow): LintFinding => ({
  ...problem,
  doubt: false,
  turn: null,
  name: null,
  on: null,
  evidence: [],
  strength: null,
  cost: null,
  edits: [],
})

/** True for one finding of two answers: a later answer has objects of its own, and more about each. */
export const isSameFinding = (one: LintFinding, other: LintFinding): boolean =>
  one.code === other.code &&
  one.line === other.line &&
  one.block === other.block &&
  one.episode === other.episode &&
  one.message === other.message

/** The strengths of evidence from which on the suggestions of a rule can be applied together, per mille. */
export const STRENGTHS: readonly number[] = [0, 500, 750, 900]

/** The changes that findings suggest, of those whose evidence is at least so strong; each once. */
export function editsOf(items: readonly LintFinding[], strength = 0): MarkEdit[] {
  const strong = items.filter((item) => (item.strength ?? 0) >= strength)
  const byText = new Map(strong.flatMap(({ edits }) => edits).map((edit) => [JSON.stringify(edit), edit]))
  return [...byText.values()]
}

/** The strengths that choose differently among the suggestions of a rule, with how many each chooses; none for fewer than two. */
export function choicesOfEdits(items: readonly LintFinding[]): { strength: number; n: number }[] {
  const choices = STRENGTHS.map((strength) => ({ strength, n: editsOf(items, strength).length }))
  const differ = choices.filter(({ n }, at) => n > 0 && (at === 0 || n !== choices[at - 1]?.n))
  return (differ[0]?.n ?? 0) < 2 ? [] : differ
}

/** The findings that a filter finds, by their words, their line or their turn. */
export function lintFound(
  items: readonly LintFinding[],
  codes: readonly RuleExplanation[],
  filter: string,
): LintFinding[] {
  const wanted = filter.trim().toLowerCase()
  if (wanted === '') return [...items]
  const titles = new Map(codes.map(({ code, title }) => [code, title]))
  const says = ({ code, message, line, turn, name }: LintFinding) =>
    [
      code,
      message,
      titles.get(code) ?? '',
      name ?? '',
      line === null ? '' : `line ${line}`,
      turn === null ? '' : `turn ${turn}`,
    ]
      .join(' ')
      .toLowerCase()
  return items.filter((item) => says(item).includes(wanted))
}

const ORDER = ['error', 'warning', 'info']
const rank = (severity: Severity) => (ORDER.indexOf(severity) + ORDER.length + 1) % (ORDER.length + 1)

/** Findings by code: what is certain first, the gravest first, then those of which there are most. */
export function lintGroups(items: readonly LintFinding[], codes: readonly RuleExplanation[]): LintGroup[] {
  const about = new Map(codes.map((code) => [code.code, code]))
  const groups = new Map<string, LintGroup>()
  for (const item of items) {
    const { code, severity } = item
    const group = groups.get(code) ?? {
      code,
      severity,
      about: about.get(code) ?? null,
      items: [],
      isHint: isHint(item),
    }
    group.items.push(item)
    groups.set(code, group)
  }
  for (const group of groups.values()) {
    if (group.isHint) group.items.sort((a, b) => (b.strength ?? 0) - (a.strength ?? 0))
  }
  return [...groups.values()].sort(
    (a, b) =>
      Number(a.isHint) - Number(b.isHint) ||
      rank(a.severity) - rank(b.severity) ||
      b.items.length - a.items.length ||
      (a.code < b.code ? -1 : 1),
  )
}

/** The lines of groups; those that are folded have only their heads. */
export const lintRows = (groups: readonly LintGroup[], folded: ReadonlySet<string>): LintRow[] =>
  groups.flatMap((group) => [
    { group, item: null },
    ...(folded.has(group.code) ? [] : group.items.map((item) => ({ group, item }))),
  ])

/** The lines in one list: the dearest first, or by turn. What has neither stands last. */
export function lintList(
  items: readonly LintFinding[],
  codes: readonly RuleExplanation[],
  order: 'cost' | 'turn',
): LintRow[] {
  const groups = new Map(lintGroups(items, codes).map((group) => [group.code, group]))
  const value = ({ cost, turn }: LintFinding) =>
    order === 'cost' ? -(cost ?? -1) : (turn ?? Number.MAX_SAFE_INTEGER)
  const sorted = [...items].sort(
    (a, b) => value(a) - value(b) || rank(a.severity) - rank(b.severity) || (a.code < b.code ? -1 : 1),
  )
  return sorted.flatMap((item) => {
    const group = groups.get(item.code)
    return group ? [{ group, item }] : []
  })
}

import type { SessionAnswer } from '../ipc/generated/SessionAnswer'

/** The origin of τ: the default, the user, or the trace of the harness. */
export type BudgetSource = 'default' | 'yours' | 'trace'

/** Returns τ for a session: the user's, else the harness's own, else the default. */
export function budgetOf(
  given: string | null,
  session: Partial<Pick<SessionAnswer, 'recorded'>> | null,
  usual: string,
): { budget: string; source: BudgetSource } {
  if (given !== null) return { budget: given, source: 'yours' }
  const recorded = session?.recorded?.budget ?? null
  if (recorded !== null) return { budget: String(recorded), source: 'trace' }
  return { budget: usual, source: 'default' }
}

/** The slider of τ runs over powers: one step left is as much less, in proportion, anywhere. */
export const SLIDER_STEPS = 400
const LOWEST = 1000

/** The range of the slider, tokens: to well above the whole history, so that "no eviction" can be reached. */
export function sliderRange(mostTokens: number, window: number | null): { low: number; high: number } {
  return { low: LOWEST, high: Math.max(200_000, window ?? 0, mostTokens * 1.25) }
}

/** Rounds to what people would type: two digits below 10k, else to the next whole thousand or finer 1 %. */
export function tidyBudget(tokens: number): number {
  if (tokens < 1) return 1
  const unit = tokens < 10_000 ? 100 : tokens < 200_000 ? 1000 : tokens < 1e6 ? 5000 : 10_000
  return Math.max(unit, Math.round(tokens / unit) * unit)
}

export function budgetAt(position: number, range: { low: number; high: number }): number {
  const share = Math.min(1, Math.max(0, position / SLIDER_STEPS))
  return tidyBudget(range.low * (range.high / range.low) ** share)
}

export function positionOf(tokens: number, range: { low: number; high: number }): number {
  if (tokens <= range.low) return 0
  const share = Math.log(tokens / range.low) / Math.log(range.high / range.low)
  return Math.round(Math.min(1, share) * SLIDER_STEPS)
}

/** One key press: about 5 %, and always a change in its direction. */
export function nudge(tokens: number, direction: 1 | -1): number {
  const moved = tidyBudget(tokens * (direction > 0 ? 1.05 : 1 / 1.05))
  if ((moved - tokens) * direction > 0) return moved
  const unit = tokens < 10_000 ? 100 : tokens < 200_000 ? 1000 : 5000
  return Math.max(1, tokens + direction * Math.min(unit, direction > 0 ? unit : Math.ceil(tokens / 2)))
}

/** True when a text can be a budget: `80000`, `80,000`, `80k`, `1.5M`, `50%`. */
export function isBudget(text: string): boolean {
  return /^\s*\d[\d_,]*(\.\d+)?\s*([kKmM%])?\s*$/.test(text)
}

/** Returns a budget without the separators that people type. */
export const cleanBudget = (text: string): string => text.replace(/[\s,_]/g, '')

/** Writes the digits of a plain number in groups; `80k` and `50%` stay as they were typed. A field reads a comma in every locale. */
export const groupedBudget = (budget: string): string =>
  /^\d+$/.test(budget) ? budget.replace(/\B(?=(\d{3})+$)/g, ',') : budget

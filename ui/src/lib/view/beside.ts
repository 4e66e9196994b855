import type { FigureUnit } from '../ipc/generated/FigureUnit'
import type { PairedFigure } from '../ipc/generated/PairedFigure'
import type { SideRow } from '../ipc/generated/SideRow'
import type { ViewSettings } from '../ipc/generated/ViewSettings'
import { text } from '../text'
import { count, money } from './format'

const OF_ANY_LOG = ['auto', 'declared', 'inferred']

/** The view of the session beside: the same policy, without what is of the open session alone. */
export const besideView = (view: ViewSettings): ViewSettings => ({
  ...view,
  branch: null,
  annotation: OF_ANY_LOG.includes(view.annotation) ? view.annotation : 'auto',
  pins: [],
  probes: [],
})

/** A figure as people read it; a dash if there is none, and for money of a model without a price the word. */
export function figureText(unit: FigureUnit, value: number | null, isPriced = true): string {
  if (value === null) return unit === 'money' && !isPriced ? text.compare.unpriced : '–'
  return unit === 'money' ? money(value) : count(value)
}

/** How much more the second session has, with its sign; empty where one of both has no figure. */
export function moreText({ unit, more }: PairedFigure): string {
  if (more === null) return ''
  if (more === 0) return '0'
  return `${more > 0 ? '+' : '−'}${figureText(unit, Math.abs(more))}`
}

/** The figures that say anything: those that are not nothing on both sides, and the cost, which may be unpriced on both. */
export const figuresShown = (figures: readonly PairedFigure[]): PairedFigure[] =>
  figures.filter(({ name, a, b }) => a !== b || (a === null ? name === 'cost' : a !== 0))

/** Tells whether the turns of a row differ in their work or their marks. */
export const isDifferent = ({ differs }: SideRow): boolean => differs === 'work' || differs === 'marks'

/** The rows that are listed, each with its place among all. */
export const rowsShown = (rows: readonly SideRow[], onlyDifferent: boolean): { row: SideRow; at: number }[] =>
  rows.flatMap((row, at) => (!onlyDifferent || isDifferent(row) ? [{ row, at }] : []))

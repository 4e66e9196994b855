import type { CorpusColumnRow } from '../ipc/generated/CorpusColumnRow'
import type { CorpusColumnKind } from '../ipc/generated/CorpusColumnKind'
import { text } from '../text'
import { bytes, count, moment, money, perMille } from './format'

type CorpusCell = number | string | boolean | null

/** The widths of columns by the kind of their values, pixels. */
const WIDTH: Record<CorpusColumnKind, number> = {
  text: 150,
  number: 96,
  bytes: 88,
  money: 96,
  perMille: 88,
  ratio: 80,
  time: 150,
  flag: 80,
}
/** The width of the column with the names, pixels. */
export const NAME_WIDTH = 340
/** The width of a sign of a head, at most, and what stands around the head's name, pixels. */
const SIGN = 7.5
const AROUND = 44

/** The width of a column, pixels: its head is always read in whole. */
export const widthOf = (column: CorpusColumnRow): number =>
  Math.max(WIDTH[column.kind], Math.ceil(nameOf(column).length * SIGN) + AROUND)

/** True where the values stand at the right, to be compared. */
export const isFigure = ({ kind }: Pick<CorpusColumnRow, 'kind'>): boolean =>
  kind !== 'text' && kind !== 'flag'

/** The name of a column in words. */
export const nameOf = ({ name }: Pick<CorpusColumnRow, 'name'>): string =>
  Object.hasOwn(text.corpus.names, name)
    ? (text.corpus.names[name] ?? name)
    : name.replace(/^(n|is|has)_/, '').replaceAll('_', ' ')

/** A value as people read it; nothing where there is none. */
export function cellText(kind: CorpusColumnKind, cell: CorpusCell | undefined): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell === 'boolean') return cell ? text.corpus.yes : text.corpus.no
  if (typeof cell === 'string') return cell
  switch (kind) {
    case 'bytes':
      return bytes(cell)
    case 'money':
      return money(cell)
    case 'perMille':
      return perMille(cell)
    case 'ratio':
      return cell.toFixed(3)
    case 'time':
      return moment(cell)
    default:
      return count(cell)
  }
}

import { IN_COLUMNS, type CommandName } from './commands'

/**
 * The head of a column: its path in the answer, the bytes of each number, how many numbers it has, and how many of them stand at the
 * beginning of the held answer's column, too. A list has 0 bytes, and its rows follow: changed ones with their places, then new ones.
 */
type ColumnHead = [path: string, width: 1 | 4, n: number, held: number] | RowsHead
type RowsHead = [
  path: string,
  width: 0,
  n: number,
  held: number,
  changed: [number, unknown][],
  rest: unknown[],
]

interface Header {
  /** The answer's number, if the host remembers it. */
  number: number | null
  /** The number of the answer that the reader must hold. */
  base: number | null
  columns: ColumnHead[]
  answer: unknown
}

/** An answer that the page holds, under its number at the host. */
interface HeldAnswer {
  session: unknown
  number: number
  answer: unknown
}

type Numbers = Uint8Array | Uint32Array

/** True where the low byte of a number stands first, as it does in a column. */
const LOW_FIRST = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1

/**
 * Asks for answers in columns, and holds the last whole one of a session, so that the host sends only what differs from it: a
 * frame of a long session has a megabyte, and a new line changes few numbers of it.
 */
export class ColumnReader {
  private held: HeldAnswer | null = null

  /** The arguments to send for a request, and the function that reads the bytes of its answer. */
  question(name: CommandName, request: object): { args: object; read: (bytes: Uint8Array) => unknown } {
    const { session, held: parts } = request as { session?: unknown; held?: unknown }
    if (!IN_COLUMNS.includes(name) || parts !== 'nothing')
      return { args: request, read: (bytes) => readColumns(bytes) }
    // Another answer may come first, so this question remembers which one it built on.
    const base = this.held?.session === session ? this.held : null
    return {
      args: { ...request, base: base?.number ?? 0 },
      read: (bytes) => {
        const { number, answer } = readAnswer(bytes, base)
        if (number !== null) this.held = { session, number, answer }
        return answer
      },
    }
  }
}

/**
 * Reads an answer whose series are columns of numbers behind a header of JSON (the form is described where the host
 * writes it, in `columns.rs`), and puts each column where its path says. A column is a view of `bytes`, not a copy.
 */
export const readColumns = (bytes: Uint8Array): unknown => readAnswer(bytes, null).answer

function readAnswer(bytes: Uint8Array, held: HeldAnswer | null): { number: number | null; answer: unknown } {
  // A transport may hand over a part of a larger buffer; words must begin at a multiple of four.
  const whole = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  const length = new DataView(whole.buffer, whole.byteOffset).getUint32(0, true)
  const text = new TextDecoder().decode(whole.subarray(4, 4 + length))
  const { number, base, columns, answer } = JSON.parse(text) as Header
  if (base !== null && base !== held?.number) throw new Error('the answer builds on one that is not held')
  let at = 4 + length
  for (const head of columns) {
    const path = head[0].split('.')
    const before = base === null ? undefined : found(held?.answer, path)
    if (head[1] === 0) put(answer, path, rowsOf(head, before as unknown[] | undefined))
    else {
      const [, width, n, nHeld] = head
      const rest = width === 1 ? whole.subarray(at, at + n - nHeld) : wordsOf(whole, at, n - nHeld)
      put(answer, path, nHeld === 0 ? rest : joined(before as Numbers, nHeld, rest))
      at += Math.ceil((width * (n - nHeld)) / 4) * 4
    }
  }
  return { number, answer }
}

/** The rows of a list. A list in which nothing changed stays the same object. */
function rowsOf([, , n, nHeld, changed, rest]: RowsHead, before: unknown[] = []): unknown[] {
  if (nHeld === 0) return rest
  if (changed.length === 0 && rest.length === 0 && before.length === n) return before
  const rows = before.slice(0, nHeld)
  for (const [at, row] of changed) rows[at] = row
  for (const row of rest) rows.push(row)
  return rows
}

/** The first numbers of a held column, and those behind them. */
function joined(before: Numbers, nHeld: number, rest: Numbers): Numbers {
  if (rest.length === 0 && before.length === nHeld) return before
  const all =
    rest instanceof Uint8Array ? new Uint8Array(nHeld + rest.length) : new Uint32Array(nHeld + rest.length)
  all.set(before.subarray(0, nHeld))
  all.set(rest, nHeld)
  return all
}

function wordsOf(bytes: Uint8Array, at: number, n: number): Uint32Array {
  if (LOW_FIRST) return new Uint32Array(bytes.buffer, bytes.byteOffset + at, n)
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, 4 * n)
  return Uint32Array.from({ length: n }, (_, word) => view.getUint32(word * 4, true))
}

function found(answer: unknown, path: readonly string[]): unknown {
  let inside = answer
  for (const name of path) inside = (inside as Record<string, unknown> | undefined)?.[name]
  return inside
}

function put(answer: unknown, path: readonly string[], column: Numbers | unknown[]): void {
  const inside = found(answer, path.slice(0, -1)) as Record<string, unknown> | undefined
  const last = path.at(-1)
  if (!inside || last === undefined) throw new Error('a column of the answer has no place in it')
  inside[last] = column
}

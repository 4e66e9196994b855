/** The head of one column: its path in the answer, the bytes of each number, and how many numbers it has. */
type ColumnHead = [path: string, width: 1 | 4, n: number]

/** True where the low byte of a number stands first, as it does in a column. */
const LOW_FIRST = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1

/**
 * Reads an answer whose series are columns of numbers behind a header of JSON (the form is described where the host
 * writes it, in `columns.rs`), and puts each column where its path says. A column is a view of `bytes`, not a copy.
 */
export function readColumns(bytes: Uint8Array): unknown {
  // A transport may hand over a part of a larger buffer; words must begin at a multiple of four.
  const whole = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  const length = new DataView(whole.buffer, whole.byteOffset).getUint32(0, true)
  const head = new TextDecoder().decode(whole.subarray(4, 4 + length))
  const { answer, columns } = JSON.parse(head) as { answer: unknown; columns: ColumnHead[] }
  let at = 4 + length
  for (const [path, width, n] of columns) {
    put(answer, path.split('.'), width === 1 ? whole.subarray(at, at + n) : wordsOf(whole, at, n))
    at += Math.ceil((width * n) / 4) * 4
  }
  return answer
}

function wordsOf(bytes: Uint8Array, at: number, n: number): Uint32Array {
  if (LOW_FIRST) return new Uint32Array(bytes.buffer, bytes.byteOffset + at, n)
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, 4 * n)
  return Uint32Array.from({ length: n }, (_, word) => view.getUint32(word * 4, true))
}

function put(answer: unknown, path: readonly string[], column: Uint8Array | Uint32Array): void {
  let inside = answer as Record<string, unknown> | undefined
  for (const name of path.slice(0, -1)) inside = inside?.[name] as Record<string, unknown> | undefined
  const last = path.at(-1)
  if (!inside || last === undefined) throw new Error('a column of the answer has no place in it')
  inside[last] = column
}

import { expect, test } from 'vitest'

import { readColumns } from './columns'

/** Writes an answer in the form of the host. */
function written(answer: object, columns: [string, number, number][], series: number[]): Uint8Array {
  const head = new TextEncoder().encode(JSON.stringify({ answer, columns }))
  const length = Math.ceil(head.length / 4) * 4
  const bytes = new Uint8Array(4 + length + series.length).fill(0x20)
  new DataView(bytes.buffer).setUint32(0, length, true)
  bytes.set(head, 4)
  bytes.set(series, 4 + length)
  return bytes
}

const BYTES = written(
  { name: 'τ', levels: [], replay: { bands: [{ tokens: [] }] } },
  [
    ['levels', 1, 3],
    ['replay.bands.0.tokens', 4, 2],
  ],
  [4, 0, 2, 0, 1, 0, 0, 0, 0, 1, 0, 255],
)

const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, part: unknown) =>
      ArrayBuffer.isView(part) ? [...(part as Uint8Array)] : part,
    ),
  )

test('columns stand where their paths say', () => {
  expect(plain(readColumns(BYTES))).toEqual({
    name: 'τ',
    levels: [4, 0, 2],
    replay: { bands: [{ tokens: [1, 255 * 2 ** 24 + 256] }] },
  })
})

test('an answer may stand anywhere in a larger buffer', () => {
  for (const offset of [1, 2, 3, 4]) {
    const larger = new Uint8Array(BYTES.length + 8)
    larger.set(BYTES, offset)
    expect(plain(readColumns(larger.subarray(offset, offset + BYTES.length)))).toEqual(
      plain(readColumns(BYTES)),
    )
  }
})

test('a column without a place is refused', () => {
  expect(() => readColumns(written({}, [['a.b', 1, 0]], []))).toThrow('no place')
})

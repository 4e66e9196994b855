import { expect, test } from 'vitest'

import { ColumnReader, readColumns } from './columns'

/** Writes an answer in the form of the host. */
function written(
  answer: object,
  columns: (string | number | unknown[])[][],
  series: number[],
  number: number | null = null,
  base: number | null = null,
): Uint8Array {
  const head = new TextEncoder().encode(JSON.stringify({ number, base, answer, columns }))
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
    ['levels', 1, 3, 0],
    ['replay.bands.0.tokens', 4, 2, 0],
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
  expect(() => readColumns(written({}, [['a.b', 1, 0, 0]], []))).toThrow('no place')
})

const RESPONSE = { levels: [], left: [], rows: [] }
const FIRST = written(
  RESPONSE,
  [
    ['levels', 1, 3, 0],
    ['left', 4, 1, 0],
    ['rows', 0, 3, 0, [], [{ n: 1 }, { n: 2 }, { n: 3 }]],
  ],
  [4, 0, 2, 0, 1, 0, 0, 0],
  7,
)
const NEXT = written(
  RESPONSE,
  [
    ['levels', 1, 4, 2],
    ['left', 4, 1, 1],
    ['rows', 0, 4, 3, [[1, { n: 20 }]], [{ n: 4 }]],
  ],
  [3, 1, 0, 0],
  8,
  7,
)
interface Sample {
  levels: Uint8Array
  left: Uint32Array
  rows: { n: number }[]
}

test('an answer that builds on the held one has the rows and numbers of both', () => {
  const reader = new ColumnReader()
  const ask = () => reader.question('frame', { session: 1, held: 'nothing' })
  const first = ask()
  expect(first.args).toMatchObject({ base: 0 })
  const before = first.read(FIRST) as Sample
  const next = ask()
  expect(next.args).toMatchObject({ base: 7 })
  const now = next.read(NEXT) as Sample
  expect(plain(now)).toEqual({
    levels: [4, 0, 3, 1],
    left: [1],
    rows: [{ n: 1 }, { n: 20 }, { n: 3 }, { n: 4 }],
  })
  expect(plain(before.rows)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  expect(now.rows[2]).toBe(before.rows[2])
  expect(now.left).toBe(before.left)
  expect(ask().args).toMatchObject({ base: 8 })
})

test('a question is read on the answer that was held when it was asked', () => {
  const reader = new ColumnReader()
  const ask = () => reader.question('frame', { session: 1, held: 'nothing' })
  ask().read(FIRST)
  const [one, other] = [ask(), ask()]
  other.read(written(RESPONSE, [], [], 9))
  expect((one.read(NEXT) as Sample).levels).toHaveLength(4)
})

test('no other session and no part of a frame builds on the held one', () => {
  const reader = new ColumnReader()
  const args = (session: number, held: string) => reader.question('frame', { session, held }).args
  reader.question('frame', { session: 1, held: 'nothing' }).read(FIRST)
  expect(args(2, 'nothing')).toMatchObject({ base: 0 })
  expect(args(1, 'graph')).not.toHaveProperty('base')
  expect(() => readColumns(NEXT)).toThrow('not held')
})

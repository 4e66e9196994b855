import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

import { unpack } from './unpack'

test('packed bytes come out as they went in', async () => {
  const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => (at * 31) % 256)
  const packed = gzipSync(bytes).toString('base64')
  // A matcher compares member by member, which takes seconds on a busy machine.
  expect(Buffer.from(await unpack(packed)).equals(bytes)).toBe(true)
})

test('bytes that are damaged are refused', async () => {
  await expect(unpack('AAAA')).rejects.toThrow()
})

import { expect, test } from 'vitest'

import { Used } from './used'

function box(first?: string) {
  let held = first ?? null
  return { getItem: () => held, setItem: (_: string, value: string) => void (held = value) }
}

test('what was used last comes first, once, and is remembered', () => {
  const kept = box()
  const used = new Used(kept)
  for (const key of ['a', 'b', 'a', 'c']) used.add(key)
  expect(used.store.get().keys).toEqual(['c', 'a', 'b'])
  expect(new Used(kept).store.get().keys).toEqual(['c', 'a', 'b'])
  for (let n = 0; n < 100; n += 1) used.add(`k${n}`)
  expect(new Used(kept).store.get().keys).toHaveLength(40)
})

test('odd storage is no storage', () => {
  for (const odd of ['', '{', '{}', '[1]', 'null', '"x"'])
    expect(new Used(box(odd)).store.get().keys, odd).toEqual([])
  const used = new Used(null)
  used.add('a')
  expect(used.store.get().keys).toEqual(['a'])
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new Error('full')
    },
  }
  expect(() => new Used(full).add('a')).not.toThrow()
})

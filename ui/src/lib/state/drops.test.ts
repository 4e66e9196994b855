import { expect, test } from 'vitest'

import type { Drop } from '../ipc/drops'
import { Drops } from './drops'

test('the first file that is dropped is opened, or asked for where only its name is known', () => {
  const check = (drop: Omit<Extract<Drop, { type: 'dropped' }>, 'type'>, ...expected: string[]) => {
    const done: string[] = []
    const drops = new Drops({
      open: (path) => done.push(`open ${path}`),
      ask: (name) => done.push(`ask ${name}`),
      oneOf: (n, name) => done.push(`${name} of ${n}`),
    })
    drops.hear({ type: 'over' })
    expect(drops.store.get().over).toBe(true)
    drops.hear({ type: 'dropped', ...drop })
    expect(drops.store.get().over).toBe(false)
    expect(done).toEqual(expected)
  }
  check({ paths: ['/a/b'], names: ['b'] }, 'open /a/b')
  check({ paths: ['/a/b', '/a/c'], names: ['b', 'c'] }, 'open /a/b', 'b of 2')
  check({ paths: [], names: ['b'] }, 'ask b')
  check({ paths: [], names: ['b', 'c', 'd'] }, 'ask b')
  check({ paths: [], names: [] })
})

test('what is dragged away again leaves nothing', () => {
  const drops = new Drops({ open: () => expect.fail(), ask: () => expect.fail(), oneOf: () => expect.fail() })
  drops.hear({ type: 'over' })
  drops.hear({ type: 'left' })
  expect(drops.store.get().over).toBe(false)
})

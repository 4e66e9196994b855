import { expect, test } from 'vitest'

import { harnessCounts, newestRows } from './newest'
import { remembered } from './recent'

const row = (path: string, harness: string, change = {}) => ({
  ...remembered(path, path),
  harness,
  ...change,
})

test('the newest are the first of the list that can be opened', () => {
  const rows = [
    row('/gone', 'pi', { gone: true }),
    row('/never-read', 'pi', { name: '' }),
    ...Array.from({ length: 9 }, (_, n) => row(`/${n}`, 'pi')),
  ]
  expect(newestRows(rows).map(({ path }) => path)).toEqual(['/0', '/1', '/2', '/3', '/4', '/5'])
  expect(newestRows([])).toEqual([])
})

test('harnesses are counted, the largest first', () => {
  const rows = [row('/a', 'pi'), row('/b', 'codex'), row('/c', 'codex')]
  expect(harnessCounts(rows)).toEqual([
    { harness: 'codex', n: 2 },
    { harness: 'pi', n: 1 },
  ])
})

import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import type { SearchAnswer } from '../ipc/generated/SearchAnswer'
import type { Commands } from '../ipc/commands'
import { HostError, type Host } from '../ipc/host'
import { Search } from './search'
import { ScriptedHost } from './testing'
import { Workbench } from './workbench'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** A host whose searches the test answers. */
class SearchHost extends ScriptedHost {
  searches: {
    request: Commands['search']['request']
    answer: (pending?: number) => void
    refuse: () => void
  }[] = []
  private readonly others = new ScriptedHost()
  override call: Host['call'] = (name, request) => {
    if (name !== 'search') return this.others.call(name, request)
    return new Promise((resolve, reject) => {
      this.searches.push({
        request: request as Commands['search']['request'],
        answer: (pending = 0) => resolve(found((request as { query: string }).query, pending) as never),
        refuse: () => reject(new HostError('badPattern', 'nothing to look for', 'type a word')),
      })
    })
  }
}

const found = (title: string, pending: number): SearchAnswer => ({
  sessions: [{ session: 1, title, path: '/a', format: 'pi', hits: [] }],
  more: false,
  pending,
})

const looked = (host: SearchHost) => host.searches.map(({ request }) => request.query).join(' ')
const shown = (search: Search) => search.store.get().answer?.sessions[0]?.title

async function started() {
  const host = new SearchHost()
  const bench = new Workbench(host, null)
  const search = new Search(host, bench)
  search.setShown(true)
  return { host, bench, search }
}

const settle = () => vi.advanceTimersByTimeAsync(0)
const rest = () => vi.advanceTimersByTimeAsync(200)

test('it asks when typing rests, and shows the newest', async () => {
  const { host, search } = await started()
  search.setQuery('a')
  await vi.advanceTimersByTimeAsync(50)
  search.setQuery('ab')
  await rest()
  expect(looked(host)).toBe('ab')
  // Two more while the host is busy: the one between is never asked.
  search.setQuery('abc')
  await rest()
  search.setQuery('abcd')
  await rest()
  expect(looked(host)).toBe('ab')
  host.searches[0]?.answer()
  await settle()
  expect(looked(host)).toBe('ab abcd')
  expect(shown(search)).toBe('ab')
  host.searches[1]?.answer()
  await settle()
  expect(shown(search)).toBe('abcd')
})

test('old results stay until new ones come, and go with the query', async () => {
  const { host, search } = await started()
  search.setQuery('one')
  await rest()
  host.searches[0]?.answer()
  await settle()
  search.setQuery('two')
  await rest()
  expect(shown(search)).toBe('one')
  search.setQuery(' ')
  expect(search.store.get()).toMatchObject({ answer: null, answered: null })
  // The answer that was underway is not shown any more.
  host.searches[1]?.answer()
  await rest()
  expect(search.store.get().answer).toBeNull()
  expect(looked(host)).toBe('one two')
})

test('a query that cannot be answered says why', async () => {
  const { host, search } = await started()
  search.setQuery('--')
  await rest()
  host.searches[0]?.refuse()
  await settle()
  expect(search.store.get()).toMatchObject({
    answer: null,
    answered: '--',
    failure: { message: 'nothing to look for', hint: 'type a word' },
  })
  search.setQuery('word')
  await rest()
  host.searches[1]?.answer()
  await settle()
  expect(search.store.get().failure).toBeNull()
})

test('while the index is made it asks again, as long as it is shown', async () => {
  const { host, search } = await started()
  search.setQuery('x')
  await rest()
  host.searches[0]?.answer(1000)
  await vi.advanceTimersByTimeAsync(1500)
  expect(looked(host)).toBe('x x')
  host.searches[1]?.answer(0)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(looked(host)).toBe('x x')
  search.again()
  host.searches[2]?.answer(5)
  await settle()
  search.setShown(false)
  await vi.advanceTimersByTimeAsync(10_000)
  search.again()
  expect(looked(host)).toBe('x x x')
})

test('it looks in the session that is open, where that is wanted', async () => {
  const { host, bench, search } = await started()
  search.setScope('session')
  search.setQuery('x')
  await rest()
  expect(host.searches.at(-1)?.request.session).toBeNull()
  host.searches.at(-1)?.answer()
  await bench.open('/log')
  await settle()
  expect(host.searches.at(-1)?.request).toMatchObject({ query: 'x', session: 7 })
  host.searches.at(-1)?.answer()
  search.setScope('all')
  await settle()
  expect(host.searches.at(-1)?.request.session).toBeNull()
})

test('more is asked for until another query', async () => {
  const { host, search } = await started()
  const limit = () => host.searches.at(-1)?.request.limit
  search.setQuery('x')
  await rest()
  expect(limit()).toBe(200)
  host.searches.at(-1)?.answer()
  await settle()
  search.showMore()
  search.showWhole(1)
  expect(limit()).toBe(500)
  host.searches.at(-1)?.answer()
  await settle()
  expect([...search.store.get().wholly]).toEqual([1])
  search.setQuery('y')
  await rest()
  expect(limit()).toBe(200)
  expect(search.store.get().wholly.size).toBe(0)
})

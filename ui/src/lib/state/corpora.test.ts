import { expect, test } from 'vitest'

import type { CorpusRowsRequest } from '../ipc/generated/CorpusRowsRequest'
import type { CorpusOverview } from '../ipc/generated/CorpusOverview'
import { HostError, type Host } from '../ipc/host'
import type { LinkTarget } from '../view/link'
import { Corpora } from './corpora'
import { createStore } from './store'
import type { Bench } from './workbench'

const column = (name: string, usual: boolean) =>
  ({ name, kind: 'number', unit: '', about: 'A number.', usual }) as const
const VIEW: CorpusOverview = {
  folder: '/tables',
  n_logs: 1,
  n_unread: 0,
  n_unfinished: 0,
  n_placed: 1,
  has_texts: true,
  columns: [column('a', true), column('b', false)],
  harnesses: [],
  formats: [],
  models: [],
}
const ROW = {
  log: 'l',
  name: 'n',
  is_hashed: false,
  target: '/log',
  problem: null,
  policy: 'mask',
  budget: 4000,
  cells: [1],
}

/** A corpus behind a host that notes what it is asked. */
function made(answer: () => CorpusOverview = () => VIEW) {
  const asked: CorpusRowsRequest[] = []
  const went: LinkTarget[] = []
  const store = createStore<Pick<Bench, 'phase' | 'target'>>({ phase: 'start', target: null })
  const call = (name: string, request: unknown) => {
    if (name === 'corpus') return Promise.resolve().then(answer)
    asked.push(request as CorpusRowsRequest)
    return Promise.resolve({ n_rows: 1, rows: [ROW] })
  }
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
  const host = { call } as unknown as Host
  const corpora = new Corpora(host, { store }, (place) => went.push(place), storage)
  const again = () => new Corpora(host, { store }, () => undefined, storage)
  return { corpora, asked, went, store, again }
}

const rest = () => new Promise((done) => setTimeout(done))

test('the table comes with the corpus that is to be shown, and is asked for again when it comes back', async () => {
  const { corpora, asked, store } = made()
  store.set({ phase: 'corpus', target: '/tables' })
  await rest()
  expect(corpora.store.get().view).toEqual(VIEW)
  expect(corpora.pages.at(0)).toEqual(ROW)
  corpora.wish({ find: 'word' })
  await rest()
  store.set({ phase: 'open', target: '/log' })
  store.set({ phase: 'corpus', target: '/tables' })
  await rest()
  // It stays as it was left.
  expect(asked.at(-1)).toMatchObject({ folder: '/tables', find: 'word', columns: ['a'], offset: 0 })
  store.set({ phase: 'corpus', target: '/others' })
  await rest()
  expect(asked.at(-1)).toMatchObject({ folder: '/others', find: '' })
})

test('a head sorts, and turns the order around', async () => {
  const { corpora, asked } = made()
  await corpora.show('/tables')
  const check = async (column: string, sort: string, down: boolean) => {
    corpora.sortBy(column, column !== 'title')
    await rest()
    expect(asked.at(-1)).toMatchObject({ sort, down })
  }
  await check('a', 'a', true)
  await check('a', 'a', false)
  await check('title', 'title', false)
  await check('title', 'title', true)
})

test('columns are chosen and remembered, and go back to the usual ones', async () => {
  const { corpora, again } = made()
  await corpora.show('/tables')
  const names = (of: Corpora) =>
    of.columns({ view: VIEW, chosen: of.store.get().chosen }).map(({ name }) => name)
  corpora.choose('b')
  expect(names(corpora)).toEqual(['a', 'b'])
  corpora.choose('a')
  expect(names(again())).toEqual(['b'])
  corpora.choose(null)
  expect(names(again())).toEqual(['a'])
})

test('a row opens under the policy of its table, and back leads to the table', async () => {
  const { corpora, went } = made()
  corpora.back()
  expect(went).toEqual([])
  await corpora.show('/tables')
  corpora.open({ ...ROW, target: null })
  expect(went).toEqual([])
  corpora.open(ROW)
  expect(went.at(-1)).toMatchObject({ session: '/log', view: { policy: 'mask', budget: '4000' } })
  corpora.back()
  expect(went.at(-1)).toMatchObject({ session: '/tables' })
})

test('tables that cannot be read say why', async () => {
  const { corpora } = made(() => {
    throw new HostError('noCorpus', 'this is none')
  })
  await corpora.show('/tables')
  expect(corpora.store.get()).toMatchObject({ view: null, failure: { code: 'noCorpus' } })
})

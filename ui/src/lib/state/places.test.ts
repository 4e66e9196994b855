import { beforeEach, expect, test } from 'vitest'

import type { Column } from '../view/comparison'
import { Places, type Way } from './places'
import { createStore, type Store } from './store'
import type { Distance } from '../view/distance'
import { ScriptedHost } from './testing'
import { Workbench } from './workbench'

const tick = () => new Promise((done) => setImmediate(done))
const TABS = ['context', 'evicted', 'compare'] as const
type Tab = (typeof TABS)[number]

/** A browser's way, as a list. */
class Steps implements Way {
  queries: string[]
  at = 0
  isOwn = false
  private listen = () => {}

  constructor(first = '') {
    this.queries = [first]
  }
  get query() {
    return this.queries[this.at] ?? ''
  }
  push(query: string) {
    this.queries = [...this.queries.slice(0, this.at + 1), query]
    this.at += 1
  }
  replace(query: string) {
    this.queries[this.at] = query
  }
  back() {
    this.move(-1)
  }
  forward() {
    this.move(1)
  }
  subscribe(listen: () => void) {
    this.listen = listen
  }
  private move(by: number) {
    this.at = Math.max(0, Math.min(this.queries.length - 1, this.at + by))
    this.listen()
  }
}

let host: ScriptedHost
let bench: Workbench
let look: ReturnType<typeof createStore<{ tab: Tab; distance: Distance }>>
let way: Steps
let clock: number
let places: Places<Tab>
let beside: { tab: string; store: Store<{ columns: Column[] }>; take(columns: readonly Column[]): void }

const column = (policy: string): Column => ({ policy, budget: null, options: {} })

function make(query = '') {
  host = new ScriptedHost()
  host.episodes = [{ name: 'map' }, { name: 'fix' }, { name: 'map' }]
  bench = new Workbench(host, null)
  look = createStore<{ tab: Tab; distance: Distance }>({ tab: 'context', distance: 'session' })
  way = new Steps(query)
  clock = 0
  const store = createStore<{ columns: Column[] }>({ columns: [column('mask')] })
  beside = { tab: 'compare', store, take: (columns) => store.set({ columns: [...columns] }) }
  places = new Places(bench, look, TABS, beside, way, () => clock)
  places.start()
}
beforeEach(() => make())

const USUAL = 'policy=cwl&tokenizer=provider'
/** The address, without what is the same everywhere. */
const shown = () => way.query.replace(`&${USUAL}`, '').replace('session=', '')

test('the address says what is shown', async () => {
  await bench.open('/a.jsonl')
  expect(way.query).toBe(`session=/a.jsonl&${USUAL}&tab=context`)
  const check = (act: () => void, expected: string) => {
    act()
    expect(shown()).toBe(expected)
  }
  check(() => bench.moveTo({ turn: 3, step: 1 }), '/a.jsonl&turn=3&step=1&tab=context')
  check(() => bench.select(1), '/a.jsonl&turn=3&step=1&episode=fix&tab=context')
  check(() => bench.select(2, 'e1:0'), '/a.jsonl&turn=3&step=1&episode=%232&block=e1:0&tab=context')
  check(() => look.set({ tab: 'evicted' }), '/a.jsonl&turn=3&step=1&episode=%232&block=e1:0&tab=evicted')
  bench.select(null)
  check(() => bench.brush({ from: 2, to: 4 }), '/a.jsonl&turn=3&step=1&from=2&to=4&tab=evicted')
  bench.brush(null)
  bench.toNow()
  check(
    () => bench.setView({ budget: '60k', options: { low_water: '800' } }),
    'session=/a.jsonl&policy=cwl&tau=60k&set=low_water%3D800&tokenizer=provider&tab=evicted'.slice(8),
  )
})

test('what follows itself quickly is one step of the way', async () => {
  await bench.open('/a.jsonl')
  expect(way.queries.length).toBe(1)
  const check = (after: number, act: () => void, nSteps: number) => {
    clock += after
    act()
    expect(way.queries.length).toBe(nSteps)
  }
  check(9000, () => bench.moveTo({ turn: 2, step: 0 }), 2)
  check(100, () => bench.moveTo({ turn: 3, step: 0 }), 2)
  check(1000, () => bench.moveTo({ turn: 4, step: 0 }), 2)
  check(100, () => look.set({ tab: 'evicted' }), 3)
  check(100, () => bench.moveTo({ turn: 2, step: 0 }), 4)
  check(9000, () => bench.moveTo({ turn: 3, step: 0 }), 5)
  check(9000, () => bench.moveTo({ turn: 3, step: 0 }), 5)
})

test('each choice is a step, and what one press changes is one', async () => {
  await bench.open('/a.jsonl')
  clock += 9000
  const check = async (act: () => unknown, nSteps: number) => {
    clock += 100
    await act()
    expect(way.queries.length).toBe(nSteps)
  }
  await check(() => look.set({ tab: 'evicted' }), 2)
  await check(() => look.set({ tab: 'compare' }), 3)
  await check(() => bench.select(1), 4)
  await check(() => bench.select(2), 5)
  const place = () =>
    places.asOne(async () => {
      bench.moveTo({ turn: 3, step: 0 })
      await tick()
      bench.select(1, 'e1:0')
      look.set({ tab: 'context' })
    })
  await check(place, 6)
  expect(shown()).toBe('/a.jsonl&turn=3&step=0&episode=fix&block=e1:0&tab=context')
  way.back()
  await tick()
  await tick()
  expect(shown()).toBe('/a.jsonl&episode=%232&tab=compare&with=mask')
})

test('back and forward go through what was chosen', async () => {
  await bench.open('/a.jsonl')
  clock += 9000
  bench.moveTo({ turn: 3, step: 1 })
  bench.setView({ budget: '60k', policy: 'window' })
  bench.select(1)
  await bench.open('/b.jsonl')
  const check = async (act: () => void, expected: object) => {
    act()
    await tick()
    await tick()
    const { session, cut, view, given, selected } = bench.bench
    expect({ path: session?.path, turn: cut.turn, policy: view.policy, given, selected }).toEqual(expected)
  }
  const at = { turn: 3, policy: 'window', given: '60k' }
  const back = () => places.back()
  await check(back, { path: '/a.jsonl', ...at, selected: 1 })
  await check(back, { path: '/a.jsonl', ...at, selected: null })
  await check(back, { path: '/a.jsonl', turn: 3, policy: 'cwl', given: null, selected: null })
  await check(back, { path: '/a.jsonl', turn: null, policy: 'cwl', given: null, selected: null })
  expect(bench.bench.view.budget, 'the default is back').toBe('80000')
  await check(() => places.forward(), {
    path: '/a.jsonl',
    turn: 3,
    policy: 'cwl',
    given: null,
    selected: null,
  })
  expect(way.queries.length, 'going there is no step of its own').toBe(5)
})

test('a window opens where its address or its link leads', async () => {
  const check = async (address: string, link: string | null, expected: object | null) => {
    make(address)
    host.defaults = {
      target: '/given.jsonl',
      link,
      view: bench.bench.view,
      budget_given: false,
      cut: { turn: null, step: null },
    }
    await bench.start((link) =>
      places.first(link, ({ session }) => Promise.resolve(session === 'unknown' ? null : session)),
    )
    const { session, cut, selected, view } = bench.bench
    expect({ path: session?.path, turn: cut.turn, step: cut.step, selected, policy: view.policy }).toEqual({
      turn: null,
      step: null,
      selected: null,
      policy: 'cwl',
      ...expected,
    })
  }
  await check('', null, { path: '/given.jsonl' })
  await check('', 'session=/l.jsonl&turn=3&step=1&episode=fix', {
    path: '/l.jsonl',
    turn: 3,
    step: 1,
    selected: 1,
  })
  await check('session=/p.jsonl&policy=none', 'session=/l.jsonl&turn=3', { path: '/p.jsonl', policy: 'none' })
  await check('theme=dark', 'cwl-inspector://open?session=/l.jsonl&episode=%232&tab=evicted', {
    path: '/l.jsonl',
    selected: 2,
  })
  expect(look.get().tab).toBe('evicted')
  await check('', 'session=unknown&turn=3', { path: undefined })
  await check('session=/p.jsonl&episode=gone&tab=nonsense', null, { path: '/p.jsonl' })
  expect(look.get().tab).toBe('context')
})

test('an address from elsewhere asks as a link does, and one of our own does not', async () => {
  const check = async (
    isOwn: boolean,
    admits: boolean,
    asked: string[],
    path: string | undefined,
    query: string,
  ) => {
    make('session=/p.jsonl&annotation=/m.json')
    way.isOwn = isOwn
    host.defaults = {
      target: null,
      link: null,
      view: bench.bench.view,
      budget_given: false,
      cut: bench.bench.cut,
    }
    const told: string[] = []
    await bench.start((link) =>
      places.first(link, ({ session, annotation }) => {
        told.push(`${session} ${annotation}`)
        return Promise.resolve(admits ? session : null)
      }),
    )
    expect(told).toEqual(asked)
    expect(bench.bench.session?.path).toBe(path)
    expect(way.query.split('&')[0]).toBe(query)
  }
  await check(false, true, ['/p.jsonl /m.json'], '/p.jsonl', 'session=/p.jsonl')
  await check(false, false, ['/p.jsonl /m.json'], undefined, '')
  await check(true, false, [], '/p.jsonl', 'session=/p.jsonl')
})

test('a place that cannot be reached stays in the address', async () => {
  make('session=/missing.jsonl&turn=4')
  host.refuse.open = new Error('no such file') as never
  host.defaults = {
    target: null,
    link: null,
    view: bench.bench.view,
    budget_given: false,
    cut: bench.bench.cut,
  }
  await bench.start((link) => places.first(link, ({ session }) => Promise.resolve(session)))
  expect(bench.bench.phase).toBe('failed')
  expect(way.query).toBe('session=/missing.jsonl&turn=4')
  host.refuse = {}
  expect(places.retry('/another.jsonl')).toBe(false)
  expect(places.retry('/missing.jsonl'), 'now it is there').toBe(true)
  await expect.poll(() => bench.bench.phase).toBe('open')
  expect(bench.bench.cut.turn).toBe(4)
})

test('what is compared is part of the place while it is seen', async () => {
  await bench.open('/a.jsonl')
  expect(way.query).not.toContain('with=')
  look.set({ tab: 'compare' })
  expect(way.query).toContain('&tab=compare&with=mask')
  clock += 5000
  beside.store.set({ columns: [column('mask'), column('none')] })
  clock += 5000
  beside.store.set({ columns: [] })
  expect(way.query).toContain('&tab=compare&with=')
  const compared = () => beside.store.get().columns.map(({ policy }) => policy)
  way.back()
  await tick()
  expect(compared()).toEqual(['mask', 'none'])
  way.back()
  await tick()
  expect(compared()).toEqual(['mask'])
  way.back()
  await tick()
  expect(look.get().tab).toBe('context')
  expect(compared(), 'what is not seen stays').toEqual(['mask'])
  way.forward()
  await tick()
  way.forward()
  await tick()
  expect(compared()).toEqual(['mask', 'none'])
})

test('a view and the column that it changes places with are one step', async () => {
  await bench.open('/a.jsonl')
  look.set({ tab: 'compare' })
  clock += 5000
  const n = way.queries.length
  bench.setView({ policy: 'mask' })
  beside.store.set({ columns: [column('cwl')] })
  expect(way.queries).toHaveLength(n + 1)
  expect(way.query).toContain('with=cwl')
})

test('a link with columns leads to them', async () => {
  make('session=/a.jsonl&tab=compare&with=summary&with=none%3Btau%3D20k')
  await places.first(null, ({ session }) => Promise.resolve(session))
  expect(beside.store.get().columns).toEqual([column('summary'), { ...column('none'), budget: '20k' }])
  expect(way.query).toContain('with=summary&with=none%3Btau%3D20k')
})

test.each([
  ['session=/l.jsonl', 'none'],
  ['session=/l.jsonl&policy=cwl', 'cwl'],
  ['session=/l.jsonl&policy=summary', 'summary'],
  ['session=/l.jsonl&policy=none', 'none'],
  ['session=/l.jsonl&tau=20k', 'cwl'],
  ['session=/l.jsonl&set=keep=3', 'cwl'],
])('a log without marks opens as the link says, and again from its address: %s', async (link, policy) => {
  const check = async (query: string) => {
    make(query)
    way.isOwn = true
    host.annotation = 'none'
    await places.first(null, () => Promise.resolve(null))
    expect(bench.bench.view.policy, query).toBe(policy)
  }
  await check(link)
  await check(way.query)
})

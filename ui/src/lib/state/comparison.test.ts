import { beforeEach, expect, test } from 'vitest'

import type { CommandName } from '../ipc/commands'
import { HostError, type Host } from '../ipc/host'
import { Comparison } from './comparison'

import { Sweep, isStopped, progressOf } from './sweep'
import { SessionVerdict } from './verdict'
import { createStore } from './store'
import { QuietHost } from './testing'
import { Workbench } from './workbench'

const tick = async () => {
  for (let n = 0; n < 12; n += 1) await new Promise((done) => setImmediate(done))
}

const POLICIES = ['cwl', 'window', 'mask', 'summary', 'none'].map((name) => ({
  name,
  about: '',
  source: '',
  options: [],
}))

/** The figures of any policy, as far as the engine is asked about them. */
const FIGURES = {
  cost: { total_cost: 3 },
  recall: { hit_per_mille: 900, reacquired_tokens: 4 },
  probes: { answered_per_mille: null },
  n_steps: 2,
}

/** A host of sessions of which only the path matters; it records what it is asked. */
class Script extends QuietHost {
  asked: [CommandName, Record<string, unknown>][] = []
  refuse: Partial<Record<CommandName, HostError>> = {}
  revision = 1

  override call: Host['call'] = async (name, request) => {
    this.asked.push([name, request as Record<string, unknown>])
    const refused = this.refuse[name]
    if (refused) throw refused
    const {
      target = '/a.jsonl',
      views = [],
      view,
    } = request as never as {
      target?: string
      views?: { policy: string }[]
      view?: { policy: string }
    }
    const session = {
      session: target === '/b.jsonl' ? 8 : 7,
      path: target,
      revision: this.revision,
      problems: [],
      branches: [],
      recorded: null,
      choices: {
        likely: ['cwl', 'summary', 'mask', 'none', 'pi-cwl'],
        policies: POLICIES,
        tokenizers: [],
        providers: [],
      },
    }
    const answers: Partial<Record<CommandName, unknown>> = {
      open: session,
      session,
      frame: {
        graph: { n_turns: 5, episodes: [] },
        history: { full: [1000, 300_000] },
        replay: { n_steps: [], budget: 80_000 },
        levels: [],
        left: [],
        steps: { turn: 5, steps: [] },
      },
      compare: { columns: views.map(({ policy }) => ({ policy, ...FIGURES })) },
      compare_blocks: {
        n_items: 1,
        n_only_a: 1,
        n_only_b: 0,
        items: [{ in_a: true, why_not: 'gone', item: { block: 'a:0' } }],
      },
      sweep: {
        policy: view?.policy,
        points: [{ budget: 9000, ...FIGURES }],
        uncapped: { budget: null, ...FIGURES },
      },
      frontier: { by: 'recall', on: [{ place: 1, policy: 'cwl' }], cwl: [1], others: [2, 99] },
      verdict: { says: 'CWL does better' },
    }
    return answers[name] as never
  }

  of = (wanted: CommandName) => this.asked.filter(([name]) => name === wanted).map(([, request]) => request)
  views = () =>
    (this.of('compare').at(-1)?.views ?? []) as { policy: string; budget: string; options: object }[]
}

function storage(): Storage {
  const held = new Map<string, string>()
  return {
    getItem: (key: string) => held.get(key) ?? null,
    setItem: (key: string, value: string) => void held.set(key, value),
  } as Storage
}

let host: Script
let box: Storage
let bench: Workbench
let comparison: Comparison
beforeEach(async () => {
  host = new Script()
  box = storage()
  bench = new Workbench(host, box)
  comparison = new Comparison(host, bench, box)
  await bench.open('/a.jsonl')
  await tick()
})

const columns = () => comparison.store.get().columns.map((column) => column.policy)

test('nothing is asked before somebody looks; then all views at once, the main one first', async () => {
  expect(host.of('compare')).toEqual([])
  comparison.setShown(true)
  await tick()
  expect(host.views().map((view) => view.policy)).toEqual(['cwl', 'summary', 'mask', 'none'])
  expect(comparison.figures.get().answer?.columns).toHaveLength(4)
  bench.moveTo({ turn: 2, step: 0 })
  await tick()
  expect(host.of('compare')).toHaveLength(2)
  comparison.setShown(false)
  bench.moveTo({ turn: 3, step: 0 })
  await tick()
  expect(host.of('compare')).toHaveLength(2)
})

test('columns are chosen, added and taken out, never more than seven beside the main one', async () => {
  comparison.setShown(true)
  comparison.remove(1)
  comparison.add()
  expect(columns()).toEqual(['summary', 'none', 'mask'])
  for (let n = 0; n < 9; n += 1) comparison.add()
  expect(columns()).toHaveLength(7)
  for (let n = 0; n < 4; n += 1) comparison.remove(3)
  comparison.setColumn(0, { options: { keep: '3' } })
  comparison.setColumn(0, { policy: 'window' })
  comparison.setColumn(1, { budget: '20k' })
  await tick()
  expect(host.views().map(({ policy, budget, options }) => [policy, budget, options])).toEqual([
    ['cwl', '80000', {}],
    ['window', '80000', {}],
    ['none', '20k', {}],
    ['mask', '80000', {}],
  ])
})

test('to use a column exchanges it with the main view, and back', async () => {
  comparison.setColumn(0, { budget: '20k' })
  comparison.useColumn(0)
  expect([bench.bench.view.policy, bench.bench.view.budget]).toEqual(['summary', '20k'])
  expect(comparison.store.get().columns[0]).toEqual({ policy: 'cwl', budget: '80000', options: {} })
  comparison.useColumn(0)
  expect([bench.bench.view.policy, bench.bench.view.budget]).toEqual(['cwl', '80000'])
  comparison.useColumn(1)
  expect([bench.bench.view.policy, bench.bench.view.budget]).toEqual(['mask', '80000'])
  expect(comparison.store.get().columns[1]?.budget, 'it follows the main view as before').toBeNull()
})

test('suggested columns never show the main policy, whichever it is; chosen ones stay', () => {
  expect(columns()).toEqual(['summary', 'mask', 'none'])
  bench.setView({ policy: 'mask' })
  expect(columns()).toEqual(['cwl', 'summary', 'none'])
  bench.setView({ policy: 'cwl' })
  expect(columns()).toEqual(['summary', 'mask', 'none'])
  comparison.remove(2)
  bench.setView({ policy: 'mask' })
  expect(columns()).toEqual(['summary', 'mask'])
})

test('what is compared is remembered per session', async () => {
  comparison.remove(0)
  comparison.setColumn(0, { budget: '20k' })
  await bench.open('/b.jsonl')
  expect(columns()).toEqual(['summary', 'mask', 'none'])
  await bench.open('/a.jsonl')
  expect(comparison.store.get().columns[0]).toEqual({ policy: 'mask', budget: '20k', options: {} })
  expect(columns()).toEqual(['mask', 'none'])
})

test('pins and probes are remembered per session', async () => {
  bench.watch({ pins: ['block:a:0'] })
  bench.watch({ probes: ['12:x'] })
  await bench.open('/b.jsonl')
  expect([bench.bench.view.pins, bench.bench.view.probes]).toEqual([[], []])
  await bench.open('/a.jsonl')
  expect([bench.bench.view.pins, bench.bench.view.probes]).toEqual([['block:a:0'], ['12:x']])
})

test('the differing blocks are of the main view and one column', async () => {
  comparison.setShown(true)
  comparison.setPart('blocks')
  comparison.setAgainst(2)
  await tick()
  expect(host.of('compare_blocks').at(-1)).toMatchObject({ a: { policy: 'cwl' }, b: { policy: 'none' } })
  expect(comparison.pages.at(0)).toMatchObject({ block: 'a:0', inMain: true, whyNot: 'gone' })
})

test('what cannot be compared says so, and comes back', async () => {
  host.refuse = { compare: new HostError('needs_window', 'a share of what?') }
  comparison.setShown(true)
  await tick()
  expect(comparison.figures.get().failure?.message).toBe('a share of what?')
  host.refuse = {}
  bench.moveTo({ turn: 2, step: 0 })
  await tick()
  expect(comparison.figures.get().failure).toBeNull()
})

test('a sweep runs policy by policy, and not again for another τ or turn', async () => {
  const sweep = new Sweep(host, bench, comparison)
  comparison.setShown(true)
  comparison.setPart('sweep')
  await tick()
  const swept = () => host.of('sweep').map((request) => (request.view as { policy: string }).policy)
  expect(swept(), 'the columns first, then all others').toEqual(['cwl', 'summary', 'mask', 'none', 'window'])
  expect(progressOf(sweep.store.get())).toBeNull()
  bench.setView({ budget: '50k' })
  bench.moveTo({ turn: 2, step: 0 })
  await tick()
  expect(swept()).toHaveLength(5)
  sweep.setOver('main')
  await tick()
  expect(sweep.store.get().answer?.series).toHaveLength(1)
  comparison.use({ policy: 'window', budget: '60k', options: {} })
  sweep.setOver('all')
  await tick()
  expect(sweep.store.get().answer?.series.map(({ view }) => view.policy)[0]).toBe('window')
  expect(swept(), 'another order asks nothing again').toHaveLength(5)
  sweep.setOver('main')
  sweep.setTyped('40k..160k:10k')
  await tick()
  expect(host.of('sweep').at(-1)?.budgets).toEqual(['40k..160k:10k'])
})

test('a sweep that is stopped asks no more, and goes on when asked', async () => {
  const sweep = new Sweep(host, bench, comparison)
  comparison.setShown(true)
  comparison.setPart('sweep')
  sweep.stop()
  await tick()
  expect(host.of('sweep')).toHaveLength(1)
  expect(isStopped(sweep.store.get())).toBe(true)
  sweep.again()
  await tick()
  expect(host.of('sweep'), 'what came meanwhile is known').toHaveLength(5)
  expect(isStopped(sweep.store.get())).toBe(false)
})

test('the engine is asked which settings no other beats, once all policies are there', async () => {
  const sweep = new Sweep(host, bench, comparison)
  comparison.setShown(true)
  comparison.setPart('sweep')
  await tick()
  const [asked] = host.of('frontier')
  const { settings, by } = asked as never as { settings: { policy: string }[]; by: string }
  expect(by).toBe('recall')
  // No eviction, and a point of each of five policies.
  expect(settings.map(({ policy }) => policy)).toEqual(['none', 'cwl', 'summary', 'mask', 'none', 'window'])
  expect(host.of('frontier')).toHaveLength(1)
  const front = sweep.frontier.get().answer
  expect(front?.on.map(({ place }) => [place.series, place.at])).toEqual([[0, 0]])
  expect(front?.lines.cwl.map((place) => [place.series, place.at])).toEqual([[0, 0]])
  expect(front?.lines.others.map((place) => [place.series, place.at])).toEqual([[1, 0]])
  sweep.setAxes({ y: 'reacquired' })
  await tick()
  expect(host.of('frontier').at(-1)?.by).toBe('reacquired')
  sweep.setAxes({ x: 'budget' })
  await tick()
  expect(sweep.frontier.get().answer, 'no money on the axes').toBeNull()
})

test('the verdict is asked once, whichever columns, policy, budget, turn or part is shown', async () => {
  const verdict = new SessionVerdict(host, bench, comparison, createStore({ on: false }))
  const asked = () => host.of('verdict').length
  expect(asked(), 'not asked while hidden').toBe(0)
  comparison.setShown(true)
  await expect.poll(() => verdict.store.get().answer?.says).toBe('CWL does better')
  comparison.remove(0)
  comparison.setPart('sweep')
  comparison.use({ policy: 'window', budget: '60k', options: {} })
  bench.moveTo({ turn: 2, step: 0 })
  await tick()
  bench.watch({ pins: ['block:a:0'] })
  await expect.poll(asked).toBe(2)
  const pins = host.of('verdict').map(({ view }) => (view as { pins?: string[] }).pins ?? [])
  expect(pins, 'a pin changes what every policy may evict').toEqual([[], ['block:a:0']])
})

test('columns of a link are taken as far as they are known', () => {
  const link = [
    { policy: 'nobody', budget: null, options: {} },
    ...['none', 'mask', 'summary', 'window'].map((policy) => ({ policy, budget: '9k', options: {} })),
  ]
  comparison.take(link)
  expect(columns()).toEqual(['none', 'mask', 'summary', 'window'])
  expect(comparison.store.get().columns[0]?.budget).toBe('9k')
  comparison.take([])
  expect(columns()).toEqual([])
})

import { beforeEach, expect, test, vi } from 'vitest'

import type { Push } from '../ipc/generated/Push'
import { HostError } from '../ipc/host'
import { ScriptedHost } from './testing'
import { Workbench } from './workbench'

const tick = () => new Promise((done) => setImmediate(done))

const push = (revision: number, more: Partial<Push> = {}): Push =>
  ({
    type: 'session',
    session: 7,
    revision,
    nTurns: 9,
    nEpisodes: 2,
    restarted: false,
    gone: false,
    ...more,
  }) as Push

/** Waits for what the last push told of. */
const reloaded = () => vi.waitFor(() => expect(bench.bench.session?.revision).toBe(host.revision))

let host: ScriptedHost
let bench: Workbench
beforeEach(async () => {
  host = new ScriptedHost()
  bench = new Workbench(host)
  await bench.open('log.jsonl')
})

test('opening asks for everything once and stands on now', () => {
  expect(host.names()).toEqual(['open', 'frame'])
  expect(host.asked.at(-1)?.[1]).toMatchObject({ held: 'nothing' })
  expect(bench.bench.phase).toBe('open')
  expect(bench.position()).toEqual({ turn: 6, step: 0 })
  expect(bench.bench.question).toMatchObject({ session: 7, cut: { turn: null, step: null } })
})

test('a turn that is not there is said, and the last one is shown', async () => {
  const said: [number, number][] = []
  bench.onNoTurn = (turn, nTurns) => said.push([turn, nTurns])
  for (const turn of [1, 6, 7, 900]) await bench.open('log.jsonl', { turn, step: 0 })
  expect(said).toEqual([
    [7, 6],
    [900, 6],
  ])
  expect(bench.bench.cut).toEqual({ turn: null, step: null })
})

test('a log that cannot be opened leaves the open one as it was, and says why', async () => {
  bench.moveTo({ turn: 3, step: 1 })
  bench.select(1)
  const { session, view, cut, graph } = bench.bench
  const said: [string, string][] = []
  bench.onNotOpened = (target, failure) => said.push([target, failure.code])
  const check = async (code: string, expected: typeof said) => {
    host.refuse.open = new HostError(code, 'no such file', null, '/x')
    await bench.open('/x')
    expect(bench.bench).toMatchObject({
      phase: 'open',
      session,
      view,
      cut,
      graph,
      selected: 1,
      failure: null,
    })
    expect(said.splice(0)).toEqual(expected)
    expect(bench.bench.target).toBe('log.jsonl')
  }
  await check('missing', [['/x', 'missing']])
  await check('cancelled', [])
  host.refuse = {}
  bench.moveTo({ turn: 2, step: 0 })
  await vi.waitFor(() => expect(bench.bench.question?.cut.turn).toBe(2))
})

test('a log that cannot be opened is a card, and another can be opened after it', async () => {
  bench = new Workbench(host)
  host.refuse.open = new HostError('missing', 'no such file', null, '/x')
  await bench.open('/x')
  expect(bench.bench).toMatchObject({ phase: 'failed', session: null, target: '/x' })
  expect(bench.bench.failure?.code).toBe('missing')
  bench.leaveFailure()
  expect(bench.bench).toMatchObject({ phase: 'welcome', failure: null, target: null })
  host.refuse = {}
  await bench.open('log.jsonl')
  expect(bench.bench).toMatchObject({ phase: 'open', failure: null })
})

test('a log that takes long can be stopped, and that is a card that offers to go on', async () => {
  bench = new Workbench(host)
  let stop = () => {}
  host.reading = new Promise((_, refuse) => {
    stop = () => refuse(new HostError('cancelled', 'reading was stopped', null, '/x'))
  })
  const opening = bench.open('/x')
  await bench.stopOpening()
  expect(host.names()).not.toContain('cancel')
  bench.hear({ type: 'progress', session: 9, done: 5, total: 10 } as Push)
  expect(bench.bench.progress).toEqual({ session: 9, done: 5, total: 10 })
  await bench.stopOpening()
  expect(host.asked.at(-1)).toEqual(['cancel', { session: 9 }])
  stop()
  await opening
  expect(bench.bench).toMatchObject({ phase: 'failed', target: '/x', failure: { code: 'cancelled' } })
})

test('steps go through passes and back, and the panes ask again each time', async () => {
  bench.moveTo({ turn: 1, step: 0 })
  const seen = []
  do seen.push(`${bench.position().turn}.${bench.position().step}`)
  while (bench.stepBy(1))
  expect(seen.join(' ')).toBe('1.0 3.0 3.1 3.2 5.0 5.1 6.0')
  const before = bench.bench.question
  expect(bench.stepBy(-1)).toBe(true)
  expect(bench.position()).toEqual({ turn: 5, step: 1 })
  expect(bench.bench.question).not.toBe(before)
  await tick()
})

test('a drag of the budget moves levels and timeline at once, the lists when it rests', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const before = bench.bench.question
  const from = host.asked.length
  for (const budget of ['70000', '60000', '50000']) bench.setView({ budget }, true)
  expect(bench.bench.question).toBe(before)
  vi.advanceTimersByTime(79)
  expect(bench.bench.question).toBe(before)
  vi.advanceTimersByTime(1)
  expect(bench.bench.question?.view.budget).toBe('50000')
  vi.useRealTimers()
  await tick()
  await tick()
  const budgets = host.asked
    .slice(from)
    .filter(([name]) => name === 'frame')
    .map(([, request]) => (request.view as { budget: string }).budget)
  expect(budgets).toEqual(['70000', '50000'])
  expect(host.asked.slice(from).map(([, request]) => request.held)).toEqual(['graph', 'graph'])
})

test('what a move of τ changes comes in together', async () => {
  const seen: object[] = []
  const last = { ...bench.bench }
  bench.store.subscribe(() => {
    const { replay, levels, left, steps } = bench.bench
    if (replay !== last.replay || levels !== last.levels) seen.push({ replay, levels, left, steps })
    Object.assign(last, bench.bench)
  })
  bench.setView({ budget: '70000' }, true)
  await tick()
  expect(seen).toHaveLength(1)
  expect(seen[0]).toMatchObject({ left: Uint32Array.of(263, 5), steps: { turn: 6 } })
})

test('what went stale while a question was underway is asked for with the next one, once', async () => {
  const from = host.asked.length
  bench.setView({ budget: '70000' }, true)
  bench.setView({ budget: '60000' }, true)
  bench.moveTo({ turn: 3, step: 1 })
  bench.moveTo({ turn: 3, step: 2 })
  await tick()
  await tick()
  expect(host.names(from)).toEqual(['frame', 'frame'])
  expect(host.asked.at(-1)?.[1]).toMatchObject({ view: { budget: '60000' }, cut: { turn: 3, step: null } })
})

test('a frame without an answer is asked for again with the next question', async () => {
  host.refuse.frame = new HostError('restarted', 'the log was started again')
  bench.setView({ tokenizer: 'cl100k' })
  await tick()
  expect(bench.bench.viewFailure?.code).toBe('restarted')
  host.refuse = {}
  const from = host.asked.length
  bench.moveTo({ turn: 3, step: 1 })
  await tick()
  expect(host.asked[from]).toMatchObject(['frame', { held: 'nothing' }])
  expect(bench.bench.viewFailure).toBeNull()
})

test('another tokenizer is another graph', async () => {
  const from = host.asked.length
  bench.setView({ tokenizer: 'cl100k' })
  await tick()
  expect(host.asked.slice(from)).toMatchObject([['frame', { held: 'nothing' }]])
})

test('a view without an answer is told beside the old picture, and goes with the next answer', async () => {
  host.refuse.frame = new HostError('needsWindow', 'a budget in per cent needs the window')
  bench.setView({ budget: '50%' })
  await tick()
  expect(bench.bench.viewFailure?.code).toBe('needsWindow')
  expect(bench.bench.replay).not.toBeNull()
  host.refuse = {}
  bench.setView({ budget: '60k' })
  await tick()
  expect(bench.bench.viewFailure).toBeNull()
})

test('new turns move a cut on now, and never one that stands elsewhere', async () => {
  host.nTurns = 9
  host.nSteps = [...host.nSteps, 0, 0, 0]
  host.revision = 2
  bench.hear(push(2))
  await tick()
  await tick()
  expect(bench.position().turn).toBe(9)
  expect(bench.bench.unseen).toBe(0)

  bench.moveTo({ turn: 3, step: 1 })
  bench.select(1)
  host.nTurns = 11
  host.revision = 3
  bench.hear(push(3))
  await reloaded()
  expect(bench.position()).toEqual({ turn: 3, step: 1 })
  expect(bench.bench).toMatchObject({ unseen: 2, selected: 1 })
  bench.toNow()
  expect(bench.bench.unseen).toBe(0)
})

test('lines that come all the time are asked for together, each question once', async () => {
  vi.useFakeTimers()
  try {
    const from = host.asked.length
    const questions: unknown[] = []
    bench.store.subscribe(() => questions.push(bench.bench.question))
    host.revision = 2
    bench.hear(push(2))
    await vi.advanceTimersByTimeAsync(0)
    const once = ['frame', 'session']
    expect(host.names(from).sort()).toEqual(once)
    expect(new Set(questions).size).toBe(1)

    for (host.revision = 3; host.revision < 20; host.revision += 1) {
      bench.hear(push(host.revision))
      await vi.advanceTimersByTimeAsync(2)
    }
    expect(host.names(from).length).toBe(once.length)
    await vi.advanceTimersByTimeAsync(100)
    expect(host.names(from).length).toBe(2 * once.length)
    expect(bench.bench.session?.revision).toBe(20)
  } finally {
    vi.useRealTimers()
  }
})

test('a cut that moves while lines come in keeps what belongs to it', async () => {
  let answer = () => {}
  const call = host.call
  host.call = async (name, request) => {
    if (name === 'session') await new Promise<void>((done) => (answer = done))
    return call(name, request)
  }
  host.revision = 2
  bench.hear(push(2))
  await tick()
  answer()
  // The reload has asked for the steps of the last turn, and now another one is looked at.
  await Promise.resolve()
  await Promise.resolve()
  bench.moveTo({ turn: 3, step: 1 })
  await reloaded()
  await tick()
  expect(bench.bench.steps?.turn).toBe(3)
  expect(bench.bench.question?.cut).toEqual({ turn: 3, step: 1 })
})

test('pushes of the past and of other sessions are nothing', async () => {
  const from = host.asked.length
  bench.hear(push(1))
  bench.hear(push(5, { session: 8 } as Partial<Push>))
  await tick()
  expect(host.asked.length).toBe(from)
})

test('a log that was written anew starts over', async () => {
  bench.moveTo({ turn: 3, step: 1 })
  bench.select(1)
  host.nTurns = 2
  host.nSteps = [0, 0]
  host.revision = 2
  bench.hear(push(2, { restarted: true } as Partial<Push>))
  await tick()
  await tick()
  expect(bench.bench).toMatchObject({ selected: null, cut: { turn: null, step: null } })
  expect(bench.position().turn).toBe(2)
})

test('pinning the newest turn stops following it', async () => {
  bench.setFollow(false)
  host.nTurns = 8
  host.revision = 2
  bench.hear(push(2))
  await tick()
  await tick()
  expect(bench.position().turn).toBe(6)
  bench.setFollow(true)
  expect(bench.position().turn).toBe(8)
})

test('an episode that is not there cannot be selected', () => {
  bench.select(99)
  expect(bench.bench.selected).toBeNull()
})

/** The budgets that the host was asked about since, each once. */
const budgets = (from: number) => [
  ...new Set(
    host.asked.slice(from).map(([, asked]) => (asked.view as { budget?: string } | undefined)?.budget),
  ),
]

test('the budget of a trace is used from the first question on, and another log has the default again', async () => {
  host.recorded = 900
  let from = host.asked.length
  await bench.open('traced.jsonl')
  expect(bench.bench.view.budget).toBe('900')
  expect(budgets(from)).toEqual([undefined, '900'])
  host.recorded = null
  from = host.asked.length
  await bench.open('log.jsonl')
  expect(budgets(from)).toEqual([undefined, '80000'])
})

test('what the user sets stays, and a reset goes back to the trace or the default', async () => {
  host.recorded = 900
  await bench.open('traced.jsonl')
  bench.setView({ budget: '60000' }, true)
  await bench.open('other.jsonl')
  expect(bench.bench.view.budget).toBe('60000')
  bench.resetBudget()
  expect(bench.bench).toMatchObject({ given: null, view: { budget: '900' } })
  bench.setView({ tokenizer: 'chars4' })
  expect(bench.bench.given).toBe(null)
  host.recorded = null
  await bench.open('log.jsonl')
  bench.setView({ budget: '5k' })
  bench.resetBudget()
  expect(bench.bench.view.budget).toBe('80000')
})

test('a trace that comes or changes while the log is followed is followed, unless the user chose', async () => {
  const hear = async (recorded: number) => {
    host.recorded = recorded
    host.revision += 1
    bench.hear(push(host.revision))
    await reloaded()
    return bench.bench.view.budget
  }
  expect(await hear(64_000)).toBe('64000')
  expect(host.asked.filter(([name]) => name === 'frame').at(-1)?.[1]).toMatchObject({
    view: { budget: '64000' },
  })
  expect(await hear(70_000)).toBe('70000')
  bench.setView({ budget: '50%' })
  expect(await hear(90_000)).toBe('50%')
})

test('what is chosen while the log is read again is not answered with what was asked before', async () => {
  host.recorded = 64_000
  host.revision += 1
  bench.hear(push(host.revision))
  bench.setView({ budget: '5k' })
  await tick()
  expect(bench.bench.view.budget).toBe('5k')
  expect(host.asked.filter(([name]) => name === 'frame').at(-1)?.[1]).toMatchObject({
    view: { budget: '5k' },
  })
})

test.each([
  [true, '50k', 900, '50k'],
  [false, '80000', 900, '900'],
  [true, '80000', 900, '80000'],
  [false, '80000', null, '80000'],
])('started with a budget: %s (%s), trace %s, is %s', async (given, budget, recorded, expected) => {
  host.recorded = recorded
  const { view } = new Workbench(host).bench
  const cut = { turn: null, step: null }
  host.defaults = { target: 'log.jsonl', view: { ...view, budget }, budget_given: given, cut, demo: false }
  bench = new Workbench(host)
  await bench.start()
  expect(bench.bench).toMatchObject({ phase: 'open', view: { budget: expected } })
})

/** Starts a host and opens a log, and returns the policy and the budget of its view. */
async function startedWith(defaults: object, annotation: typeof host.annotation): Promise<string> {
  host.annotation = annotation
  const { view, cut } = new Workbench(host).bench
  host.defaults = { target: 'log.jsonl', view, cut, demo: false, ...defaults }
  bench = new Workbench(host)
  await bench.start()
  return shown()
}
const shown = () => `${bench.bench.view.policy} at ${bench.bench.view.budget}`

test.each<[string, object, typeof host.annotation, string]>([
  ['without marks', {}, 'none', 'none at 80000'],
  ['with marks', {}, 'annotated', 'cwl at 80000'],
  ['with a policy that was given', { policy_given: true }, 'none', 'cwl at 80000'],
  ['with a budget that was given', { budget_given: true }, 'none', 'cwl at 80000'],
])('a log opens as it happened or under a policy: %s', async (_, defaults, annotation, expected) => {
  expect(await startedWith(defaults, annotation)).toBe(expected)
})

test('marks that the view names are marks', async () => {
  const { view } = new Workbench(host).bench
  expect(await startedWith({ view: { ...view, annotation: 'mine' } }, 'none')).toBe('cwl at 80000')
  await bench.open('other.jsonl')
  expect(shown()).toBe('none at 80000')
})

test('what if shows the policy that was chosen last, and back the facts', async () => {
  await startedWith({}, 'none')
  const check = (change: () => void, expected: string) => {
    change()
    expect([shown(), bench.isWhatIf]).toEqual([expected, !expected.startsWith('none')])
  }
  check(() => bench.setWhatIf(true), 'cwl at 80000')
  check(() => bench.setPolicy('summary'), 'summary at 80000')
  check(() => bench.setWhatIf(false), 'none at 80000')
  check(() => bench.setWhatIf(true), 'summary at 80000')
  check(() => bench.setPolicy('none'), 'none at 80000')
  check(() => bench.setView({ budget: '20k' }), 'summary at 20k')
  await bench.open('other.jsonl')
  check(() => {}, 'none at 20k')
})

test('an option that takes back what the harness removed is a simulation', async () => {
  await startedWith({}, 'none')
  bench.setView({ options: { ignore_eviction: 'true' } })
  expect(bench.isWhatIf).toBe(true)
  bench.setWhatIf(false)
  expect(bench.bench.view.options).toEqual({})
})

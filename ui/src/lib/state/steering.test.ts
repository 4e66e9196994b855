import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import type { LiveChange } from '../ipc/generated/LiveChange'
import type { LiveProcessRow } from '../ipc/generated/LiveProcessRow'
import { HostError, type Host } from '../ipc/host'
import { Steering } from './steering'
import { QuietHost, ScriptedHost } from './testing'
import { Undo } from './undo'
import { Workbench } from './workbench'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** A session whose process takes every change but a τ of 1. */
class SteeredHost extends QuietHost {
  readonly asked: string[] = []
  process: LiveProcessRow | null = {
    session: 's',
    harness: 'pi',
    client: 'test',
    process: 1,
    started_at_ms: 0,
    policy: 'cwl',
    budget: 80_000,
    options: { keep_last_turn: 'true' },
    tokenizer: 'o200k',
    marks: 'declared',
    overhead: 0,
    requests: 0,
    evicting: 0,
    passed_through: 0,
    refused: 0,
    last: null,
    events: [],
  }

  private readonly plain = new ScriptedHost()

  override call: Host['call'] = async (name, request) => {
    this.asked.push(name)
    if (!['live_status', 'preview_live', 'set_live'].includes(name)) {
      const answer = await this.plain.call(name, request)
      if (name !== 'frame') return answer
      const { budget } = (request as { view: { budget: string } }).view
      const frame = answer as { replay: object | null }
      return { ...frame, replay: frame.replay && { ...frame.replay, budget: Number(budget) } } as never
    }
    const { change } = request as { change?: LiveChange }
    if (name === 'preview_live') return { says: `at ${change?.budget}`, refusal: null } as never
    if (name === 'set_live') {
      if (change?.budget === '1') throw new HostError('refused', 'too small')
      this.process = this.process && {
        ...this.process,
        policy: change?.policy ?? '',
        budget: Number(change?.budget),
        options: change?.options ?? {},
      }
    }
    return { process: this.process } as never
  }
}

async function opened(host = new SteeredHost()) {
  const bench = new Workbench(host, null)
  const undo = new Undo()
  const steering = new Steering(host, bench, undo)
  await bench.open('log.jsonl')
  await vi.advanceTimersByTimeAsync(0)
  return { host, bench, undo, steering }
}

test('the process of the open session is asked for, and again as long as there is one', async () => {
  const { host, steering } = await opened()
  expect(steering.store.get().process?.budget).toBe(80_000)
  expect(steering.differs).toBe(false)
  const n = () => host.asked.filter((name) => name === 'live_status').length
  const before = n()
  await vi.advanceTimersByTimeAsync(3000)
  expect(n()).toBeGreaterThan(before)
  host.process = null
  await vi.advanceTimersByTimeAsync(1000)
  expect(steering.store.get().process).toBe(null)
  const after = n()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(n()).toBe(after)
})

test('a view that differs has an effect, is applied, and is taken back', async () => {
  const { host, bench, undo, steering } = await opened()
  bench.setView({ budget: '60000' })
  await vi.advanceTimersByTimeAsync(300)
  expect(steering.differs).toBe(true)
  expect(steering.effects.get().answer?.says).toBe('at 60000')
  expect(host.process?.budget).toBe(80_000)
  await steering.apply()
  expect([host.process?.budget, steering.differs]).toEqual([60_000, false])
  await undo.undo()
  expect([host.process?.budget, host.process?.policy]).toEqual([80_000, 'cwl'])
  expect(steering.differs).toBe(true)
  steering.showInForce()
  await vi.advanceTimersByTimeAsync(300)
  expect([bench.bench.view.budget, steering.differs]).toEqual(['80000', false])
})

test('a refusal is told, and nothing is to be taken back', async () => {
  const { bench, undo, steering } = await opened()
  bench.setView({ budget: '1' })
  await vi.advanceTimersByTimeAsync(300)
  await steering.apply()
  expect(steering.store.get().failure?.message).toBe('too small')
  expect(steering.store.get().applying).toBe(false)
  expect(undo.store.get().done).toEqual([])
})

test('a host that cannot steer is never asked', async () => {
  const host = new SteeredHost()
  Object.assign(host, { can: (ability: string) => ability !== 'live_status' })
  const { steering } = await opened(host)
  await vi.advanceTimersByTimeAsync(5000)
  expect(steering.store.get().process).toBe(null)
  expect(host.asked).not.toContain('live_status')
})

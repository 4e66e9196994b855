import { expect, test } from 'vitest'

import { USUAL_VIEW } from '../../view/usual'
import type { Ability } from '../abilities'
import type { Engine } from './engine'
import { exportedHost } from './exported'

function made() {
  const asked: unknown[] = []
  const engine: Engine = {
    open: () => Promise.reject(new Error('no log is read')),
    openSession: (data) => {
      asked.push(data)
      return Promise.resolve('{"session":1}')
    },
    call: (name, args) => {
      asked.push([name, args])
      return Promise.resolve('{"answer":true}')
    },
    stop: () => undefined,
  }
  const view = { ...USUAL_VIEW, budget: '6000' }
  const exported = {
    made_by: 'CWL Inspector 0',
    path: 'a.jsonl',
    view,
    cut: { turn: 3, step: null },
    redacted: null,
    left_out: ['one thing'],
  }
  return { asked, view, host: exportedHost(engine, exported, 'packed') }
}

test('the page opens its session at the place it was made for, and the engine answers', async () => {
  const { asked, view, host } = made()
  const { target, view: first, cut } = await host.call('defaults', {})
  expect([target, first, cut]).toEqual(['a.jsonl', view, { turn: 3, step: null }])
  expect(await host.call('open', { target: 'a.jsonl', format: null })).toEqual({ session: 1 })
  expect(await host.call('overview', { session: 1 } as never)).toEqual({ answer: true })
  expect(asked).toEqual(['packed', ['overview', '{"session":1}']])
})

test('it answers about its session and tells what is missing; no other log, and no file', () => {
  const { host } = made()
  expect(host.exported?.leftOut).toEqual(['one thing'])
  const check = (ability: Ability, can: boolean) => expect(host.can?.(ability), ability).toBe(can)
  for (const ability of ['frame', 'compare', 'sweep', 'duel', 'block', 'body'] as const) check(ability, true)
  for (const ability of ['paths', 'sessions', 'sample', 'notes', 'export', 'search', 'edit_marks'] as const)
    check(ability, false)
})

import { expect, test } from 'vitest'

import type { Ability } from '../abilities'
import type { Engine } from './engine'
import { LogFiles, type DroppedFiles } from './files'
import { wasmHost } from './host'

const fileOf = (name: string) => ({ name }) as File

const dropped = (...names: string[]): DroppedFiles => ({
  files: names.map(fileOf),
  items: names.map((name) => ({
    kind: 'file',
    webkitGetAsEntry: () => ({ name, isDirectory: name.endsWith('/') }),
  })),
})

function made() {
  const asked: unknown[] = []
  const engine: Engine = {
    open: (name, log) => {
      asked.push([name, log])
      return Promise.resolve('{"session":1}')
    },
    openSession: () => Promise.reject(new Error('there is none')),
    call: (name, args) => {
      asked.push([name, args])
      return Promise.resolve('{"answer":true}')
    },
    stop: () => asked.push('stop'),
  }
  const files = new LogFiles()
  const text = fileOf('text of the sample')
  const host = wasmHost(engine, { path: 'sample.jsonl', budget: '9000', load: async () => text }, files)
  return { asked, files, host, text }
}

test('the engine answers what needs nothing but the log, and no other ability is told', async () => {
  const { asked, host } = made()
  expect(await host.call('overview', { session: 1 } as never)).toEqual({ answer: true })
  expect(asked).toEqual([['overview', '{"session":1}']])
  const check = (ability: Ability, can: boolean) => expect(host.can?.(ability), ability).toBe(can)
  for (const ability of ['frame', 'compare', 'sweep', 'duel', 'sample'] as const) check(ability, true)
  for (const ability of ['paths', 'changes', 'sessions', 'notes', 'export', 'search', 'edit_marks'] as const)
    check(ability, false)
})

test('a dropped log is opened by its name; what was not dropped, and a folder, are refused in words', async () => {
  const { asked, files, host } = made()
  expect(files.take(dropped('a.jsonl', 'logs/'))).toEqual(['a.jsonl', 'logs/'])
  const open = (target: string) => host.call('open', { target, format: null })
  expect(await open('a.jsonl')).toEqual({ session: 1 })
  expect(asked).toEqual([['a.jsonl', fileOf('a.jsonl')]])
  await expect(open('logs/')).rejects.toMatchObject({ code: 'not_a_file', path: 'logs/' })
  await expect(open('gone.jsonl')).rejects.toMatchObject({ code: 'missing', path: 'gone.jsonl' })
  await expect(host.call('admit', { session: '/etc/passwd' })).rejects.toMatchObject({ code: 'missing' })
  await host.call('cancel', { session: 0 })
  expect(asked.at(-1)).toBe('stop')
})

test('the sample is loaded when it is wanted, and a dropped log of the same name goes before it', async () => {
  const { asked, files, host, text } = made()
  const { path } = await host.call('sample', {})
  await host.call('open', { target: path, format: null })
  files.take(dropped(path))
  await host.call('open', { target: path, format: null })
  expect(asked).toEqual([
    [path, text],
    [path, fileOf(path)],
  ])
  expect(await host.call('admit', { session: path })).toEqual({ target: path, known: true, marks: null })
})

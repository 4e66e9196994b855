import { expect, test } from 'vitest'

import { withExport } from '../view/exportPage'
import { Exporting, nameOf } from './exporting'
import { HostError, type Host } from '../ipc/host'
import { ScriptedHost } from './testing'
import { Workbench } from './workbench'

const TEMPLATE = '<p><script id="export" type="text/plain"></script>'

async function opened() {
  const host = new ScriptedHost()
  const saved: [string, string, string][] = []
  const saving: Host = host
  saving.saveFile = (name, bytes, mime) => {
    saved.push([name, new TextDecoder().decode(bytes), mime])
    return Promise.resolve(name)
  }
  const answer = host.call
  host.call = (async (name: string, request: never) => {
    if (name !== 'export') {
      const said = (await answer.call(host, name as never, request)) as object
      return name === 'open' ? { ...said, title: 'A log' } : said
    }
    host.asked.push([name as never, request])
    return new TextEncoder().encode('{"a":1}')
  }) as never
  const bench = new Workbench(host, null)
  await bench.open('log')
  return { host, saved, exporting: new Exporting(host, bench, () => Promise.resolve(TEMPLATE)) }
}

test('a page opens with the present view, redacted unless the user insists', async () => {
  const { host, saved, exporting } = await opened()
  expect(await exporting.save()).toBe('a-log.html')
  const [, request] = host.asked.at(-1) ?? []
  expect(request).toMatchObject({ redact: true, view: { budget: '80000' }, cut: { turn: null, step: null } })
  expect(saved).toEqual([['a-log.html', TEMPLATE.replace('plain">', 'plain">{"a":1}'), 'text/html']])
})

test('without redaction it needs a second word', async () => {
  const { saved, exporting } = await opened()
  exporting.setRedact(false)
  expect(exporting.isReady()).toBe(false)
  expect(await exporting.save()).toBeNull()
  expect(saved).toEqual([])
  exporting.setKnown(true)
  expect(exporting.isReady()).toBe(true)
  exporting.setRedact(true)
  exporting.setRedact(false)
  expect(exporting.isReady(), 'it is asked each time').toBe(false)
})

test('names of files are plain', () => {
  const check = (title: string, name: string) => expect(nameOf(title)).toBe(name)
  check('tidewater, first week of March', 'tidewater-first-week-of-march')
  check('../../Größe: "x"', 'gro-e-x')
  check('日本', 'session')
  check('a'.repeat(90), 'a'.repeat(60))
})

test('an export that could end its element is refused', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  expect(() => withExport(TEMPLATE, bytes('"</script>"'))).toThrow()
  expect(() => withExport('<p>', bytes('{}'))).toThrow()
})

test('a large page tells how far it is, and can be stopped', async () => {
  const { host, saved, exporting } = await opened()
  const answer = host.call
  let stop: (thrown: HostError) => void = () => undefined
  host.call = ((name: string, request: never) => {
    if (name === 'export') return new Promise((_, fail) => (stop = fail))
    if (name === 'cancel') {
      stop(new HostError('cancelled', 'the export was stopped'))
      return Promise.resolve({ stopped: true })
    }
    return answer.call(host, name as never, request)
  }) as never
  const told = { type: 'progress', session: 7, done: 3, total: 10 } as const
  exporting.hear(told)
  expect(exporting.store.get().progress, 'of something else').toBeNull()
  const saving = exporting.save()
  exporting.hear({ ...told, session: 2 })
  expect(exporting.store.get().progress, 'of another session').toBeNull()
  exporting.hear(told)
  expect(exporting.store.get().progress).toEqual({ done: 3, total: 10 })
  exporting.stop()
  expect(await saving).toBeNull()
  expect(exporting.store.get()).toMatchObject({ busy: false, progress: null, failure: null })
  expect(saved).toEqual([])
})

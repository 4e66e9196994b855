import { expect, test } from 'vitest'

import { withExport } from '../view/exportPage'
import { Exporting, nameOf, viewsOf } from './exporting'
import { HostError, type Host } from '../ipc/host'
import { ScriptedHost } from './testing'
import { Workbench } from './workbench'

const TEMPLATE = '<p><script id="export" type="application/json"></script>'

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
  return { host, saved, exporting: new Exporting(host, bench, undefined, () => Promise.resolve(TEMPLATE)) }
}

test('a page is made of the present view and the other budgets, redacted unless somebody insists', async () => {
  const { host, saved, exporting } = await opened()
  exporting.setBudgets('40k, 120k 40k')
  expect(await exporting.save()).toBe('a-log.html')
  const [, request] = host.asked.at(-1) ?? []
  expect(request).toMatchObject({ redact: true, cut: { turn: null, step: null } })
  expect((request?.views as { budget: string }[]).map((view) => view.budget)).toEqual([
    '80000',
    '40k',
    '120k',
  ])
  expect(saved).toEqual([['a-log.html', TEMPLATE.replace('json">', 'json">{"a":1}'), 'text/html']])
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

test('what is no budget is not exported', async () => {
  const { exporting } = await opened()
  for (const [typed, ready] of [
    ['', true],
    ['40k;80k', true],
    ['50%', true],
    ['forty', false],
    ['40k, x', false],
  ] as const) {
    exporting.setBudgets(typed)
    expect(exporting.isReady(), typed).toBe(ready)
  }
})

test('names of files are plain', () => {
  const check = (title: string, name: string) => expect(nameOf(title)).toBe(name)
  check('tidewater, first week of March', 'tidewater-first-week-of-march')
  check('../../Größe: "x"', 'gro-e-x')
  check('日本', 'session')
  check('a'.repeat(90), 'a'.repeat(60))
})

test('views of one budget are one', () => {
  const view = { budget: '80k', policy: 'cwl' } as never
  expect(viewsOf(view, ['80k', '1k', '1k']).map((one) => one.budget)).toEqual(['80k', '1k'])
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

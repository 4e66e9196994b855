import { expect, test } from 'vitest'

import { HostError } from '../ipc/host'
import { Admission } from './admission'
import { QuietHost } from './testing'

class Gate extends QuietHost {
  override call: QuietHost['call'] = (_name, request) => {
    const { session, annotation = null } = request as unknown as { session: string; annotation?: string }
    if (session.startsWith('//')) return Promise.reject(new HostError('refused', 'no'))
    const known = session === '0a78' && annotation === null
    return Promise.resolve({
      target: session === '0a78' ? '/known.jsonl' : session,
      known,
      marks: annotation,
    } as never)
  }
}

test.each([
  ['0a78', null, '/known.jsonl', 'nothing'],
  ['/a.jsonl', true, '/a.jsonl', 'rest, shown, hidden'],
  ['/a.jsonl', false, null, 'rest, shown, hidden'],
])('%s, answered %s', async (session, answer, opens, expected) => {
  const did: string[] = []
  const admission = new Admission(
    new Gate(),
    (on) => did.push(on ? 'shown' : 'hidden'),
    () => did.push('rest'),
  )
  const admitted = admission.of({ session, annotation: undefined })
  if (answer !== null) {
    await Promise.resolve()
    await Promise.resolve()
    expect(admission.store.get().asked).toBe(session)
    admission.answer(answer)
  }
  expect(await admitted).toBe(opens)
  expect(admission.store.get().asked).toBe(null)
  expect(did.join(', ') || 'nothing').toBe(expected)
})

test('what is refused fails', async () => {
  const admission = new Admission(
    new Gate(),
    () => undefined,
    () => undefined,
  )
  await expect(admission.of({ session: '//server/a.jsonl', annotation: undefined })).rejects.toMatchObject({
    code: 'refused',
  })
})

test('a file of marks is told with the session', async () => {
  const admission = new Admission(
    new Gate(),
    () => undefined,
    () => undefined,
  )
  const admitted = admission.of({ session: '0a78', annotation: '/marks.json' })
  await Promise.resolve()
  await Promise.resolve()
  expect(admission.store.get()).toEqual({ asked: '/known.jsonl', marks: '/marks.json' })
  admission.answer(true)
  expect(await admitted).toBe('/known.jsonl')
  expect(admission.store.get().marks).toBe(null)
})

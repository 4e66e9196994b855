import { expect, test } from 'vitest'

import { HostError, bytesOf, hostErrorOf } from '../ipc/host'
import { codeOf, failureText } from './table'

test.each(['unknownFormat', 'UnknownFormat', 'unknown-format', 'unknown_format'])('%s is one code', (code) =>
  expect(codeOf(code)).toBe('unknown_format'),
)

test.each([
  'missing',
  'unreadable',
  'notAFile',
  'empty',
  'binary',
  'unknownFormat',
  'unknownSession',
  'ambiguous',
  'store',
  'internal',
  'noAccess',
  'unreachable',
  'brandNew',
])('%s has a title, advice and a way out', (code) => {
  const { title, advice, actions } = failureText(new HostError(code, 'x'))
  expect(title.length).toBeGreaterThan(8)
  expect(advice).toMatch(/\.$/)
  expect(actions.length).toBeGreaterThan(0)
})

test('whatever a transport rejects with becomes an error that can be shown', () => {
  expect(hostErrorOf({ code: 'empty', message: 'nothing in it', hint: 'wait', path: '/a' })).toMatchObject({
    code: 'empty',
    message: 'nothing in it',
    hint: 'wait',
    path: '/a',
  })
  expect(hostErrorOf('{"code":"binary","message":"m","hint":null,"path":null}').code).toBe('binary')
  for (const odd of ['{', 'plain', null, undefined, 7, {}, { message: { a: 1 } }]) {
    expect(hostErrorOf(odd)).toBeInstanceOf(HostError)
  }
})

test('bytes are bytes in any of their forms', () => {
  const wanted = new Uint8Array([1, 2])
  for (const form of [wanted, wanted.buffer, [1, 2]]) expect(bytesOf(form)).toEqual(wanted)
  expect(() => bytesOf('12')).toThrow()
})

test('an option of the command line is no advice in the window', () => {
  const hint = 'force its format: pi'
  expect(failureText(new HostError('unknown_format', 'x', hint)).advice).not.toMatch(/^Force its format/)
  expect(failureText(new HostError('empty', 'x', hint)).advice).toBe('Force its format: pi.')
})

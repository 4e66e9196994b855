import { expect, test } from 'vitest'

import type { BlockAnswer } from '../ipc/generated/BlockAnswer'
import type { Host } from '../ipc/host'
import { createStore } from './store'
import { Texts } from './texts'
import type { Question } from './workbench'

const place = (block: string) => ({ session: 1, branch: null, block })

function texts(answer: (block: string) => BlockAnswer) {
  const asked: string[] = []
  const call = async (_: string, request: unknown) => {
    const { block } = request as { block: string }
    asked.push(block)
    return answer(block)
  }
  const asking = { store: createStore<{ question: Question | null }>({ question: null }) }
  return { asked, texts: new Texts({ call } as unknown as Pick<Host, 'call'>, asking) }
}

const block = (block: string, n = 1): BlockAnswer => ({ block, text: 'x'.repeat(n), raw: '', line: 1 })

test('a text is fetched once, and again after everything was forgotten', async () => {
  const { asked, texts: held } = texts((name) => block(name))
  await Promise.all([held.get(place('a')), held.get(place('a'))])
  await held.get(place('b'))
  expect(asked).toEqual(['a', 'b'])
  held.clear()
  await held.get(place('a'))
  expect(asked).toEqual(['a', 'b', 'a'])
})

test('memory stays bounded: what was not asked for lately is forgotten first', async () => {
  const { asked, texts: held } = texts((name) => block(name, 3_000_000))
  for (const name of ['a', 'b', 'a', 'c']) await held.get(place(name))
  expect(asked).toEqual(['a', 'b', 'c'])
  await held.get(place('a'))
  expect(asked).toEqual(['a', 'b', 'c'])
  await held.get(place('b'))
  expect(asked).toEqual(['a', 'b', 'c', 'b'])
})

test('what failed is asked for again', async () => {
  let broken = true
  const { texts: held } = texts((name) => {
    if (broken) throw new Error('restarted')
    return block(name)
  })
  await expect(held.get(place('a'))).rejects.toThrow('restarted')
  broken = false
  expect((await held.get(place('a'))).block).toBe('a')
})

import { expect, test } from 'vitest'

import { Exchange, Refusal, type EngineExports } from './exchange'

/** An engine that answers with its input, and moves its memory whenever room is reserved. */
class EchoEngine implements EngineExports {
  memory = { buffer: new ArrayBuffer(64) }
  private length = 0
  private answer: Uint8Array = new Uint8Array()

  constructor(readonly form: number) {}

  reserve_input(length: number) {
    this.memory.buffer = new ArrayBuffer(64)
    this.length = length
    return 8
  }
  answer_place() {
    new Uint8Array(this.memory.buffer, 16, this.answer.length).set(this.answer)
    return 16
  }
  answer_length = () => this.answer.length
  begin_log = () => this.echo()
  feed_log = () => this.echo()
  finish_log = () => this.echo()
  open_session = () => this.echo()
  call_command = (nameLength: number) => {
    this.echo()
    this.answer = Uint8Array.of(nameLength, ...this.answer)
    return this.form
  }

  private echo(): number {
    this.answer = new Uint8Array(this.memory.buffer, 8, this.length).slice()
    return this.form
  }
}

test('a command goes in with its arguments, and its answer comes out in its form', () => {
  const text = new Exchange(new EchoEngine(0)).call('é', '{}')
  expect(text, 'two bytes of the name').toBe('\u0002é{}')
  const bytes = new Exchange(new EchoEngine(1)).call('a', '[]')
  expect(bytes).toEqual(new TextEncoder().encode('\u0001a[]'))
  expect(() => new Exchange(new EchoEngine(2)).call('a', '[]')).toThrow(new Refusal('\u0001a[]'))
})

test('an answer stays as it is when the next one comes', () => {
  const exchange = new Exchange(new EchoEngine(1))
  const first = exchange.call('a', '1')
  exchange.call('a', '2')
  expect(first).toEqual(new TextEncoder().encode('\u0001a1'))
})

test('a log that is refused ends at the piece that is', () => {
  const exchange = new Exchange(new EchoEngine(2))
  expect(() => exchange.begin('a.jsonl')).toThrow(new Refusal('a.jsonl'))
  expect(() => exchange.feed(Uint8Array.of(65))).toThrow(new Refusal('A'))
})

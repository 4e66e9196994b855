import { expect, test } from 'vitest'

import { HostError } from '../ipc/host'
import { Glances } from './glances'
import { QuietHost } from './testing'

class Lines extends QuietHost {
  asked: string[] = []
  most = 0
  private underway = 0
  override call: QuietHost['call'] = async (_name, request) => {
    const { target } = request as unknown as { target: string }
    this.asked.push(target)
    this.underway += 1
    this.most = Math.max(this.most, this.underway)
    await Promise.resolve()
    this.underway -= 1
    if (target === '/bad') throw new HostError('unreadable', 'not readable')
    return { says: `line of ${target}`, marks: [] } as never
  }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0))

test('lines are asked for one after the other, each once a look', async () => {
  const host = new Lines()
  const glances = new Glances(host)
  glances.want(['/a', '/bad'])
  glances.want(['/a', '/bad', '/b'])
  await settled()
  expect([...host.asked].sort()).toEqual(['/a', '/b', '/bad'])
  expect(host.most).toBe(1)
  const says = (path: string) => glances.store.get().lines.get(path)?.says
  expect([says('/a'), says('/bad'), says('/b')]).toEqual(['line of /a', 'not readable', 'line of /b'])
  glances.want(['/a'])
  await settled()
  expect(host.asked.length).toBe(3)
  glances.again()
  glances.want(['/a'])
  await settled()
  expect(host.asked.length).toBe(4)
})

test('sessions that are not wanted any more are not read', async () => {
  const host = new Lines()
  const glances = new Glances(host)
  glances.want(['/a', '/b', '/c'])
  glances.want(['/d'])
  await settled()
  expect(host.asked).toEqual(['/a', '/d'])
})

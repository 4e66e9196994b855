import type { Host } from '../host'
export function fakeHost(_wanted: string): Host {
  throw new Error('todo')
}

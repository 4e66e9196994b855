import { windowHost } from './client'
import type { Host } from './host'

/** The host of this page. A page of the development server may ask for an invented one by `?fake`. */
export async function chooseHost(): Promise<Host> {
  if (import.meta.env.DEV) {
    const wanted = new URLSearchParams(location.search).get('fake')
    if (wanted !== null) return (await import('./fake/host')).fakeHost(wanted)
  }
  return windowHost
}

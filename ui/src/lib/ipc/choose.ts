import { windowHost } from './client'
import type { Host } from './host'

/** The host of this page. A page of the development server may ask for one behind HTTP by `?host=URL`. */
export async function chooseHost(): Promise<Host> {
  if (import.meta.env.DEV) {
    const base = new URLSearchParams(location.search).get('host')
    if (base !== null) return (await import('./http')).httpHost(base)
  }
  return windowHost
}

import { windowHost } from './client'
import type { Host } from './host'
import { httpHost, takeToken } from './http'

/** The parts of the browser's window that tell which host the page has. */
export interface Surroundings {
  location: { protocol: string }
  /** There in a Tauri window, before any script runs, whatever the page is loaded from. */
  __TAURI_INTERNALS__?: unknown
}

/** Tells whether a page was loaded from `cwl serve`: over HTTP, and in no window of our own. */
export const isServed = (around: Surroundings): boolean =>
  around.__TAURI_INTERNALS__ === undefined && /^https?:$/.test(around.location.protocol)

/** The host of this page. */
export function chooseHost(): Host {
  return isServed(window) ? httpHost(takeToken(window)) : windowHost
}

/** What the page asks of the worker. */
export type Wish =
  | { wish: 'start'; module: ArrayBuffer }
  | { wish: 'open'; id: number; name: string; log: Blob }
  | { wish: 'call'; id: number; name: string; args: string }
  | { wish: 'stop' }

/** What the worker tells: answers, errors of the host as JSON, and how far a log is read. */
export type Word =
  | { word: 'answer'; id: number; answer: string | Uint8Array }
  | { word: 'error'; id: number; error: string }
  | { word: 'progress'; done: number; total: number }

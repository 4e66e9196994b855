/** Bytes as an exported page holds them: gzip in base64. */
export type Packed = string

/** A question of the page to its worker. */
export type EngineRequest =
  | { type: 'start'; module: ArrayBuffer | Packed }
  | { type: 'open'; id: number; name: string; log: Blob }
  | { type: 'session'; id: number; data: Packed }
  | { type: 'call'; id: number; name: string; args: string }
  | { type: 'stop' }

/** A message of the worker: answers, errors of the host as JSON, and how far a log is read. */
export type EngineReply =
  | { type: 'answer'; id: number; answer: string | Uint8Array }
  | { type: 'error'; id: number; error: string }
  | { type: 'progress'; done: number; total: number }

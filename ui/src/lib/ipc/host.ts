import type { Ability, PageExport } from './abilities'
import { readColumns } from './columns'
import { IN_BYTES, IN_COLUMNS, type CommandName, type Commands } from './commands'
import type { Drop } from './drops'
import type { Push } from './generated/Push'

/** The one door to the engine. A window and a page in a browser differ only in which host they are given. */
export interface Host {
  /** Asks a command; rejects with a `HostError`. */
  call<N extends CommandName>(name: N, request: Commands[N]['request']): Promise<Commands[N]['response']>
  /** Hears what the host says without being asked. */
  subscribe(hear: (push: Push) => void): void
  /** Hears of files that are dragged over the window and dropped on it. To be called before `subscribe`. */
  onDrop(hear: (drop: Drop) => void): void
  /** True where the host has a file dialog of its own. */
  readonly picksFiles: boolean
  /** Lets the user choose a log, or a folder; `null` when there is no dialog or nothing was chosen. */
  pickFile(folder?: boolean): Promise<string | null>
  /** The link that leads to a place in the window, from its query; opening it anywhere on this machine goes there. */
  linkTo(query: string): string
  /**
   * Lets the user keep a file that the page made; `name` is what it is called unless the user says otherwise. Answers
   * where it is, or `null` when the user thought better of it.
   */
  saveFile(name: string, bytes: Uint8Array, mime: string): Promise<string | null>
  /**
   * Opens the log of a session at a line in the user's editor; `false` where the user named none. A host without this
   * starts no editor.
   */
  editLine?(session: number, line: number): Promise<boolean>
  /** Says on the host's error output what went wrong in the ui. */
  report(message: string): void
  /** Tells whether the host can do something. A host without this can do everything. */
  can?(ability: Ability): boolean
  /** The facts that the page tells about itself, if a person made it to give a session away. */
  readonly exported?: PageExport
}

/** An error of a host: one line, and the way out. */
export class HostError extends Error {
  readonly code: string
  readonly hint: string | null
  readonly path: string | null

  constructor(code: string, message: string, hint: string | null = null, path: string | null = null) {
    super(message)
    this.name = 'HostError'
    this.code = code
    this.hint = hint
    this.path = path
  }
}

/** Reads whatever a transport rejected with: an object of the host, its JSON, or a plain text. */
export function hostErrorOf(thrown: unknown): HostError {
  if (thrown instanceof HostError) return thrown
  let value = thrown
  if (typeof value === 'string' && value.startsWith('{')) {
    try {
      value = JSON.parse(value)
    } catch {
      // a text that only looks like JSON is shown as it is
    }
  }
  if (typeof value === 'object' && value !== null && 'message' in value) {
    const { code, message, hint, path } = value as Record<string, unknown>
    return new HostError(
      typeof code === 'string' ? code : 'unknown',
      String(message),
      typeof hint === 'string' && hint !== '' ? hint : null,
      typeof path === 'string' && path !== '' ? path : null,
    )
  }
  return new HostError('unknown', String(value))
}

/** True where a transport is given bytes: they are the answer, or hold it in columns. */
export const isRaw = (name: CommandName): boolean => IN_BYTES.includes(name) || IN_COLUMNS.includes(name)

/** Reads the bytes of a command for which `isRaw` holds; `read` reads columns. */
export function answerOf<N extends CommandName>(
  name: N,
  bytes: Uint8Array,
  read: (bytes: Uint8Array) => unknown = readColumns,
): Commands[N]['response'] {
  return (IN_COLUMNS.includes(name) ? read(bytes) : bytes) as Commands[N]['response']
}

/** Bytes, in whichever of its forms a transport gives them. */
export function bytesOf(answer: unknown): Uint8Array {
  if (answer instanceof Uint8Array) return answer
  if (answer instanceof ArrayBuffer) return new Uint8Array(answer)
  if (Array.isArray(answer)) return Uint8Array.from(answer as number[])
  throw new HostError('unknown', 'the host answered no bytes')
}

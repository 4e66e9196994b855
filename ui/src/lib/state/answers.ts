import type { CutDto } from '../ipc/generated/CutDto'
import type { ViewDto } from '../ipc/generated/ViewDto'
import type { Host } from '../ipc/host'
import { newest } from './newest'
import type { Bench } from './workbench'

/** What the host answers about a view and a cut, for graph, timeline and stepper. */
export const PARTS = ['graph', 'replay', 'levels', 'left', 'steps'] as const
export type Part = (typeof PARTS)[number]

/** The answers, as the bench holds them. */
export type Answers = { [P in Part]: NonNullable<Bench[P]> }

/** Asks some parts at once. */
export async function askParts<P extends Part>(
  host: Pick<Host, 'call'>,
  parts: readonly P[],
  session: number,
  view: ViewDto,
  cut: CutDto,
): Promise<Pick<Answers, P>> {
  const request = { session, view, cut, turn: cut.turn } as never
  const found = await Promise.all(
    parts.map(async (part) => {
      const answer = await host.call(part, request)
      return [part, part === 'left' ? wordsOf(answer as Uint8Array) : answer] as const
    }),
  )
  return Object.fromEntries(found) as Pick<Answers, P>
}

/**
 * Keeps the parts of the bench in step with its view and cut. While one question is underway, what else went stale is
 * gathered for the next one; the answers of a question come in together, so that a move of τ is one picture.
 */
export class Refresher {
  private readonly stale = new Set<Part>()
  private readonly ask

  constructor(
    host: Pick<Host, 'call'>,
    bench: () => Bench,
    apply: (answers: Partial<Answers>) => void,
    fail: (thrown: unknown) => void,
  ) {
    this.ask = newest(
      async () => {
        const { session, view, cut } = bench()
        const parts = [...this.stale]
        this.stale.clear()
        try {
          return await askParts(host, parts, session?.session ?? 0, view, cut)
        } catch (thrown) {
          // What has no answer is asked for again with the next question.
          for (const part of parts) this.stale.add(part)
          throw thrown
        }
      },
      apply,
      fail,
    )
  }

  /** These parts are not of the present view or cut any more. */
  refresh(...parts: readonly Part[]): void {
    for (const part of parts) this.stale.add(part)
    this.ask(null)
  }

  forget(): void {
    this.stale.clear()
    this.ask.forget()
  }
}

/** Numbers of four bytes, the low one first. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Uint32Array.from({ length: bytes.byteLength >> 2 }, (_, at) => view.getUint32(at * 4, true))
}

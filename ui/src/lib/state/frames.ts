import type { BandsBy } from '../ipc/generated/BandsBy'
import type { ViewCut } from '../ipc/generated/ViewCut'
import type { FrameAnswer } from '../ipc/generated/FrameAnswer'
import type { HeldFrameParts } from '../ipc/generated/HeldFrameParts'
import type { ViewSettings } from '../ipc/generated/ViewSettings'
import type { Host, HostError } from '../ipc/host'
import { Memo } from './memo'
import type { Bench } from './workbench'

/** The parts of the bench that a frame brings; those that the page holds already are not among them. */
export type Frame = Partial<Pick<Bench, 'graph' | 'history' | 'replay'>> &
  Pick<Bench, 'levels' | 'left' | 'steps'>

/** From what is held least to what is held most. */
const HELD: readonly HeldFrameParts[] = ['nothing', 'graph', 'replay']

/** Asks for a frame, apart from what is held of it. */
export async function askFrame(
  host: Pick<Host, 'call'>,
  session: number,
  { view, cut, bands }: { view: ViewSettings; cut: ViewCut; bands: BandsBy },
  held: HeldFrameParts,
): Promise<Frame> {
  return frameOf(await host.call('frame', { session, view, cut, held, bands }))
}

function frameOf({ graph, history, replay, levels, left, steps }: FrameAnswer): Frame {
  return {
    ...(graph && { graph }),
    ...(history && { history }),
    ...(replay && { replay }),
    levels,
    left,
    steps,
  }
}

/**
 * Keeps the bench in step with its view and cut. While one question is underway, what else is held no more is gathered
 * for the next one.
 */
export class Frames {
  private held: HeldFrameParts = 'replay'
  private readonly memo: Memo<object, Frame>

  constructor(
    host: Pick<Host, 'call'>,
    bench: () => Bench,
    apply: (frame: Frame) => void,
    fail: (failure: HostError) => void,
  ) {
    this.memo = new Memo({
      ask: async () => {
        const { session, ...asked } = bench()
        const { held } = this
        this.held = 'replay'
        try {
          return await askFrame(host, session?.session ?? 0, asked, held)
        } catch (thrown) {
          // The next question asks for what this one did not get.
          this.held = least(this.held, held)
          throw thrown
        }
      },
      took: apply,
      failed: fail,
    })
  }

  /** Asks for the frame at the present view and cut, of which no more than this is still right. */
  refresh(held: HeldFrameParts): void {
    this.held = least(this.held, held)
    this.memo.want({})
  }

  forget(): void {
    this.held = 'replay'
    this.memo.forget()
  }
}

const least = (a: HeldFrameParts, b: HeldFrameParts): HeldFrameParts =>
  HELD.indexOf(a) < HELD.indexOf(b) ? a : b

import { hostErrorOf } from '../ipc/host'
import { text } from '../text'
import type { SaidOnce } from './said'

/** Puts texts where other programs get them, and says what became of it. */
export class Clipboard {
  private readonly said: SaidOnce
  private readonly write: (copied: Promise<string>) => Promise<void>

  constructor(said: SaidOnce, write = writeWhenThere) {
    this.said = said
    this.write = write
  }

  /**
   * Copies a text that may still be on its way, and says `say` of it; false when that failed. Called while the key or
   * the pointer is handled: an engine lets a page write only then.
   */
  async put(copied: string | Promise<string>, say: (copied: string) => string): Promise<boolean> {
    const there = Promise.resolve(copied)
    try {
      // Why there is no text is said rather than that there is none to write.
      const [whole] = await Promise.all([there, this.write(there)])
      this.said.say(say(whole))
      return true
    } catch (thrown) {
      this.said.say(text.toast.notCopied(hostErrorOf(thrown).message))
      return false
    }
  }
}

/** Asks to write at once and gives the text later: what is fetched first is no longer part of the key press. */
async function writeWhenThere(copied: Promise<string>): Promise<void> {
  const part = copied.then((whole) => new Blob([whole], { type: 'text/plain' }))
  // Without a clipboard the answer is not awaited.
  part.catch(() => undefined)
  await navigator.clipboard.write([new ClipboardItem({ 'text/plain': part })])
}

import { pngOf, svgOf } from '../canvas/paper'
import type { Picture } from '../canvas/picture'
import { hostErrorOf, type Host } from '../ipc/host'
import { text } from '../text'
import { createStore } from './store'

export const PICTURE_KINDS = ['svg', 'png'] as const
export type PictureKind = (typeof PICTURE_KINDS)[number]

const MIME: Record<PictureKind, string> = { svg: 'image/svg+xml', png: 'image/png' }

/** Gives the content of a picture: the graph does, while it is on the screen. */
type Source = () => { name: string; picture: Picture } | null

/** Keeps a file, and says where it is. */
interface Saver {
  host: Pick<Host, 'saveFile'>
  said: { say(words: string): void }
}

/** Saving the graph and the timeline as a picture. */
export class Pictures {
  readonly store = createStore({ busy: false })
  private source: Source | null = null

  /** The graph is on the screen; answers how to take that back. */
  show(source: Source): () => void {
    this.source = source
    return () => {
      if (this.source === source) this.source = null
    }
  }

  /** True while there is something to save. */
  get ready(): boolean {
    return this.source !== null
  }

  /** Makes the picture and lets the user keep it. */
  async save(app: Saver, kind: PictureKind): Promise<void> {
    const made = this.source?.() ?? null
    if (!made || this.store.get().busy) return
    this.store.set({ busy: true })
    try {
      const bytes = await bytesOf(kind, made.picture)
      const saved = await app.host.saveFile(`${made.name}.${kind}`, bytes, MIME[kind])
      if (saved !== null) app.said.say(text.picture.saved(saved))
    } catch (thrown) {
      const { message, hint } = hostErrorOf(thrown)
      app.said.say(text.picture.failed([message, hint].filter(Boolean).join('; ')))
    }
    this.store.set({ busy: false })
  }
}

async function bytesOf(kind: PictureKind, picture: Picture): Promise<Uint8Array> {
  if (kind === 'png') return pngOf(picture)
  const { FONT_RULE } = await import('../canvas/fonts')
  return new TextEncoder().encode(svgOf(picture, FONT_RULE))
}

export const pictures = new Pictures()

/** A name for a file out of a title: `Fix the retry!` as `fix-the-retry`. */
export function fileName(title: string, ...more: string[]): string {
  const plain = (part: string) =>
    part
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 60)
  return [title, ...more].map(plain).filter(Boolean).join('-') || 'session'
}

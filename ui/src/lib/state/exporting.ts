import type { Push } from '../ipc/generated/Push'
import { hostErrorOf, type Host, type HostError } from '../ipc/host'
import { withExport } from '../view/exportPage'
import { createStore } from './store'
import type { Workbench } from './workbench'

/** Loads the template on the first export only, because it is large. */
const templateOf = async () => (await import('virtual:export-page')).default

/** Makes one HTML file of the session, as it is looked at now. */
export class Exporting {
  readonly store = createStore<{
    redact: boolean
    /** True when the user has confirmed that nothing is to be redacted. */
    known: boolean
    busy: boolean
    /** How far a large page is; `null` while nothing is told. */
    progress: { done: number; total: number } | null
    failure: HostError | null
  }>({ redact: true, known: false, busy: false, progress: null, failure: null })
  private readonly host: Host
  private readonly bench: Workbench
  private readonly template: () => Promise<string>

  constructor(host: Host, bench: Workbench, template = templateOf) {
    this.host = host
    this.bench = bench
    this.template = template
  }

  setRedact(redact: boolean): void {
    this.store.set({ redact, known: false })
  }

  setKnown(known: boolean): void {
    this.store.set({ known })
  }

  /** True when the page can be made. */
  isReady(): boolean {
    const { redact, known, busy } = this.store.get()
    return !busy && (redact || known)
  }

  /** Takes what the host says without being asked. */
  hear(push: Push): void {
    if (push.type !== 'progress' || push.session !== this.bench.bench.session?.session) return
    const { done, total } = push
    if (this.store.get().busy) this.store.set({ progress: { done, total } })
  }

  /** Gives up the page that is being made. */
  stop(): void {
    const session = this.bench.bench.session?.session
    if (session === undefined || !this.store.get().busy) return
    this.host.call('cancel', { session }).catch((thrown: unknown) => {
      this.store.set({ failure: hostErrorOf(thrown) })
    })
  }

  /** Makes the file and lets the user keep it; answers where it is, or `null`. */
  async save(): Promise<string | null> {
    const { session, view, cut } = this.bench.bench
    const { redact } = this.store.get()
    if (!session || !this.isReady()) return null
    this.store.set({ busy: true, progress: null, failure: null })
    try {
      const [template, exported] = await Promise.all([
        this.template(),
        this.host.call('export', { session: session.session, view, cut, redact }),
      ])
      const page = withExport(template, exported)
      return await this.host.saveFile(`${nameOf(session.title)}.html`, page, 'text/html')
    } catch (thrown) {
      const failure = hostErrorOf(thrown)
      // The user who stopped it knows.
      if (failure.code !== 'cancelled') this.store.set({ failure })
      return null
    } finally {
      this.store.set({ busy: false, progress: null })
    }
  }
}

/** A name for a file, from what people call the session. */
export function nameOf(title: string): string {
  const plain = title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
  return (
    plain
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 60)
      .replace(/-+$/, '') || 'session'
  )
}

import type { PushDto } from '../ipc/generated/PushDto'
import type { ViewDto } from '../ipc/generated/ViewDto'
import { hostErrorOf, type Host, type HostError } from '../ipc/host'
import { isBudget } from '../view/budget'
import { withExport } from '../view/exportPage'
import { createStore } from './store'
import type { Workbench } from './workbench'

/** Loads the template on the first export only, because it is large. */
const templateOf = async () => (await import('virtual:export-page')).default

/** Makes one HTML file of the session, as it is looked at now. */
export class Exporting {
  readonly store = createStore<{
    /** Budgets that the page can choose from besides the present one, as they are typed. */
    budgets: string
    redact: boolean
    /** True when the user has confirmed that nothing is to be redacted. */
    known: boolean
    busy: boolean
    /** How far a large page is; `null` while nothing is told. */
    progress: { done: number; total: number } | null
    failure: HostError | null
  }>({ budgets: '', redact: true, known: false, busy: false, progress: null, failure: null })
  private readonly host: Host
  private readonly bench: Workbench
  private readonly template: () => Promise<string>
  private readonly beside: (view: ViewDto) => ViewDto[]

  /** `beside` returns the views that a view is compared with. */
  constructor(
    host: Host,
    bench: Workbench,
    beside: (view: ViewDto) => ViewDto[] = () => [],
    template = templateOf,
  ) {
    this.host = host
    this.bench = bench
    this.beside = beside
    this.template = template
  }

  setBudgets(budgets: string): void {
    this.store.set({ budgets, failure: null })
  }

  setRedact(redact: boolean): void {
    this.store.set({ redact, known: false })
  }

  setKnown(known: boolean): void {
    this.store.set({ known })
  }

  /** True when what was typed can be exported. */
  isReady(): boolean {
    const { redact, known, busy, budgets } = this.store.get()
    return !busy && (redact || known) && typedBudgets(budgets).every(isBudget)
  }

  /** Takes what the host says without being asked. */
  hear(push: PushDto): void {
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
    const { budgets, redact } = this.store.get()
    if (!session || !this.isReady()) return null
    this.store.set({ busy: true, progress: null, failure: null })
    try {
      const views = viewsOf(view, typedBudgets(budgets))
      const [template, exported] = await Promise.all([
        this.template(),
        this.host.call('export', {
          session: session.session,
          views,
          cut,
          redact,
          compared: views.map((one) => this.beside(one)),
        }),
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

const typedBudgets = (typed: string): string[] => typed.split(/[\s,;]+/).filter((budget) => budget !== '')

/** The view that is looked at, and the same with each other budget. */
export function viewsOf(view: ViewDto, budgets: readonly string[]): ViewDto[] {
  const others = [...new Set(budgets)].filter((budget) => budget !== view.budget)
  return [view, ...others.map((budget) => ({ ...view, budget }))]
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

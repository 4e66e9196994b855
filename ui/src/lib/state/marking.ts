import type { CompareColumn } from '../ipc/generated/CompareColumn'
import type { MarkEdit } from '../ipc/generated/MarkEdit'
import type { GraphAnswer } from '../ipc/generated/GraphAnswer'
import type { MarksEffectAnswer } from '../ipc/generated/MarksEffectAnswer'
import type { MarksFile } from '../ipc/generated/MarksFile'
import type { OverlayRow } from '../ipc/generated/OverlayRow'
import type { Push } from '../ipc/generated/Push'
import type { ViewSettings } from '../ipc/generated/ViewSettings'
import { can } from '../ipc/abilities'
import { hostErrorOf, type Host, type HostError } from '../ipc/host'
import { text } from '../text'
import { isKept } from '../view/annotation'
import { USUAL_CACHE } from './comparison'
import { nameOf } from './exporting'
import { Memo, until } from './memo'
import { onQuestion } from './question'
import { createStore } from './store'
import type { Undo } from './undo'
import type { Question, Workbench } from './workbench'

/** The last change of marks in this window. */
export interface MarksChange {
  session: number
  /** The annotation that was looked at before, as in a view. */
  shown: string
  before: MarksFile
  after: MarksFile
  /** The differences, as sentences. */
  changes: string[]
  /** The name under which the marks after are kept. */
  name: string
}

/** One column of the card of before and after. */
export interface Effect {
  label: 'base' | 'before' | 'now'
  /** The annotation that the marks were changed from, of the column `base`. */
  name: string
  column: CompareColumn
}

/** Changes the marks of the open session: edits are made by the host, kept under a name, and can be taken back. */
export class Marking {
  readonly store = createStore<{
    /** True while episodes can be changed in the graph and in the inspector. */
    on: boolean
    busy: boolean
    failure: HostError | null
    /** The marks of the session that are kept. */
    overlays: readonly OverlayRow[]
    last: MarksChange | null
  }>({ on: false, busy: false, failure: null, overlays: [], last: null })
  private readonly host: Host
  private readonly bench: Workbench
  private readonly undo: Undo
  private readonly list: Memo<number, OverlayRow[]>
  private readonly sayings: Memo<
    { question: Question; view: ViewSettings; before: string },
    MarksEffectAnswer
  >
  private readonly memo: Memo<
    { question: Question; views: [Effect['label'], string, ViewSettings][] },
    Effect[]
  >

  constructor(host: Host, bench: Workbench, undo: Undo) {
    this.host = host
    this.bench = bench
    this.undo = undo
    this.list = new Memo({
      ask: async (session: number) => (await host.call('overlays', { session })).overlays,
      key: (session) => [session],
      took: (overlays) => this.store.set({ overlays }),
      failed: () => this.store.set({ overlays: [] }),
    })
    this.memo = new Memo({
      ask: async ({ question: { session, cut }, views }) => {
        const asked = views.map(([, , view]) => view)
        const { columns } = await host.call('compare', { session, views: asked, cut, cache: USUAL_CACHE })
        return views.flatMap(([label, name], at) => {
          const column = columns[at]
          return column ? [{ label, name, column }] : []
        })
      },
      key: ({ question, views }) => [question, JSON.stringify(views)],
      restMs: 150,
    })
    this.sayings = new Memo({
      ask: ({ question: { session }, view, before }) => host.call('marks_effect', { session, view, before }),
      key: ({ question, view, before }) => [
        question.session,
        question.revision,
        JSON.stringify(view),
        before,
      ],
      restMs: 150,
    })
    onQuestion(bench, (question, other) => {
      if (other) {
        this.store.set({ last: null, failure: null, overlays: [] })
        this.memo.forget()
        this.sayings.forget()
      }
      if (question && can(host, 'overlays')) this.list.want(question.session)
      this.weigh()
    })
  }

  /** The figures before and after the last change. */
  get effect() {
    return this.memo.store
  }

  /** The words about the last change. */
  get told() {
    return this.sayings.store
  }

  /** Tells whether the marks of the session that is open can be changed. */
  get isPossible(): boolean {
    return can(this.host, 'edit_marks') && this.bench.bench.phase === 'open'
  }

  setOn(on: boolean): void {
    this.store.set({ on: on && this.isPossible, failure: null })
  }

  /** Takes what the host says without being asked. */
  hear(push: Push): void {
    const { session, view } = this.bench.bench
    if (push.type !== 'marks' || push.session !== session?.session) return
    this.list.again()
    if (isKept(view.annotation)) this.bench.again()
  }

  /** Makes changes of the marks that are shown, keeps them, and shows them; answers whether it could. */
  async edit(edits: MarkEdit[]): Promise<boolean> {
    if (!this.isPossible || this.store.get().busy) return false
    this.store.set({ busy: true, failure: null })
    try {
      return await this.undo.doing(async () => {
        const { session, view } = this.bench.bench
        if (!session) return null
        const asked = { session: session.session, view, edits }
        const { before, after, changes, name, touched } = await this.host.call('edit_marks', asked)
        const change = { session: session.session, shown: view.annotation, before, after, changes, name }
        const show = () => this.show(change, touched[0] ?? null)
        await show()
        return { what: text.marks.did(changes), undo: () => this.takeBack(change), redo: show }
      })
    } catch (thrown) {
      this.store.set({ failure: hostErrorOf(thrown) })
      return false
    } finally {
      this.store.set({ busy: false })
    }
  }

  /** Keeps marks that stand in a file under a name, and shows them; answers whether it could. */
  async take(name: string, json: string): Promise<boolean> {
    const { session } = this.bench.bench
    if (!session) return false
    this.store.set({ failure: null })
    try {
      const asked = { session: session.session, name, json, fresh: true }
      const saved = await this.host.call('save_marks', asked)
      this.bench.setView({ annotation: saved.name })
      return true
    } catch (thrown) {
      this.store.set({ failure: hostErrorOf(thrown) })
      return false
    }
  }

  /** Keeps the marks that are shown under another name as well, and shows them under it. */
  async copyAs(name: string): Promise<boolean> {
    const marks = await this.shown()
    return marks !== null && this.take(name, JSON.stringify(marks))
  }

  /** Returns the marks that are shown, in the form of a file. */
  async shown(): Promise<MarksFile | null> {
    const { session, view } = this.bench.bench
    if (!session) return null
    try {
      return (await this.host.call('edit_marks', { session: session.session, view, edits: [] })).after
    } catch (thrown) {
      this.store.set({ failure: hostErrorOf(thrown) })
      return null
    }
  }

  /** Lets the user keep the marks that are shown as a file; answers where it is. */
  async saveFile(): Promise<string | null> {
    const marks = await this.shown()
    if (marks === null) return null
    const bytes = new TextEncoder().encode(`${JSON.stringify(marks, null, 2)}\n`)
    return this.host.saveFile('marks.json', bytes, 'application/json')
  }

  /** Lets the user keep a page of before and after; answers where it is. */
  async report(): Promise<string | null> {
    const { session, view } = this.bench.bench
    if (!session) return null
    const bytes = await this.host.call('marks_report', { session: session.session, view, before: null })
    return this.host.saveFile(`${nameOf(session.title)}-marks.html`, bytes, 'text/html')
  }

  /** Removes marks that are kept. */
  async remove(name: string): Promise<void> {
    const { session, view } = this.bench.bench
    if (!session) return
    const number = session.session
    const { json } = await this.host.call('marks_json', { session: number, name })
    const gone = async () => {
      await this.host.call('remove_marks', { session: number, name })
      if (this.bench.bench.view.annotation === name) this.bench.setView({ annotation: 'auto' })
    }
    await gone()
    this.undo.did({
      what: text.marks.removed(name),
      undo: async () => {
        await this.host.call('save_marks', { session: number, name, json, fresh: true })
        if (this.isOpen(number)) this.bench.setView({ annotation: view.annotation })
      },
      redo: gone,
    })
  }

  /** Shows the marks after a change, and selects the episode that it was about. */
  private async show(change: MarksChange, touched: string | null): Promise<void> {
    const { session, name, after } = change
    const { graph } = this.bench.bench
    await this.host.call('save_marks', { session, name, json: JSON.stringify(after), fresh: false })
    if (!this.isOpen(session)) return
    this.store.set({ last: change })
    await this.reshow(name, touched, graph)
  }

  private async takeBack(change: MarksChange): Promise<void> {
    const { session, shown, name, before } = change
    const { graph } = this.bench.bench
    if (shown === name) {
      await this.host.call('save_marks', { session, name, json: JSON.stringify(before), fresh: false })
    }
    if (this.isOpen(session)) {
      this.store.set({ last: null })
      await this.reshow(shown, null, graph)
    }
    // Only now, so that nothing asks for marks that are gone.
    if (shown !== name) await this.host.call('remove_marks', { session, name })
  }

  /**
   * Shows an annotation, and the episode of a name once it is there. Marks that are shown already are asked for again
   * by the push that tells of every save (`hear`); `before` is the graph from before the save.
   */
  private async reshow(
    annotation: string,
    touched: string | null,
    before: GraphAnswer | null,
  ): Promise<void> {
    const { view, selected } = this.bench.bench
    const name = touched ?? (selected === null ? null : before?.episodes[selected]?.name)
    if (view.annotation !== annotation) this.bench.setView({ annotation })
    await until([this.bench.store], () => {
      const now = this.bench.bench
      return now.graph !== before || now.viewFailure !== null || now.phase !== 'open' ? true : undefined
    })
    const idx = this.bench.bench.graph?.episodes.findIndex((episode) => episode.name === name) ?? -1
    if (selected !== null) this.bench.select(idx < 0 ? null : idx)
  }

  private isOpen(session: number): boolean {
    return this.bench.bench.session?.session === session
  }

  /** Asks for the figures before and after the last change, under the policy that is simulated: marks change no history. */
  private weigh(): void {
    const { question } = this.bench.bench
    const { last } = this.store.get()
    if (!question || !last || question.view.annotation !== last.name) {
      this.sayings.want(null)
      return this.memo.want(null)
    }
    const of = (annotation: string): ViewSettings => ({
      ...question.view,
      ...this.bench.simulation,
      annotation,
    })
    const { based_on: base } = last.after
    const views: [Effect['label'], string, ViewSettings][] = []
    if (base !== undefined && base !== last.shown) views.push(['base', base, of(base)])
    views.push(['before', last.shown, of(JSON.stringify(last.before))])
    views.push(['now', last.name, of(last.name)])
    this.memo.want({ question, views })
    if (can(this.host, 'marks_effect')) {
      this.sayings.want({ question, view: of(last.name), before: JSON.stringify(last.before) })
    }
  }
}

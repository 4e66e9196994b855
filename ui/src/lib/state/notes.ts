import type { SessionNote } from '../ipc/generated/SessionNote'
import type { Push } from '../ipc/generated/Push'
import type { SavedViewRow } from '../ipc/generated/SavedViewRow'
import type { NoteTarget } from '../ipc/generated/NoteTarget'
import { can } from '../ipc/abilities'
import { hostErrorOf, type Host, type HostError } from '../ipc/host'
import { text } from '../text'
import { bySubject, keyOf, perEpisode, proposalOf } from '../view/notes'
import { Memo } from './memo'
import { recall, remember, usualStorage } from './remembered'
import { createStore } from './store'
import type { Undo } from './undo'
import type { Workbench } from './workbench'

/** Texts that were typed and not saved, by what they are on. */
export type Drafts = Readonly<Record<string, string>>

/** The notes and bookmarks of the open session, and the editor. */
export interface Made {
  /** In the order of the log. */
  notes: readonly SessionNote[]
  bySubject: ReadonlyMap<string, readonly SessionNote[]>
  perEpisode: ReadonlyMap<number, number>
  /** Bookmarks, the oldest first. */
  views: readonly SavedViewRow[]
  ready: boolean
  /** Why the notes cannot be told. */
  failure: HostError | null
  /** The subject of the open editor, and the note that it changes, if any. */
  editing: { key: string; subject: NoteTarget; id: number | null } | null
  drafts: Drafts
  /** Why the note that is being written could not be saved. */
  refused: HostError | null
  /** Looks for notes and bookmarks. */
  find: string
  /** True while the list is shown. */
  open: boolean
}

const EMPTY: Omit<Made, 'drafts' | 'open'> = {
  notes: [],
  bySubject: new Map(),
  perEpisode: new Map(),
  views: [],
  ready: false,
  failure: null,
  editing: null,
  refused: null,
  find: '',
}

const DRAFTS = 'cwl-inspector.drafts'
const isDrafts = (value: unknown): value is Drafts =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((one) => typeof one === 'string')

const without = (drafts: Drafts, key: string): Drafts =>
  Object.fromEntries(Object.entries(drafts).filter(([known]) => known !== key))

type Asked = { session: number; branch: string | null; annotation: string }

/**
 * Notes and bookmarks of the open session. What is typed is a draft until it is saved or discarded: it outlives the
 * editor, the session and the window.
 */
export class Notes {
  readonly store = createStore<Made>({ ...EMPTY, drafts: {}, open: false })
  private readonly host: Host
  private readonly bench: Workbench
  private readonly undo: Undo
  private readonly storage: Storage | null
  private asked: Asked | null = null
  private path: string | null = null

  constructor(host: Host, bench: Workbench, undo: Undo, storage: Storage | null = usualStorage()) {
    this.host = host
    this.bench = bench
    this.undo = undo
    this.storage = storage
    bench.store.subscribe(() => this.look())
  }

  private readonly memo = new Memo({
    ask: async ({ session, branch, annotation }: Asked) => {
      const [{ notes }, { views }] = await Promise.all([
        this.host.call('notes', { session, branch, annotation }),
        this.host.call('saved_views', { session }),
      ])
      return { notes, views }
    },
    took: ({ notes, views }, asked) => {
      if (asked !== this.asked) return
      this.store.set({
        notes,
        bySubject: bySubject(notes),
        perEpisode: perEpisode(notes),
        views,
        ready: true,
        failure: null,
      })
    },
    failed: (failure) => this.store.set({ ready: true, failure }),
  })

  /** Asks again: another window or program may have written. */
  refresh(): void {
    if (this.asked) this.memo.want(this.asked)
  }

  hear(push: Push): void {
    if (push.type === 'missed' || (push.type === 'notes' && push.session === this.asked?.session))
      this.refresh()
  }

  private look(): void {
    const { session, view, phase } = this.bench.bench
    if (phase !== 'open' || !session || !can(this.host, 'notes')) return
    const { asked } = this
    const { branch, annotation } = view
    const isSame = asked?.branch === branch && asked.annotation === annotation
    if (asked?.session === session.session && isSame) return
    if (this.path !== session.path) {
      this.path = session.path
      const drafts = recall(this.storage, DRAFTS, session.path, isDrafts) ?? {}
      this.store.set({ ...EMPTY, drafts })
    }
    this.asked = { session: session.session, branch, annotation }
    this.refresh()
  }

  private get session(): number {
    return this.bench.bench.session?.session ?? 0
  }

  /** The text of the editor of a subject: what was typed, else the note that is written anew. */
  textOf(key: string): string {
    const { drafts, editing, bySubject } = this.store.get()
    const known = editing?.key === key ? bySubject.get(key)?.find(({ id }) => id === editing.id) : undefined
    return drafts[key] ?? known?.body ?? ''
  }

  /** Opens the editor of a subject: of the note on it if there is one, or of that note. */
  edit(subject: NoteTarget, note: SessionNote | null = null): void {
    const key = keyOf(subject)
    const known = note ?? this.store.get().bySubject.get(key)?.[0] ?? null
    this.store.set({ editing: { key, subject, id: known?.id ?? null }, refused: null })
  }

  /** Closes the editor. What was typed stays as a draft. */
  close(): void {
    this.store.set({ editing: null, refused: null })
  }

  /** Keeps what was typed. What is no other than the note itself is no draft. */
  type(key: string, body: string): void {
    const { drafts, editing, bySubject } = this.store.get()
    const note = bySubject.get(key)?.find(({ id }) => id === editing?.id)
    const others = without(drafts, key)
    this.keep(body === (note?.body ?? '') ? others : { ...others, [key]: body })
  }

  /** Forgets what was typed. */
  discard(key: string): void {
    this.keep(without(this.store.get().drafts, key))
    this.close()
  }

  private keep(drafts: Drafts): void {
    this.store.set({ drafts })
    if (this.path !== null) remember(this.storage, DRAFTS, this.path, drafts)
  }

  /** Saves the note that is being written; one that says nothing any more is removed. */
  async save(): Promise<void> {
    const { editing, bySubject } = this.store.get()
    if (!editing) return
    const { key, subject } = editing
    const body = this.textOf(key)
    const before = bySubject.get(key)?.find(({ id }) => id === editing.id) ?? null
    try {
      if (body.trim() === '') {
        if (before) await this.remove(before)
      } else if (body !== before?.body) await this.write(subject, body, before)
      this.discard(key)
    } catch (thrown) {
      this.store.set({ refused: hostErrorOf(thrown) })
    }
  }

  private async write(subject: NoteTarget, body: string, before: SessionNote | null): Promise<void> {
    const { session, host } = this
    const put = (id: number | null, body: string, written_ms: number | null) =>
      host.call('save_note', { session, id, subject, body, written_ms })
    const { id } = await put(before?.id ?? null, body, null)
    this.undo.did({
      what: before ? text.notes.changed : text.notes.saved,
      undo: async () => {
        if (before) await put(id, before.body, before.written_ms)
        else await host.call('remove_note', { id })
      },
      redo: async () => {
        await put(id, body, null)
      },
    })
    this.refresh()
  }

  /** Removes a note. */
  async remove(note: SessionNote): Promise<void> {
    const { session, host } = this
    const { id, subject, body, written_ms } = note
    await host.call('remove_note', { id })
    this.undo.did({
      what: text.notes.removed,
      undo: async () => {
        await host.call('save_note', { session, id, subject, body, written_ms })
      },
      redo: async () => {
        await host.call('remove_note', { id })
      },
    })
    this.refresh()
  }

  /** Keeps a place as a bookmark, by a name that says where it is. */
  async bookmark(query: string): Promise<void> {
    await this.putView(null, text.notes.placeName(proposalOf(query)), query)
  }

  /** Gives a bookmark another name. */
  async rename(view: SavedViewRow, name: string): Promise<void> {
    if (name.trim() === '' || name.trim() === view.name) return
    await this.putView(view, name.trim(), view.query)
  }

  private async putView(before: SavedViewRow | null, name: string, query: string): Promise<void> {
    const { session, host } = this
    const put = (id: number | null, name: string, saved_ms: number | null) =>
      host.call('save_view', { session, id, name, query, saved_ms })
    const { id } = await put(before?.id ?? null, name, before?.saved_ms ?? null)
    this.undo.did({
      what: before ? text.notes.bookmarkRenamed : text.notes.bookmarked(name),
      undo: async () => {
        if (before) await put(id, before.name, before.saved_ms)
        else await host.call('remove_view', { id })
      },
      redo: async () => {
        await put(id, name, before?.saved_ms ?? null)
      },
    })
    this.refresh()
  }

  /** Removes a bookmark. */
  async removeView(view: SavedViewRow): Promise<void> {
    const { session, host } = this
    await host.call('remove_view', { id: view.id })
    this.undo.did({
      what: text.notes.bookmarkRemoved,
      undo: async () => {
        await host.call('save_view', { session, ...view })
      },
      redo: async () => {
        await host.call('remove_view', { id: view.id })
      },
    })
    this.refresh()
  }

  /** Keeps a session on top of the list, or no longer. */
  async pin(path: string, pinned: boolean): Promise<void> {
    const put = async (pinned: boolean) => {
      await this.host.call('pin', { path, pinned })
    }
    await put(pinned)
    this.undo.did({
      what: pinned ? text.notes.pinned : text.notes.unpinned,
      undo: () => put(!pinned),
      redo: () => put(pinned),
    })
  }

  setFind(find: string): void {
    this.store.set({ find })
  }

  show(open: boolean): void {
    this.store.set({ open })
  }
}

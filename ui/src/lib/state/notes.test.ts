import { beforeEach, expect, test } from 'vitest'

import type { SessionNote } from '../ipc/generated/SessionNote'
import type { SavedViewRow } from '../ipc/generated/SavedViewRow'
import type { NoteTarget } from '../ipc/generated/NoteTarget'
import { HostError, type Host } from '../ipc/host'
import { keyOf } from '../view/notes'
import { Notes } from './notes'
import { ScriptedHost } from './testing'
import { Undo } from './undo'
import { Workbench } from './workbench'

/** A host that keeps notes as the real one does: numbers are never given twice, and times are its own. */
class KeepingHost extends ScriptedHost {
  notes: SessionNote[] = []
  views: SavedViewRow[] = []
  pins = new Set<string>()
  private n = 0

  constructor() {
    super()
    const scripted = this.call
    const keeping = (name: string, request: Record<string, unknown>): unknown => {
      const id = (request.id as number | null | undefined) ?? null
      switch (name) {
        case 'notes':
          return { notes: [...this.notes] }
        case 'saved_views':
          return { views: [...this.views] }
        case 'save_note': {
          const { subject, body, written_ms } = request as {
            subject: NoteTarget
            body: string
            written_ms: number | null
          }
          const note: SessionNote = {
            id: id ?? ++this.n,
            subject,
            body,
            written_ms: written_ms ?? 1000 + this.n,
            place: null,
          }
          this.notes = [...this.notes.filter((one) => one.id !== note.id), note].sort((a, b) => a.id - b.id)
          return { id: note.id }
        }
        case 'remove_note':
          this.notes = this.notes.filter((one) => one.id !== id)
          return { removed: true }
        case 'save_view': {
          const { name, query, saved_ms } = request as {
            name: string
            query: string
            saved_ms: number | null
          }
          const view = { id: id ?? ++this.n, name, query, saved_ms: saved_ms ?? 1000 + this.n }
          this.views = [...this.views.filter((one) => one.id !== view.id), view].sort((a, b) => a.id - b.id)
          return { id: view.id }
        }
        case 'remove_view':
          this.views = this.views.filter((one) => one.id !== id)
          return { removed: true }
        case 'pin':
          if (request.pinned) this.pins.add(String(request.path))
          else this.pins.delete(String(request.path))
          return { pinned: request.pinned }
        default:
          return undefined
      }
    }
    this.call = (async (name, request) => {
      const refused = this.refuse[name]
      if (refused) throw refused
      return keeping(name, request as Record<string, unknown>) ?? (await scripted(name, request))
    }) as Host['call']
  }
}

class Held implements Pick<Storage, 'getItem' | 'setItem'> {
  readonly values = new Map<string, string>()
  getItem = (key: string) => this.values.get(key) ?? null
  setItem = (key: string, value: string) => void this.values.set(key, value)
}

const BLOCK: NoteTarget = { on: 'block', block: 'a:0' }
const SESSION: NoteTarget = { on: 'session' }
const settled = () => new Promise((resolve) => setTimeout(resolve))

let host: KeepingHost
let storage: Held
beforeEach(() => {
  host = new KeepingHost()
  storage = new Held()
})

async function opened(path = 'log.jsonl') {
  const bench = new Workbench(host, null)
  const undo = new Undo()
  const notes = new Notes(host, bench, undo, storage as unknown as Storage)
  await bench.open(path)
  await settled()
  const write = async (subject: NoteTarget, body: string) => {
    notes.edit(subject)
    notes.type(keyOf(subject), body)
    await notes.save()
    await settled()
  }
  const bodies = () => host.notes.map(({ body }) => body)
  const back = async () => {
    await undo.undo()
    await settled()
  }
  const again = async () => {
    await undo.redo()
    await settled()
  }
  return { bench, undo, notes, write, bodies, back, again }
}

test('a note is written, written anew and removed, and all of it can be taken back and done again', async () => {
  const { notes, write, bodies, back, again } = await opened()
  await write(BLOCK, 'one')
  await write(BLOCK, 'two')
  expect(
    notes.store
      .get()
      .bySubject.get('block a:0')
      ?.map(({ body }) => body),
  ).toEqual(['two'])
  await notes.remove(host.notes[0] as SessionNote)
  expect(bodies()).toEqual([])
  const steps: string[][] = []
  for (const step of [back, back, back, back, again, again, again, again]) {
    await step()
    steps.push(bodies())
  }
  expect(steps).toEqual([['two'], ['one'], [], [], ['one'], ['two'], [], []])
})

test('a note that is put back is the same to the last field', async () => {
  const { notes, write, back } = await opened()
  await write(SESSION, 'kept')
  const [before] = host.notes
  await notes.remove(before as SessionNote)
  await back()
  expect(host.notes).toEqual([before])
})

test('a note that says nothing any more is removed, and nothing is made of nothing', async () => {
  const { write, bodies, back, undo } = await opened()
  await write(BLOCK, ' \n')
  expect(undo.store.get().done.length).toBe(0)
  await write(BLOCK, 'one')
  await write(BLOCK, '')
  expect(bodies()).toEqual([])
  await back()
  expect(bodies()).toEqual(['one'])
})

test('what is typed stays until it is saved or discarded', async () => {
  const { notes } = await opened()
  notes.edit(BLOCK)
  notes.type('block a:0', 'half a tho')
  notes.close()
  expect(notes.store.get().editing).toBeNull()
  notes.edit(BLOCK)
  expect(notes.textOf('block a:0')).toBe('half a tho')

  const later = await opened()
  expect(later.notes.textOf('block a:0'), 'another window, another day').toBe('half a tho')
  expect((await opened('other.jsonl')).notes.textOf('block a:0'), 'another session').toBe('')
  later.notes.discard('block a:0')
  expect((await opened()).notes.textOf('block a:0')).toBe('')
})

test('what could not be saved is still there, with the reason', async () => {
  const { notes, undo, bodies } = await opened()
  host.refuse.save_note = new HostError('store', 'the disk is full')
  notes.edit(BLOCK)
  notes.type('block a:0', 'important')
  await notes.save()
  expect(notes.store.get()).toMatchObject({
    refused: { message: 'the disk is full' },
    editing: { key: 'block a:0' },
  })
  expect(notes.textOf('block a:0')).toBe('important')
  expect(undo.store.get().done.length).toBe(0)
  delete host.refuse.save_note
  await notes.save()
  expect(bodies()).toEqual(['important'])
  expect(notes.store.get()).toMatchObject({ refused: null, editing: null, drafts: {} })
})

test('a draft that says what the note says is none', async () => {
  const { notes, write } = await opened()
  await write(BLOCK, 'one')
  notes.edit(BLOCK)
  notes.type('block a:0', 'one more')
  notes.type('block a:0', 'one')
  expect(notes.store.get().drafts).toEqual({})
})

test('bookmarks are named, renamed, removed and taken back', async () => {
  const { notes, back } = await opened()
  const names = () => host.views.map(({ name }) => name)
  await notes.bookmark('session=log.jsonl&turn=3&step=1&policy=cwl')
  expect(names()[0]).toContain('3')
  const [first] = host.views
  await notes.rename(first as SavedViewRow, ' the loop ')
  expect(names()).toEqual(['the loop'])
  await notes.rename(host.views[0] as SavedViewRow, '')
  expect(names()).toEqual(['the loop'])
  await notes.removeView(host.views[0] as SavedViewRow)
  expect(names()).toEqual([])
  await back()
  expect(names()).toEqual(['the loop'])
  await back()
  expect(host.views).toEqual([first])
  await back()
  expect(host.views).toEqual([])
})

test('pins of sessions are taken back', async () => {
  const { notes, back, again } = await opened()
  await notes.pin('/a', true)
  await back()
  expect([...host.pins]).toEqual([])
  await again()
  expect([...host.pins]).toEqual(['/a'])
})

test('another window writes, and this one hears of it', async () => {
  const { notes } = await opened()
  host.notes = [{ id: 9, subject: SESSION, body: 'elsewhere', written_ms: 1, place: null }]
  notes.hear({ type: 'notes', session: 8 })
  await settled()
  expect(notes.store.get().notes).toEqual([])
  notes.hear({ type: 'notes', session: 7 })
  await settled()
  expect(notes.store.get().notes.map(({ body }) => body)).toEqual(['elsewhere'])
})

test.each(['null', '[]', '[["log.jsonl", 7]]', '[["log.jsonl", {"block a:0": 7}]]', '{'])(
  'drafts that cannot be read are none: %s',
  async (held) => {
    storage.setItem('cwl-inspector.drafts', held)
    expect((await opened()).notes.store.get().drafts).toEqual({})
  },
)

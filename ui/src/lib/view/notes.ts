import type { SessionNote } from '../ipc/generated/SessionNote'
import type { SavedViewRow } from '../ipc/generated/SavedViewRow'
import type { NoteTarget } from '../ipc/generated/NoteTarget'
import { parseLink } from './link'

/** The whole session, as a subject of notes. */
export const SESSION: NoteTarget = { on: 'session' }

/** A subject as a text, by which notes and drafts are found. */
export function keyOf(subject: NoteTarget): string {
  switch (subject.on) {
    case 'session':
      return 'session'
    case 'episode':
      return `episode ${subject.name}`
    case 'block':
      return `block ${subject.block}`
  }
}

/** The other way round; `null` for a text that is no key. */
export function subjectOf(key: string): NoteTarget | null {
  if (key === 'session') return SESSION
  const [, on, rest] = /^(episode|block) (.+)$/s.exec(key) ?? []
  if (on === 'episode' && rest !== undefined) return { on, name: rest }
  if (on === 'block' && rest !== undefined) return { on, block: rest }
  return null
}

/** Notes by what they are on. */
export function bySubject(notes: readonly SessionNote[]): ReadonlyMap<string, readonly SessionNote[]> {
  const found = new Map<string, SessionNote[]>()
  for (const note of notes) {
    const key = keyOf(note.subject)
    const known = found.get(key)
    if (known) known.push(note)
    else found.set(key, [note])
  }
  return found
}

/** How many notes there are on each episode and on the blocks of it, by the episode's place in the graph. */
export function perEpisode(notes: readonly SessionNote[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  for (const { place } of notes)
    if (place && place.episode !== null) found.set(place.episode, (found.get(place.episode) ?? 0) + 1)
  return found
}

const wordsOf = (find: string) => find.toLowerCase().split(/\s+/).filter(Boolean)

/** The notes that have all words of `find`, in what they say or what they are on. */
export function foundNotes(notes: readonly SessionNote[], find: string): readonly SessionNote[] {
  const words = wordsOf(find)
  return notes.filter((note) => {
    const content = `${note.body} ${keyOf(note.subject)}`.toLowerCase()
    return words.every((word) => content.includes(word))
  })
}

/** The bookmarks that have all words of `find` in their name. */
export function foundViews(views: readonly SavedViewRow[], find: string): readonly SavedViewRow[] {
  const words = wordsOf(find)
  return views.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
}

/** The parts of a proposed name of a bookmark: its turn and step, policy and τ. */
export interface Proposal {
  /** `null` is now. */
  turn: number | null
  /** `null` is after all steps of the turn. */
  step: number | null
  policy: string | undefined
  budget: string | undefined
  episode: string | null
}

/** Reads the parts of a bookmark's name from a link. */
export function proposalOf(query: string): Proposal {
  const { cut, view, episode } = parseLink(query)
  return { turn: cut.turn, step: cut.step, policy: view.policy, budget: view.budget, episode }
}

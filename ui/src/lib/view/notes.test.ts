import { expect, test } from 'vitest'

import type { SessionNote } from '../ipc/generated/SessionNote'
import type { NoteTarget } from '../ipc/generated/NoteTarget'
import { bySubject, foundNotes, keyOf, perEpisode, proposalOf, subjectOf } from './notes'

const note = (id: number, subject: NoteTarget, body = '', episode: number | null = null): SessionNote => ({
  id,
  subject,
  body,
  written_ms: id,
  place: episode === null ? null : { line: 1, turn: 1, episode },
})
const session: NoteTarget = { on: 'session' }
const episode = (name: string): NoteTarget => ({ on: 'episode', name })
const block = (id: string): NoteTarget => ({ on: 'block', block: id })

test.each([session, episode('map retries#2'), episode('block a:0'), block('a b:0'), block('episode\nx:12')])(
  'a subject has a key that tells it: %o',
  (subject) => expect(subjectOf(keyOf(subject))).toEqual(subject),
)

test.each(['', 'episode', 'episode ', 'moon x', 'blocks x:0'])('%j is no key', (key) =>
  expect(subjectOf(key)).toBeNull(),
)

test('notes are found by what they are on', () => {
  const notes = [note(1, session), note(2, block('a:0')), note(3, block('a:1')), note(4, block('a:0'))]
  const found = bySubject(notes)
  expect(found.get('block a:0')?.map(({ id }) => id)).toEqual([2, 4])
  expect(found.get('episode x')).toBeUndefined()
})

test('an episode counts the notes on itself and on its blocks', () => {
  const notes = [
    note(1, session),
    note(2, block('a:0'), '', 3),
    note(3, episode('x'), '', 3),
    note(4, block('b:0'), '', 0),
    note(5, block('gone:0')),
  ]
  expect([...perEpisode(notes)]).toEqual([
    [3, 2],
    [0, 1],
  ])
})

test.each([
  ['', [1, 2, 3]],
  ['RETRY', [1]],
  ['retry loop', [1]],
  ['retry moon', []],
  ['fix-', [2]],
  ['(', [3]],
])('%j finds %j', (find, ids) => {
  const notes = [note(1, session, 'The retry loop'), note(2, episode('fix-it')), note(3, block('a:0'), '(x')]
  expect(foundNotes(notes, find).map(({ id }) => id)).toEqual(ids)
})

test('a bookmark proposes a name from its link', () => {
  expect(proposalOf('session=/a&turn=12&step=3&policy=cwl&tau=80k&episode=map')).toEqual({
    turn: 12,
    step: 3,
    policy: 'cwl',
    budget: '80k',
    episode: 'map',
  })
  expect(proposalOf('nonsense')).toMatchObject({ turn: null, step: null, episode: null })
})

import { useEffect, useMemo, useState } from 'react'

import type { SearchHit } from '../../lib/ipc/generated/SearchHit'
import type { SessionListRow } from '../../lib/ipc/generated/SessionListRow'
import { useApp } from '../../lib/state/app'
import { useAnswer } from '../../lib/state/memo'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { queryOf, type Sources } from '../../lib/view/palette'
import { canOpen, folderName } from '../../lib/view/sessions'
import { isAvailable, type Command } from '../../lib/state/command'

const WORDS = Object.values(text.glossary.words)
const GUIDE = Object.values(text.guide.topics)
const NO_HITS: readonly SearchHit[] = []
/** The search waits this long for the next key, milliseconds, and looks for no fewer letters. */
const TYPING_MS = 140
const LEAST = 2
/** While texts are still being indexed, the search is repeated after this time, milliseconds. */
const INDEXING_MS = 400
/** How many texts it asks for. */
const MOST_HITS = 50

/** Returns the texts of the open session that hold what is typed. */
function useHits(typed: string): readonly SearchHit[] {
  const app = useApp()
  const session = useStore(app.bench.store, (bench) => bench.session?.session)
  const { only, needle } = queryOf(typed)
  const [rested, setRested] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setRested(needle), TYPING_MS)
    return () => clearTimeout(timer)
  }, [needle])
  const asks = only === null && rested.length >= LEAST && session !== undefined && app.can('search')
  const [repeats, setRepeats] = useState(0)
  const { answer } = useAnswer(asks ? [session, rested, repeats] : null, () =>
    app.host.call('search', { query: rested, session: session!, limit: MOST_HITS, view: null }),
  )
  useEffect(() => {
    if (!answer || answer.pending === 0) return
    const timer = setTimeout(() => setRepeats((n) => n + 1), INDEXING_MS)
    return () => clearTimeout(timer)
  }, [answer])
  return (rested === needle && answer?.sessions[0]?.hits) || NO_HITS
}

/** Returns everything that the palette searches: the commands that can run now, all sessions, and the content of the open one. */
export function useSources(commands: readonly Command[], typed: string): Sources {
  const app = useApp()
  const rows = useStore(app.sessions.store, (state) => state.rows)
  const isOpen = useStore(app.bench.store, (bench) => bench.phase === 'open')
  const graph = useStore(app.bench.store, (bench) => bench.graph)
  const policies = useStore(app.bench.store, (bench) => bench.session?.choices.policies)
  const hits = useHits(typed)
  const sessions = useMemo(() => sessionsOf(rows), [rows])
  const episodes = useMemo(
    () =>
      (graph?.episodes ?? []).map(({ name, kind, first_turn: first, last_turn: last }) => ({
        name,
        note: `${text.kind[kind]} · ${text.graph.turns(count(first), count(last))}`,
      })),
    [graph],
  )
  return useMemo(
    () => ({
      commands: commands
        .filter((command) => !command.onlyKey && isAvailable(app, command))
        .map(({ id, title, group, keys }) => ({
          id,
          title,
          group: text.help.groups[group],
          key: keys?.[0] ?? null,
        })),
      sessions,
      episodes: isOpen ? episodes : [],
      humans: isOpen ? (graph?.human_turns ?? []) : [],
      policies: isOpen ? (policies ?? []) : [],
      words: WORDS,
      guide: GUIDE,
      hits: isOpen ? hits : NO_HITS,
      nTurns: isOpen ? (graph?.n_turns ?? 0) : 0,
      canSearchTexts: app.can('search'),
    }),
    [app, commands, sessions, episodes, graph, policies, isOpen, hits],
  )
}

function sessionsOf(rows: readonly SessionListRow[]): { path: string; title: string; note: string }[] {
  return rows.flatMap((row) => {
    const folder = row.cwd && folderName(row.cwd)
    const turns = row.n_turns === null ? null : text.drawer.requests(count(row.n_turns))
    const own = {
      path: row.path,
      title: row.title,
      note: [folder, row.harness, turns].filter(Boolean).join(' · '),
    }
    return [...(canOpen(row) ? [own] : []), ...sessionsOf(row.children)]
  })
}

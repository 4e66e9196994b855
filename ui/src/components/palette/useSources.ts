import { useMemo } from 'react'

import type { SessionRowDto } from '../../lib/ipc/generated/SessionRowDto'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import type { Sources } from '../../lib/view/palette'
import { canOpen } from '../../lib/view/sessions'
import { isAvailable, type Command } from '../../lib/state/command'

const WORDS = Object.values(text.glossary.words)

/** Returns everything that the palette searches: the commands that can run now, all sessions, and the content of the open one. */
export function useSources(commands: readonly Command[]): Sources {
  const app = useApp()
  const rows = useStore(app.sessions.store, (state) => state.rows)
  const isOpen = useStore(app.bench.store, (bench) => bench.phase === 'open')
  const graph = useStore(app.bench.store, (bench) => bench.graph)
  const policies = useStore(app.bench.store, (bench) => bench.session?.choices.policies)
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
      nTurns: isOpen ? (graph?.n_turns ?? 0) : 0,
      canSearchTexts: app.can('search'),
    }),
    [app, commands, sessions, episodes, graph, policies, isOpen],
  )
}

function sessionsOf(rows: readonly SessionRowDto[]): { path: string; title: string; note: string }[] {
  return rows.flatMap((row) => {
    const folder = row.cwd?.split(/[\\/]/).findLast(Boolean)
    const turns = row.n_turns === null ? null : text.drawer.requests(count(row.n_turns))
    const own = {
      path: row.path,
      title: row.title,
      note: [folder, row.harness, turns].filter(Boolean).join(' · '),
    }
    return [...(canOpen(row) ? [own] : []), ...sessionsOf(row.children)]
  })
}

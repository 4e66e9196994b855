import type { EpisodeNode } from '../ipc/generated/EpisodeNode'
import type { AnnotationOrigin } from '../ipc/generated/AnnotationOrigin'
import type { SessionListRow } from '../ipc/generated/SessionListRow'
import { remembered } from './recent'

/** A session of a list, of which most is known. */
export const row = (path: string, more: Partial<SessionListRow> = {}): SessionListRow => ({
  ...remembered(path, `title of ${path}`),
  harness: 'claude-code',
  format: 'claude-code',
  cwd: '/home/dev/tidewater',
  size: 1,
  changed_at_ms: 1,
  ...more,
})

/** A session that was called by another, and calls one. */
const DEEP = row('/b', {
  parent: '/a',
  subagent: 'Ada',
  children: [row('/c', { parent: '/b', model: 'm-9' })],
})
/** Sessions of three folders, some of them called by others. */
export const ROWS = [
  row('/a', { title: 'Fix the tide', children: [DEEP, row('/d', { parent: '/a', session: 7 })] }),
  row('/e', { harness: 'openclaw', cwd: null }),
  row('/f', { gone: true, children: [row('/g', { parent: '/f' })] }),
  row('/h', { cwd: 'C:\\src\\other', continues: '019cab88' }),
  row('/i', { title: 'later in the first folder' }),
]

/** The source of a graph of the agent’s own marks. */
export const DECLARED: AnnotationOrigin = {
  source: 'declared',
  name: null,
  by: null,
  says: 'marked by the agent',
  note: null,
  problems: [],
}

/** The parts of an episode that say that the agent marked it. */
export const OWN: Pick<EpisodeNode, 'last_line' | 'source' | 'confidence' | 'evidence'> = {
  last_line: 1,
  source: 'declared',
  confidence: null,
  evidence: null,
}

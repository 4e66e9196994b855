import type { Ability, Recording } from './abilities'
import type { CommandName, Commands } from './commands'
import { download } from './http'
import type { ExportDto } from './generated/ExportDto'
import type { ExportedViewDto } from './generated/ExportedViewDto'
import type { ViewDto } from './generated/ViewDto'
import { HostError, type Host } from './host'
import { Recorded } from './recorded'

/** What an exported page holds answers to. */
const ANSWERED: ReadonlySet<Ability> = new Set<Ability>([
  'defaults',
  'open',
  'session',
  'frame',
  'context',
  'evicted',
  'episode',
])

/** A host without an engine: everything it is asked was answered when the page was made, and is looked up. */
export function exportedHost(exported: ExportDto): Host {
  const views = exported.views.map((view) => new Recorded(exported, view))
  const first = exported.views[0]
  if (!first) throw new HostError('internal', 'the page holds no view')
  const viewAt = (view: ViewDto) => views[nearest(exported.views, view)]!
  const answers: { [N in CommandName]?: (request: Commands[N]['request']) => Commands[N]['response'] } = {
    defaults: () => ({
      target: exported.session.path,
      link: null,
      view: first.view,
      budget_given: true,
      cut: exported.cut,
      demo: false,
    }),
    open: () => exported.session,
    session: () => exported.session,
    frame: ({ view, cut, held }) => viewAt(view).frame(cut, held),
    context: (request) => viewAt(request.view).context(request),
    evicted: (request) => viewAt(request.view).evicted(request),
    episode: ({ view, cut, episode }) => viewAt(view).episode(cut, episode),
  }
  return {
    call<N extends CommandName>(name: N, request: Commands[N]['request']) {
      const answer = answers[name]
      return new Promise<Commands[N]['response']>((done, fail) => {
        if (!answer) fail(new HostError('unknown', 'an exported page does not hold that'))
        else done(answer(request))
      })
    },
    subscribe: () => undefined,
    onDrop: () => undefined,
    picksFiles: false,
    pickFile: () => Promise.resolve(null),
    saveFile: (name, bytes, mime) => Promise.resolve(download(name, bytes, mime)),
    linkTo: () => location.href,
    report: (message) => console.error(message),
    can: (ability) => ANSWERED.has(ability) && (ability !== 'episode' || exported.episodes.length > 0),
    recording: recordingOf(exported),
  }
}

function recordingOf(exported: ExportDto): Recording {
  const { views, made_by: madeBy, redacted, left_out: leftOut } = exported
  return {
    views: views
      .map(({ view, replay }) => ({ view, tokens: replay.budget }))
      .sort((a, b) => a.tokens - b.tokens),
    nearest: (view) => views[nearest(views, view)]!.view,
    madeBy,
    redacted,
    leftOut,
  }
}

/** The place of the view that is nearest to what is asked for: one policy, so it goes by the budget alone. */
export function nearest(views: readonly Pick<ExportedViewDto, 'view' | 'replay'>[], wanted: ViewDto): number {
  const exact = views.findIndex(({ view }) => view.budget === wanted.budget)
  const asked = Number(wanted.budget)
  if (exact >= 0 || !Number.isFinite(asked)) return Math.max(0, exact)
  const far = (at: number) => Math.abs(Math.log((views[at]?.replay.budget ?? 1) / Math.max(1, asked)))
  return views.reduce((best, _, at) => (far(at) < far(best) ? at : best), 0)
}

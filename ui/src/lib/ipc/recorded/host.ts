import type { Ability, Recording } from '../abilities'
import type { CommandName, Commands } from '../commands'
import { download } from '../http'
import type { ExportDto } from '../generated/ExportDto'
import type { ExportedViewDto } from '../generated/ExportedViewDto'
import type { ViewDto } from '../generated/ViewDto'
import { HostError, type Host } from '../host'
import { RecordedAnswers } from './answers'

/** The commands that an export has the answers of. It answers no other view and tells of no changes. */
const ANSWERED: ReadonlySet<Ability> = new Set<Ability>([
  'defaults',
  'open',
  'session',
  'frame',
  'page',
  'episode',
])

/** A host without an engine: it looks up the answers that were recorded when the page was made. */
export function recordedHost(exported: ExportDto): Host {
  const views = exported.views.map((view) => new RecordedAnswers(exported, view))
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
    frame: (request) => viewAt(request.view).frame(request),
    page: (request) => viewAt(request.view).page(request),
    episode: (request) => viewAt(request.view).episode(request),
  }
  return {
    call<N extends CommandName>(name: N, request: Commands[N]['request']) {
      const answer = answers[name]
      return new Promise<Commands[N]['response']>((done, fail) => {
        if (!answer) fail(new HostError('unknown', 'the page does not hold that'))
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

/** The place of the view that is nearest to a wanted one: of the same policy if there is one, then by the budget. */
export function nearest(views: readonly Pick<ExportedViewDto, 'view' | 'replay'>[], wanted: ViewDto): number {
  const places = views.map((_, at) => at)
  const same = places.filter((at) => views[at]!.view.policy === wanted.policy)
  const among = same.length > 0 ? same : places
  const exact = among.find((at) => views[at]!.view.budget === wanted.budget)
  const asked = Number(wanted.budget)
  if (exact !== undefined || !Number.isFinite(asked)) return exact ?? among[0] ?? 0
  const far = (at: number) => Math.abs(Math.log(views[at]!.replay.budget / Math.max(1, asked)))
  return among.reduce((best, at) => (far(at) < far(best) ? at : best))
}

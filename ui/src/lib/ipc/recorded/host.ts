import type { Ability, Recording } from '../abilities'
import type { CommandName, Commands } from '../commands'
import { download } from '../http'
import type { ExportDto } from '../generated/ExportDto'
import type { ExportedViewDto } from '../generated/ExportedViewDto'
import type { CapturedBodyDto } from '../generated/CapturedBodyDto'
import type { ExportedCapturedDto } from '../generated/ExportedCapturedDto'
import type { ViewDto } from '../generated/ViewDto'
import { text } from '../../text'
import { count } from '../../view/format'
import { HostError, type Host } from '../host'
import { RecordedAnswers, notHeld } from './answers'

/** The commands that every export has the answers of. It answers no other view and tells of no changes. */
const ANSWERED: ReadonlySet<Ability> = new Set<Ability>([
  'defaults',
  'open',
  'session',
  'frame',
  'page',
  'find',
  'marks',
  'place',
  'verdict',
])

/** A host without an engine: it looks up the answers that were recorded when the page was made. */
export function recordedHost(exported: ExportDto): Host {
  const views = exported.views.map((view) => new RecordedAnswers(exported, view))
  const first = exported.views[0]
  if (!first) throw new HostError('internal', 'the page holds no view')
  const viewAt = (view: ViewDto) => views[nearest(exported.views, view)]!
  const held = <T>(value: T | null | undefined): T => {
    if (value === null || value === undefined) throw notHeld()
    return value
  }
  const answers: { [N in CommandName]?: (request: Commands[N]['request']) => Commands[N]['response'] } = {
    defaults: () => ({
      target: exported.session.path,
      link: null,
      view: first.view,
      budget_given: true,
      policy_given: true,
      cut: exported.cut,
      demo: false,
    }),
    open: () => exported.session,
    session: () => exported.session,
    frame: (request) => viewAt(request.view).frame(request),
    page: (request) => viewAt(request.view).page(request),
    episode: (request) => viewAt(request.view).episode(request),
    find: (request) => viewAt(request.view).find(request),
    marks: (request) => viewAt(request.view).marks(request),
    place: (request) => viewAt(request.view).place(request),
    compare: (request) => viewAt(held(request.views[0])).compare(request),
    verdict: () => exported.verdict,
    regrets: ({ view }) => held(viewAt(view).regrets),
    regret_stories: ({ view }) => held(viewAt(view).stories),
    compactions: () => held(exported.compactions),
    captured: () => held(exported.captured).whole,
    captured_body: ({ turn }) => capturedAt(held(exported.captured), turn),
    recovery: ({ compaction }) => held(exported.recoveries.find(([number]) => number === compaction)?.[1]),
  }
  const isIn: Partial<Record<Ability, boolean>> = {
    episode: exported.episodes.length > 0,
    compare: views.every(({ compared }) => compared.length > 1),
    regrets: views.every(({ regrets }) => regrets !== null),
    regret_stories: views.every(({ stories }) => stories !== null),
    compactions: exported.compactions !== null,
    recovery: exported.recoveries.length > 0,
    captured: exported.captured !== null,
  }
  return {
    call<N extends CommandName>(name: N, request: Commands[N]['request']) {
      const answer = answers[name]
      return new Promise<Commands[N]['response']>((done, fail) => {
        if (!answer) fail(notHeld())
        else done(answer(request))
      })
    },
    subscribe: () => undefined,
    onDrop: () => undefined,
    picksFiles: false,
    pickFile: () => Promise.resolve(null),
    saveFile: (name, bytes, mime) => Promise.resolve(download(name, bytes, mime)),
    linkTo: (query) => `${location.href.replace(/#.*$/s, '')}#${query}`,
    report: (message) => console.error(message),
    can: (ability) => isIn[ability] ?? ANSWERED.has(ability),
    exported: {
      path: exported.session.path,
      madeBy: exported.made_by,
      redacted: exported.redacted,
      leftOut: exported.left_out,
    },
    recording: {
      ...recordingOf(exported),
      compared: (view) => viewAt(view).compared,
      textOf: (view, block) => viewAt(view).textOf(block),
    },
  }
}

/** The captured body of a turn, with its system prompt and tools. */
function capturedAt({ bodies, heads, parts }: ExportedCapturedDto, turn: number): CapturedBodyDto {
  const at = bodies.findIndex((body) => body.turn === turn)
  const body = bodies[at]
  if (!body) return { turn, file: null, says: text.exported.noCaptured(count(turn)), ...NO_BODY }
  const [system = [], tools = []] = heads[at] ?? []
  const partsAt = (places: readonly number[]) => places.flatMap((place) => parts[place] ?? [])
  return { ...body, system: partsAt(system), tools: partsAt(tools) }
}

const NO_BODY = { system: [], tools: [], rows: [], n_more: 0 }

function recordingOf(exported: ExportDto): Omit<Recording, 'compared' | 'textOf'> {
  const { views } = exported
  return {
    views: views
      .map(({ view, replay }) => ({ view, tokens: replay.budget }))
      .sort((a, b) => a.tokens - b.tokens),
    nearest: (view) => views[nearest(views, view)]!.view,
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

import type { CommandName, Commands } from './commands'
import { download } from './http'
import type { ContextDto } from './generated/ContextDto'
import type { CutDto } from './generated/CutDto'
import type { EpisodeDetailDto } from './generated/EpisodeDetailDto'
import type { EvictedDto } from './generated/EvictedDto'
import type { ExportDto } from './generated/ExportDto'
import type { ExportedViewDto } from './generated/ExportedViewDto'
import type { ItemDto } from './generated/ItemDto'
import type { StepsDto } from './generated/StepsDto'
import type { ViewDto } from './generated/ViewDto'
import { HostError, type Host } from './host'

/** What an exported page holds answers to. */
const ANSWERED: ReadonlySet<CommandName> = new Set<CommandName>([
  'defaults',
  'sessions',
  'open',
  'session',
  'graph',
  'replay',
  'steps',
  'levels',
  'left',
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
    sessions: () => ({ rows: [], folders: [], notices: [], n_pending: 0 }),
    open: () => exported.session,
    session: () => exported.session,
    graph: ({ view }) => viewAt(view).of.graph,
    replay: ({ view }) => viewAt(view).of.replay,
    steps: ({ view, turn }) => viewAt(view).steps(turn),
    levels: ({ view, cut }) => viewAt(view).levels(cut),
    left: ({ view, cut }) => viewAt(view).left(cut),
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
    answers: (name) => ANSWERED.has(name),
    viewFor: (view) => exported.views[nearest(exported.views, view)]!.view,
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

/** A list at one place in time: rows with what is true of them. */
interface Listed {
  place: number
  turn: number
  step: number
  items: ItemDto[]
}

/** One view, as it was recorded. */
class Recorded {
  readonly of: ExportedViewDto
  private readonly exported: ExportDto
  /** The place in time of each turn before its first step. */
  private readonly starts: number[] = []
  private readonly passes: Map<number, StepsDto>
  private readonly levelsAt: Folded
  private readonly leftAt: Folded
  private listed: Listed | null = null

  constructor(exported: ExportDto, view: ExportedViewDto) {
    this.exported = exported
    this.of = view
    let place = 0
    for (const n of view.replay.n_steps) {
      this.starts.push(place)
      place += n + 1
    }
    this.passes = new Map(view.passes.map((pass) => [pass.turn, pass]))
    this.levelsAt = new Folded(
      view.graph.episodes.map(() => 0),
      view.levels,
    )
    this.leftAt = new Folded(
      view.graph.episodes.map((episode) => episode.kept_at[0]),
      view.left,
    )
  }

  /** The turn, the step and the place in time of a cut. */
  private at(cut: CutDto): { turn: number; step: number; place: number } {
    const nSteps = this.of.replay.n_steps
    const turn = Math.max(1, Math.min(cut.turn ?? nSteps.length, nSteps.length))
    const most = nSteps[turn - 1] ?? 0
    const step = Math.max(0, Math.min(cut.step ?? most, most))
    return { turn, step, place: (this.starts[turn - 1] ?? 0) + step }
  }

  steps(wanted: number | null): StepsDto {
    const { replay, passes } = this.of
    const { turn } = this.at({ turn: wanted, step: null })
    const pass = this.passes.get(turn)
    if (pass) return pass
    const behind = passes.findIndex((other) => other.turn > turn)
    const before = behind < 0 ? passes.at(-1) : passes[behind - 1]
    return {
      turn,
      message: null,
      before: replay.before[turn - 1] ?? 0,
      after: replay.after[turn - 1] ?? 0,
      over_budget: replay.over_budget.includes(turn),
      steps: [],
      previous_with_steps: before?.turn ?? null,
      next_with_steps: behind < 0 ? null : (passes[behind]?.turn ?? null),
    }
  }

  levels(cut: CutDto): Uint8Array {
    return Uint8Array.from(this.levelsAt.at(this.at(cut).place))
  }

  /** As the host sends it: four bytes each, the low one first. */
  left(cut: CutDto): Uint8Array {
    const values = this.leftAt.at(this.at(cut).place)
    const bytes = new DataView(new ArrayBuffer(values.length * 4))
    values.forEach((value, at) => bytes.setUint32(at * 4, value, true))
    return new Uint8Array(bytes.buffer)
  }

  context(request: Commands['context']['request']): ContextDto {
    const { turn, step, items } = this.list(request.cut)
    const { replay } = this.of
    const wanted = request.ghosts ? items : items.filter((item) => item.kept || item.placeholder !== null)
    const pass = this.passes.get(turn)
    const within = pass && step < pass.steps.length
    return {
      revision: this.exported.session.revision,
      turn,
      step,
      total: within
        ? step === 0
          ? pass.before
          : (pass.steps[step - 1]?.after ?? 0)
        : (replay.after[turn - 1] ?? 0),
      overhead: replay.overhead,
      reported: replay.reported[turn - 1] ?? null,
      n_items: wanted.length,
      items: wanted.slice(request.offset, request.offset + request.limit),
      over_budget: null,
      violations: [],
      findings: [],
    }
  }

  evicted(request: Commands['evicted']['request']): EvictedDto {
    const gone = this.list(request.cut).items.filter((item) => !item.kept)
    const when = (item: ItemDto) => (item.evicted_turn ?? 0) * 1e6 + (item.evicted_step ?? 0)
    if (request.sort === 'size') gone.sort((a, b) => b.tokens - a.tokens)
    if (request.sort === 'turn') gone.sort((a, b) => when(b) - when(a))
    return {
      revision: this.exported.session.revision,
      n_items: gone.length,
      tokens: gone.reduce((sum, item) => sum + item.tokens, 0),
      items: gone.slice(request.offset, request.offset + request.limit),
    }
  }

  episode(cut: CutDto, episode: number): EpisodeDetailDto {
    const { turn, step, place } = this.at(cut)
    const { graph, details, detail_spans } = this.of
    const { session, episodes, words } = this.exported
    const number = spanAt(detail_spans[episode] ?? [], place)
    const detail = number === null ? undefined : details[number]
    const [known, always] = [graph.episodes[episode], episodes[episode]]
    if (!detail || !known || !always)
      throw new HostError('unknown', 'an exported page of so long a session does not hold that')
    const word = (at: number) => words[at] ?? ''
    const first = this.of.remembers ? 1 : turn
    const history = this.of.passes
      .filter((pass) => pass.turn >= first && pass.turn <= turn)
      .flatMap((pass) =>
        pass.steps
          .slice(0, pass.turn === turn ? step : undefined)
          .flatMap((one, at): [number, number, string][] =>
            one.episode === episode ? [[pass.turn, at + 1, one.sentence]] : [],
          ),
      )
    return {
      episode,
      name: known.name,
      kind: known.kind,
      life: word(detail.life),
      level: detail.level,
      level_name: word(detail.level_name),
      why: word(detail.why),
      description: always.description,
      tokens: detail.tokens,
      kept_tokens: detail.kept,
      by_kind: detail.parts.map(([kind, all, kept]) => [word(kind), all, kept]),
      needs: always.needs,
      feeds: always.feeds,
      n_implicit: always.n_implicit,
      blocked_by: detail.held,
      first_turn: known.first_turn,
      closed_turn: always.closed_turn,
      history,
      blocks: [],
      problems: session.problems.filter((problem) => problem.episode === episode),
    }
  }

  /** All rows that are in the list at a cut, or at the nearest place before it that was looked at. */
  private list(cut: CutDto): Listed {
    const wanted = this.at(cut)
    const { looked_at, spans, states, tokens, met } = this.of
    const place = looked_at ? (looked_at[Math.max(0, after(looked_at, wanted.place) - 1)] ?? 0) : wanted.place
    if (this.listed?.place === place) return this.listed
    const turn = Math.max(1, after(this.starts, place))
    const step = place - (this.starts[turn - 1] ?? 0)
    const isMet = after(met, place) % 2 === 0
    const { rows, words } = this.exported
    const failed = new Set(rows.failed)
    const word = (at: number | null | undefined) =>
      at === null || at === undefined ? null : (words[at] ?? '')
    const items: ItemDto[] = []
    spans.forEach((span, row) => {
      const number = spanAt(span, place)
      const state = number ? states[number - 1] : undefined
      if (!state) return
      items.push({
        block: rows.block[row] ?? '',
        entry: word(rows.entry[row]) ?? '',
        line: rows.line[row] ?? 0,
        role: word(rows.role[row]) ?? '',
        author: word(rows.author[row]) ?? '',
        kind: word(rows.kind[row]) ?? '',
        tool: word(rows.tool[row]),
        path: null,
        first_turn: null,
        again_turn: null,
        failed: failed.has(row),
        episode: rows.episode[row] ?? null,
        kept: state.kept,
        level: state.level,
        reason: word(isMet ? state.reason : state.reason_over) ?? '',
        evicted_turn: state.evicted_turn,
        evicted_step: state.evicted_step,
        tokens: tokens[row] ?? 0,
        placeholder: word(state.placeholder),
        text: rows.text[row] ?? '',
        n_chars: rows.n_chars[row] ?? 0,
        n_lines: rows.n_lines[row] ?? 0,
        n_images: rows.n_images[row] ?? 0,
      })
    })
    this.listed = { place, turn, step, items }
    return this.listed
  }
}

/** Values that change in time. Going forward costs what changes on the way; going back begins anew. */
export class Folded {
  private readonly first: number[]
  private readonly changes: readonly number[]
  private values: number[]
  private next = 0
  private place = -1

  /** `changes` are place in time, which value, and what it is then: three numbers each. */
  constructor(first: number[], changes: readonly number[]) {
    this.first = first
    this.changes = changes
    this.values = [...first]
  }

  at(place: number): readonly number[] {
    if (place < this.place) {
      this.values = [...this.first]
      this.next = 0
    }
    this.place = place
    for (; this.next < this.changes.length; this.next += 3) {
      const [when = 0, which = 0, value = 0] = this.changes.slice(this.next, this.next + 3)
      if (when > place) break
      this.values[which] = value
    }
    return this.values
  }
}

/** How many of ascending numbers are not above a value. */
export function after(ascending: readonly number[], value: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? 0) <= value) low = middle + 1
    else high = middle
  }
  return low
}

/** What is true at a place in time, of pairs of the place from which on it is, and what; `null` before the first. */
export function spanAt(pairs: readonly number[], place: number): number | null {
  let low = 0
  let high = pairs.length >> 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((pairs[middle * 2] ?? 0) <= place) low = middle + 1
    else high = middle
  }
  return low === 0 ? null : (pairs[low * 2 - 1] ?? null)
}

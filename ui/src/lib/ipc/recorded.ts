import type { Commands } from './commands'
import { after, Folded, spanAt, Standing } from './changes'
import type { ContextDto } from './generated/ContextDto'
import type { CutDto } from './generated/CutDto'
import type { EpisodeDetailDto } from './generated/EpisodeDetailDto'
import type { EvictedDto } from './generated/EvictedDto'
import type { ExportDto } from './generated/ExportDto'
import type { ExportedStateDto } from './generated/ExportedStateDto'
import type { ExportedViewDto } from './generated/ExportedViewDto'
import type { FindingDto } from './generated/FindingDto'
import type { FrameDto } from './generated/FrameDto'
import type { HeldDto } from './generated/HeldDto'
import type { ItemDto } from './generated/ItemDto'
import type { StepsDto } from './generated/StepsDto'
import { HostError } from './host'
import { isAmong } from '../view/series'

/** So many findings are listed at one place in time. */
const FINDINGS_LISTED = 200

/** A list at one place in time, with the rows that were picked of it. */
interface Listed {
  place: number
  turn: number
  step: number
  rows: Map<string, number[]>
}

/** One view, as it was recorded. */
export class Recorded {
  readonly of: ExportedViewDto
  private readonly exported: ExportDto
  /** The place in time of each turn before its first step. */
  private readonly starts: number[] = []
  private readonly passes: Map<number, StepsDto>
  private readonly levelsAt: Folded
  private readonly leftAt: Folded
  private readonly failed: ReadonlySet<number>
  /** Made when a list is asked for first: of several budgets mostly one is looked at. */
  private standing: Standing | null = null
  private listed: Listed | null = null

  constructor(exported: ExportDto, view: ExportedViewDto) {
    this.exported = exported
    this.of = view
    this.failed = new Set(exported.rows.failed)
    let place = 0
    for (let turn = 0; turn < view.replay.n_steps.length; turn += 1) {
      this.starts.push(place)
      place += (view.replay.n_steps[turn] ?? 0) + 1
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

  frame(cut: CutDto, held: HeldDto): FrameDto {
    const { graph, history, replay } = this.of
    const { turn, place } = this.at(cut)
    return {
      revision: this.exported.session.revision,
      graph: held === 'nothing' ? graph : null,
      history: held === 'nothing' ? history : null,
      replay: held === 'replay' ? null : replay,
      // Copies: what is changed in place later is not what was answered.
      levels: Uint8Array.from(this.levelsAt.at(place)),
      left: Uint32Array.from(this.leftAt.at(place)),
      steps: this.steps(turn),
    }
  }

  private steps(wanted: number): StepsDto {
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
      over_budget: isAmong(replay.over_budget, turn),
      steps: [],
      previous_with_steps: before?.turn ?? null,
      next_with_steps: behind < 0 ? null : (passes[behind]?.turn ?? null),
    }
  }

  context(request: Commands['context']['request']): ContextDto {
    const listed = this.list(request.cut)
    const { place, turn, step } = listed
    const { history, replay, over } = this.of
    const wanted = this.rowsOf(listed, request.ghosts ? 'all' : 'sent', () =>
      this.rowsWith(request.ghosts ? () => true : (state) => state.kept || state.placeholder !== null),
    )
    const pass = this.passes.get(turn)
    const within = pass && step < pass.steps.length
    const held = over.find((one) => one.place === place)
    return {
      revision: this.exported.session.revision,
      turn,
      step,
      total: within
        ? step === 0
          ? pass.before
          : (pass.steps[step - 1]?.after ?? 0)
        : (replay.after[turn - 1] ?? 0),
      overhead: history.overhead,
      reported: history.reported[turn - 1] ?? null,
      n_items: wanted.length,
      items: this.items(listed, wanted.slice(request.offset, request.offset + request.limit)),
      over_budget: held
        ? {
            above: held.above,
            held_by: held.held_by.map(([what, tokens]) => [this.word(what) ?? '', tokens]),
          }
        : null,
      violations: [],
      findings: foundAt(this.of.findings, turn, step, replay.n_steps[turn - 1] ?? 0),
    }
  }

  evicted(request: Commands['evicted']['request']): EvictedDto {
    const listed = this.list(request.cut)
    const { sort } = request
    const size = (row: number) => this.of.tokens[row] ?? 0
    const gone = this.rowsOf(listed, `evicted by ${sort}`, () => {
      const rows = this.rowsWith((state) => !state.kept)
      const when = (row: number) => {
        const state = this.stateOf(row)
        return (state?.evicted_turn ?? 0) * 1e6 + (state?.evicted_step ?? 0)
      }
      if (sort === 'size') rows.sort((a, b) => size(b) - size(a))
      if (sort === 'turn') rows.sort((a, b) => when(b) - when(a))
      return rows
    })
    return {
      revision: this.exported.session.revision,
      n_items: gone.length,
      tokens: gone.reduce((sum, row) => sum + size(row), 0),
      items: this.items(listed, gone.slice(request.offset, request.offset + request.limit)),
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
      frees: [],
      ancestors: [],
      longest_chain: [],
      first_turn: known.first_turn,
      closed_turn: always.closed_turn,
      history,
      blocks: [],
      problems: session.problems.filter((problem) => problem.episode === episode),
    }
  }

  /** Goes to a cut, or to the nearest place before it at which the list was looked at. */
  private list(cut: CutDto): Listed {
    const wanted = this.at(cut)
    const { looked_at } = this.of
    const place = looked_at ? (looked_at[Math.max(0, after(looked_at, wanted.place) - 1)] ?? 0) : wanted.place
    if (this.listed?.place === place) return this.listed
    const turn = Math.max(1, after(this.starts, place))
    this.standing ??= new Standing(this.of.spans)
    this.standing.to(place)
    this.listed = { place, turn, step: place - (this.starts[turn - 1] ?? 0), rows: new Map() }
    return this.listed
  }

  /** The rows of a list, kept as long as one stays at its place. */
  private rowsOf(listed: Listed, name: string, pick: () => number[]): number[] {
    const known = listed.rows.get(name)
    if (known) return known
    const rows = pick()
    listed.rows.set(name, rows)
    return rows
  }

  /** The rows of which something holds, in model order. */
  private rowsWith(holds: (state: ExportedStateDto) => boolean): number[] {
    const { states } = this.of
    const held = states.map(holds)
    const rows: number[] = []
    this.standing?.states.forEach((number, row) => {
      if (number > 0 && held[number - 1]) rows.push(row)
    })
    return rows
  }

  private stateOf(row: number): ExportedStateDto | undefined {
    return this.of.states[(this.standing?.states[row] ?? 0) - 1]
  }

  private items(listed: Listed, wanted: readonly number[]): ItemDto[] {
    const isMet = after(this.of.met, listed.place) % 2 === 0
    return wanted.flatMap((row) => {
      const state = this.stateOf(row)
      return state ? [this.item(row, state, isMet)] : []
    })
  }

  private word(at: number | null | undefined): string | null {
    return at === null || at === undefined ? null : (this.exported.words[at] ?? '')
  }

  private item(row: number, state: ExportedStateDto, isMet: boolean): ItemDto {
    const { rows } = this.exported
    return {
      block: rows.block[row] ?? '',
      entry: this.word(rows.entry[row]) ?? '',
      line: rows.line[row] ?? 0,
      role: this.word(rows.role[row]) ?? '',
      author: this.word(rows.author[row]) ?? '',
      kind: this.word(rows.kind[row]) ?? '',
      tool: this.word(rows.tool[row]),
      path: null,
      first_turn: null,
      again_turn: null,
      failed: this.failed.has(row),
      episode: rows.episode[row] ?? null,
      kept: state.kept,
      level: state.level,
      reason: this.word(isMet ? state.reason : state.reason_over) ?? '',
      evicted_turn: state.evicted_turn,
      evicted_step: state.evicted_step,
      tokens: this.of.tokens[row] ?? 0,
      placeholder: this.word(state.placeholder),
      text: rows.text[row] ?? '',
      n_chars: rows.n_chars[row] ?? 0,
      n_lines: rows.n_lines[row] ?? 0,
      n_images: rows.n_images[row] ?? 0,
    }
  }
}

/** The findings that are there at a cut: what a step of the same turn brought about, only after that step. */
export function foundAt(
  findings: readonly FindingDto[],
  turn: number,
  step: number,
  nSteps: number,
): FindingDto[] {
  const here = findings.filter((one) => {
    if (one.turn > turn || (one.last_turn !== null && one.last_turn < turn)) return false
    return one.turn !== turn || step >= nSteps || (one.step !== null && one.step <= step)
  })
  here.sort((a, b) => Number(b.watched) - Number(a.watched))
  return here.slice(0, FINDINGS_LISTED)
}

import type { Commands } from '../commands'
import type { AuthorDto } from '../generated/AuthorDto'
import type { ItemKindDto } from '../generated/ItemKindDto'
import type { RoleDto } from '../generated/RoleDto'
import type { CutDto } from '../generated/CutDto'
import type { EpisodeDetailDto } from '../generated/EpisodeDetailDto'
import type { ExportDto } from '../generated/ExportDto'
import type { ExportedStateDto } from '../generated/ExportedStateDto'
import type { ExportedViewDto } from '../generated/ExportedViewDto'
import type { FrameDto } from '../generated/FrameDto'
import type { ItemDto } from '../generated/ItemDto'
import type { PageDto } from '../generated/PageDto'
import type { PageRequest } from '../generated/PageRequest'
import type { SortDto } from '../generated/SortDto'
import type { CompareDto } from '../generated/CompareDto'
import type { FindDto } from '../generated/FindDto'
import type { ListDto } from '../generated/ListDto'
import type { MarksDto } from '../generated/MarksDto'
import type { PlaceDto } from '../generated/PlaceDto'
import type { ViewDto } from '../generated/ViewDto'
import type { WantedDto } from '../generated/WantedDto'
import { HostError } from '../host'
import { foundIn, marksIn } from './found'
import { Folded, Standing, countUpTo, isBetween, valueAt } from './changes'

/** A moment: the number of a cut, counted through all turns and steps, with the cut. */
interface Moment {
  moment: number
  turn: number
  step: number
}

/** The error of a question that the page has no answer to. */
export const notHeld = () => new HostError('unknown', 'the page does not hold that')

/** True where a list has only the rows whose texts hold something. */
const isPart = (only: WantedDto | null): only is WantedDto => only !== null && only.query !== ''

/** The answers of one view, looked up in an export. Nothing is worked out here: see `crates/host/src/export`. */
export class RecordedAnswers {
  private readonly exported: ExportDto
  private readonly of: ExportedViewDto
  /** The moment of each turn before its first step. */
  private readonly starts: number[] = []
  private readonly levels: Folded
  private readonly left: Folded
  private readonly failed: ReadonlySet<number>
  private readonly derived: ReadonlySet<number>
  /** The state of each row at the moment whose list was asked for last. Made with the first list. */
  private standing: Standing | null = null
  private rowsByBlock: Map<string, number> | null = null

  constructor(exported: ExportDto, view: ExportedViewDto) {
    this.exported = exported
    this.of = view
    this.failed = new Set(exported.rows.failed)
    this.derived = new Set(view.derived)
    let start = 0
    for (const { steps } of view.steps) {
      this.starts.push(start)
      start += steps.length + 1
    }
    const { episodes } = view.graph
    this.levels = new Folded(
      episodes.map(() => 0),
      view.levels,
    )
    this.left = new Folded(
      episodes.map(({ kept_at }) => kept_at[0]),
      view.left,
    )
  }

  frame({ cut, held }: Commands['frame']['request']): FrameDto {
    const { graph, history, replay, steps } = this.of
    const { turn, moment } = this.momentOf(cut)
    return {
      revision: this.exported.session.revision,
      graph: held === 'nothing' ? graph : null,
      history: held === 'nothing' ? history : null,
      replay: held === 'replay' ? null : replay,
      // Copies, because the folds change their values in place.
      levels: Uint8Array.from(this.levels.at(moment)),
      left: Uint32Array.from(this.left.at(moment)),
      steps: steps[turn - 1]!,
    }
  }

  page(request: PageRequest): PageDto {
    const { list } = request
    switch (list.type) {
      case 'context':
        return this.context(request, list.ghosts)
      case 'evicted':
        return this.evicted(request, list.sort, list.only)
      case 'diff':
        throw notHeld()
    }
  }

  /** Which rows of a list hold a text, as far as the page holds them. */
  find({ cut, list, wanted }: Commands['find']['request']): FindDto {
    this.listedAt(cut)
    const texts = this.listed(list).map((row) => this.searched(row, list))
    return { revision: this.exported.session.revision, ...foundIn(texts, wanted) }
  }

  /** Where in one row of a list a text stands. */
  marks({ cut, block, as_sent, wanted }: Commands['marks']['request']): MarksDto {
    this.listedAt(cut)
    const row = this.rowOf(block)
    if (row === null) return { ranges: [], snippet: null }
    return marksIn(this.searched(row, { type: 'context', ghosts: !as_sent }), wanted)
  }

  /** The place of a block in a list, or of the row that is nearest to it in the log. */
  place({ cut, list, block, line }: Commands['place']['request']): PlaceDto {
    this.listedAt(cut)
    const { rows } = this.exported
    const listed = this.listed(list)
    const exact = listed.findIndex((row) => rows.block[row] === block)
    if (exact >= 0) return { index: exact, exact: true }
    if (list.type === 'evicted' && list.sort !== 'log') return { index: null, exact: false }
    const away = (row: number) => Math.abs((rows.line[row] ?? 0) - line)
    const nearest = listed.reduce(
      (best, row, at) => (best < 0 || away(row) < away(listed[best]!) ? at : best),
      -1,
    )
    return { index: nearest < 0 ? null : nearest, exact: false }
  }

  /** The text of a block as far as the page holds it, and how long the whole of it is; `null` for one that it does not hold. */
  textOf(block: string): { text: string; nChars: number } | null {
    const row = this.rowOf(block)
    const { rows } = this.exported
    return row === null ? null : { text: rows.text[row] ?? '', nChars: rows.n_chars[row] ?? 0 }
  }

  /** The comparison at the recorded turn that is nearest before the cut. */
  compare({ cut }: Pick<Commands['compare']['request'], 'cut'>): CompareDto {
    const { comparison } = this.of
    if (!comparison) throw notHeld()
    const { whole, turns, at } = comparison
    const recorded = Math.max(0, countUpTo(turns, this.momentOf(cut).turn) - 1)
    return {
      ...whole,
      turn: turns[recorded] ?? whole.turn,
      columns: whole.columns.map((column, idx) => ({ ...column, ...at[idx]?.[recorded] })),
    }
  }

  /** The views that are compared, the main one first; none where the page holds no comparison. */
  get compared(): readonly ViewDto[] {
    return this.of.comparison?.views ?? []
  }

  get regrets() {
    return this.of.regrets
  }

  get stories() {
    return this.of.stories
  }

  /** The rows of a list at the moment that the rows stand at, in its order. */
  private listed(list: ListDto): number[] {
    switch (list.type) {
      case 'context':
        return this.rowsIn((state) => list.ghosts || state.sent)
      case 'evicted':
        return this.goneRows(list.sort, list.only)
      case 'diff':
        throw notHeld()
    }
  }

  /** The text of a row that find looks through: a list of what is sent has placeholders in the place of outputs. */
  private searched(row: number, list: ListDto): string {
    const isAsSent = list.type === 'context' && !list.ghosts
    const state = isAsSent ? this.of.states[(this.standing?.states[row] ?? 0) - 1] : undefined
    return this.wordOrNull(state?.placeholder) ?? this.exported.rows.text[row] ?? ''
  }

  private rowOf(block: string): number | null {
    this.rowsByBlock ??= new Map(this.exported.rows.block.map((name, row) => [name, row]))
    return this.rowsByBlock.get(block) ?? null
  }

  private context(request: PageRequest, ghosts: boolean): PageDto {
    const { moment, turn, step } = this.listedAt(request.cut)
    const { history, totals, over, findings, finding_spans } = this.of
    const rows = this.rowsIn((state) => ghosts || state.sent)
    return {
      type: 'context',
      revision: this.exported.session.revision,
      turn,
      step,
      counted_by: history.counted_by,
      total: totals[moment] ?? 0,
      overhead: history.overhead[turn - 1] ?? 0,
      reported: history.reported[turn - 1] ?? null,
      n_items: rows.length,
      items: this.items(rows, request, moment),
      over_budget: over.find(([at]) => at === moment)?.[1] ?? null,
      // No pane shows them.
      violations: [],
      findings: findings.filter((_, at) => isBetween(finding_spans[at] ?? [], moment)),
    }
  }

  /** The rows that are not kept, of texts that hold something only where that is asked for. */
  private goneRows(sort: SortDto, only: WantedDto | null): number[] {
    const { tokens } = this.of
    let rows = this.rowsIn((state) => !state.kept, this.exported.rows.in_log_order)
    if (isPart(only)) {
      const texts = rows.map((row) => this.exported.rows.text[row] ?? '')
      rows = foundIn(texts, only).at.map((place) => rows[place]!)
    }
    const sortedBy = { size: (row: number) => tokens[row] ?? 0, turn: (row: number) => this.evictedAt(row) }
    const key = sortedBy[sort as keyof typeof sortedBy]
    if (key) rows.sort((a, b) => key(b) - key(a))
    return rows
  }

  private evicted(request: PageRequest, sort: SortDto, only: WantedDto | null): PageDto {
    const { moment } = this.listedAt(request.cut)
    const { tokens, looked_at, gone_tokens, absences } = this.of
    const listed = looked_at ? countUpTo(looked_at, moment) - 1 : moment
    const rows = this.goneRows(sort, only)
    const sum = () => rows.reduce((all, row) => all + (tokens[row] ?? 0), 0)
    return {
      type: 'evicted',
      revision: this.exported.session.revision,
      n_items: rows.length,
      tokens: isPart(only) ? sum() : (gone_tokens[listed] ?? 0),
      items: this.items(rows, request, moment).map((item, at) => {
        const [first_turn, again_turn] = absences[rows[request.offset + at]!] ?? [null, null]
        return { ...item, first_turn, again_turn }
      }),
    }
  }

  episode({ cut, episode }: Commands['episode']['request']): EpisodeDetailDto {
    const { moment } = this.momentOf(cut)
    const { graph, details, detail_spans } = this.of
    const { session, episodes } = this.exported
    const detail = details[valueAt(detail_spans[episode] ?? [], moment) ?? -1]
    const [known, always] = [graph.episodes[episode], episodes[episode]]
    if (!detail || !known || !always) throw notHeld()
    return {
      episode,
      name: known.name,
      kind: known.kind,
      first_turn: known.first_turn,
      problems: session.problems.filter((problem) => problem.episode === episode),
      ...always,
      ...detail,
      frees: this.freedBy(episode, moment),
      history: this.historyOf(episode, moment),
    }
  }

  /** The closed episodes that only this one keeps from going, as the details of a moment tell. */
  private freedBy(episode: number, moment: number): number[] {
    const { details, detail_spans } = this.of
    return detail_spans.flatMap((spans, at) => {
      const detail = details[valueAt(spans, moment) ?? -1]
      if (detail?.life !== 'closed') return []
      const [only, ...others] = detail.blocked_by
      return only === episode && others.length === 0 ? [at] : []
    })
  }

  /** The steps that touched an episode, as far as they are history at a moment, each with its sentence. */
  private historyOf(episode: number, moment: number): EpisodeDetailDto['history'] {
    const spans = this.of.histories[episode] ?? []
    const history: EpisodeDetailDto['history'] = []
    for (let at = 0; at < spans.length; at += 2) {
      const [from, to] = [spans[at]!, spans[at + 1]!]
      if (moment < from || moment >= to) continue
      const { turn, step } = this.cutAt(from)
      const taken = this.of.steps[turn - 1]?.steps[step - 1]
      history.push([turn, step, taken?.sentence ?? '', taken?.before ?? 0])
    }
    return history
  }

  /** Makes a cut concrete, as the host does: `null` is the last turn, and all steps of a turn. */
  private momentOf(cut: CutDto): Moment {
    const { steps } = this.of
    const turn = Math.max(1, Math.min(cut.turn ?? steps.length, steps.length))
    const most = steps[turn - 1]?.steps.length ?? 0
    const step = Math.max(0, Math.min(cut.step ?? most, most))
    return { turn, step, moment: (this.starts[turn - 1] ?? 0) + step }
  }

  private cutAt(moment: number): Moment {
    const turn = Math.max(1, countUpTo(this.starts, moment))
    return { moment, turn, step: moment - (this.starts[turn - 1] ?? 0) }
  }

  /** Brings the rows to a cut, or to the nearest cut before it whose list was recorded. */
  private listedAt(cut: CutDto): Moment {
    const wanted = this.momentOf(cut)
    const { looked_at, spans } = this.of
    const at = looked_at
      ? this.cutAt(looked_at[Math.max(0, countUpTo(looked_at, wanted.moment) - 1)] ?? 0)
      : wanted
    this.standing ??= new Standing(spans)
    this.standing.to(at.moment)
    return at
  }

  /** The listed rows whose state is wanted, in the order of the context or in another one. */
  private rowsIn(isWanted: (state: ExportedStateDto) => boolean, order: number[] | null = null): number[] {
    const wanted = this.of.states.map(isWanted)
    const states = this.standing!.states
    const rows: number[] = []
    const look = (row: number) => {
      const state = states[row]!
      if (state > 0 && wanted[state - 1]) rows.push(row)
    }
    if (order) order.forEach(look)
    else for (let row = 0; row < states.length; row += 1) look(row)
    return rows
  }

  private stateOf(row: number): ExportedStateDto {
    return this.of.states[(this.standing?.states[row] ?? 0) - 1]!
  }

  private evictedAt(row: number): number {
    const { evicted_turn, evicted_step } = this.stateOf(row)
    return (evicted_turn ?? 0) * 1e6 + (evicted_step ?? 0)
  }

  private items(rows: readonly number[], page: { offset: number; limit: number }, moment: number): ItemDto[] {
    const isMet = countUpTo(this.of.met, moment) % 2 === 0
    return rows.slice(page.offset, page.offset + page.limit).map((row) => this.item(row, isMet))
  }

  private item(row: number, isMet: boolean): ItemDto {
    const { rows } = this.exported
    const state = this.stateOf(row)
    return {
      block: rows.block[row] ?? '',
      entry: this.word(rows.entry[row]),
      line: rows.line[row] ?? 0,
      role: this.word(rows.role[row]) as RoleDto,
      author: this.word(rows.author[row]) as AuthorDto,
      kind: this.word(rows.kind[row]) as ItemKindDto,
      tool: this.wordOrNull(rows.tool[row]),
      path: this.wordOrNull(rows.path[row]),
      about: this.wordOrNull(rows.about[row]),
      first_turn: null,
      again_turn: null,
      failed: this.failed.has(row),
      derived: this.derived.has(row),
      episode: rows.episode[row] ?? null,
      kept: state.kept,
      level: state.level,
      reason: this.word(isMet ? state.reason : state.reason_over),
      evicted_turn: state.evicted_turn,
      evicted_step: state.evicted_step,
      tokens: this.of.tokens[row] ?? 0,
      placeholder: this.wordOrNull(state.placeholder),
      text: rows.text[row] ?? '',
      n_chars: rows.n_chars[row] ?? 0,
      n_lines: rows.n_lines[row] ?? 0,
      n_images: rows.n_images[row] ?? 0,
    }
  }

  private word(at: number | undefined): string {
    return this.exported.words[at ?? -1] ?? ''
  }

  private wordOrNull(at: number | null | undefined): string | null {
    return at === null || at === undefined ? null : this.word(at)
  }
}

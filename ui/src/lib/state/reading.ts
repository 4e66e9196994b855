import type { ContextItem } from '../ipc/generated/ContextItem'
import { hostErrorOf, type Host } from '../ipc/host'
import { text } from '../text'
import { capital, count } from '../view/format'
import { isLogged } from '../view/rows'
import type { Clipboard } from './clipboard'
import type { Pages } from './pages'
import type { RowStates } from './rows'
import type { SaidOnce } from './said'
import type { Texts } from './texts'
import type { Workbench } from './workbench'

/** A list of blocks as the keyboard sees it. */
export interface ReadList {
  rows: RowStates
  n: () => number
  itemAt: (idx: number) => ContextItem | undefined
  /** The first row that is in view from its beginning. */
  top: () => number | null
  /** The key of a row. */
  keyAt: (idx: number) => string | null
  /** The next or previous row that differs, in a list that has such. */
  changeFrom?: (row: number, by: 1 | -1) => number | null
}

const nChars = (copied: string): string => count([...copied].length)

/** A list of blocks, one per row. */
export const readListOf = (pages: Pages<ContextItem>, rows: RowStates): ReadList => ({
  rows,
  n: () => pages.store.get().n,
  itemAt: (idx) => pages.at(idx),
  top: () => pages.seen,
  keyAt: (idx) => pages.at(idx)?.block ?? null,
})

/** Carries out the keys in the list on screen: goes through its blocks, opens and copies them, tells their lines. */
export class Reading {
  private readonly host: Host
  private readonly bench: Workbench
  private readonly texts: Texts
  private readonly said: SaidOnce
  private readonly clipboard: Clipboard
  private readonly list: () => ReadList | null

  /** `list` tells which list shows. */
  constructor(
    host: Host,
    bench: Workbench,
    texts: Texts,
    said: SaidOnce,
    clipboard: Clipboard,
    list: () => ReadList | null,
  ) {
    this.host = host
    this.bench = bench
    this.texts = texts
    this.said = said
    this.clipboard = clipboard
    this.list = list
  }

  /** True while a list shows. */
  get isOn(): boolean {
    return this.list() !== null
  }

  /** Gives the next or previous block the keyboard. */
  move(by: 1 | -1): void {
    const list = this.list()
    const n = list?.n() ?? 0
    if (!list || n === 0) return
    const active = this.active(list)
    // Where nothing has the keyboard, the first row in view gets it: where one looks.
    const next = active === null ? (list.top() ?? n - 1) : Math.max(0, Math.min(n - 1, active + by))
    list.rows.activate(next, list.keyAt(next), true)
  }

  /** Goes to the next or previous change of a diff. */
  change(by: 1 | -1): void {
    const list = this.list()
    if (!list?.changeFrom) return
    const from = this.active(list) ?? (list.top() ?? 0) - 1
    const next = list.changeFrom(from, by)
    if (next !== null) list.rows.activate(next, list.keyAt(next), true)
  }

  /** True where the list that shows has changes. */
  get hasChanges(): boolean {
    return this.list()?.changeFrom !== undefined
  }

  /** Opens or closes the block that has the keyboard. */
  toggle(): void {
    const list = this.list()
    const item = list && this.item(list)
    if (list && item) list.rows.toggle(item.block)
  }

  /** Copies the block that has the keyboard, or else the first in view. */
  async copy(): Promise<void> {
    const list = this.list()
    const item = list && this.item(list)
    if (list && item) await this.copyBlock(item, list.rows.store.get().raw.has(item.block))
  }

  /** Copies the whole text of a block, or its JSON in the log. */
  async copyBlock(item: ContextItem, raw: boolean): Promise<void> {
    await this.clipboard.put(this.wholeOf(item, raw), (copied) => text.context.copiedBlock(nChars(copied)))
  }

  /** Copies all that the model would receive, as text. */
  async copyAll(): Promise<void> {
    const { question } = this.bench.bench
    if (!question) return
    const { session, view, cut } = question
    const answer = this.host.call('context_text', { session, view, cut })
    await this.clipboard.put(
      answer.then((whole) => whole.text),
      (copied) => text.context.copiedAll(nChars(copied)),
    )
  }

  /** Says where the block that has the keyboard stands in the log. */
  line(): void {
    const list = this.list()
    const item = list && this.item(list)
    if (item) void this.goToLine(item.line)
  }

  /** Opens the log at a line in the user's editor. Where the user named none, says the line and offers its place to copy. */
  async goToLine(line: number): Promise<void> {
    const { session } = this.bench.bench
    if (!session) return
    try {
      if (await this.host.editLine?.(session.session, line)) {
        this.said.say(text.context.lineOpened(count(line)))
        return
      }
    } catch (thrown) {
      const { message, hint } = hostErrorOf(thrown)
      this.said.say(hint === null ? `${capital(message)}.` : `${capital(message)}: ${hint}.`)
      return
    }
    this.tellLine(session.path, line)
  }

  private tellLine(path: string, line: number): void {
    const place = `${path}:${line}`
    this.said.say(text.context.lineOf(count(line), path), {
      label: text.context.copyPlace,
      run: () => void this.clipboard.put(place, text.context.copiedPlace),
    })
  }

  private async wholeOf(item: ContextItem, raw: boolean): Promise<string> {
    const { session, view } = this.bench.bench
    if (!session || !isLogged(item)) return item.text
    const whole = await this.texts.get({ session: session.session, branch: view.branch, block: item.block })
    return raw ? whole.raw : whole.text
  }

  private active(list: ReadList): number | null {
    const { active, block } = list.rows.store.get()
    if (active === null || active >= list.n()) return null
    const there = list.keyAt(active)
    return there === null || block === null || there === block ? active : null
  }

  private item(list: ReadList): ContextItem | undefined {
    const at = this.active(list) ?? list.top() ?? list.n() - 1
    return list.itemAt(at)
  }
}

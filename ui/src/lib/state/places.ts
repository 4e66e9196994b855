import {
  NOWHERE,
  changed,
  formatLink,
  parseLink,
  type LinkedView,
  type LinkTarget,
  type NamedPlace,
} from '../view/link'
import type { Column } from '../view/comparison'
import type { Distance } from '../view/distance'
import type { Options } from '../view/options'
import { until } from './memo'
import type { Store } from './store'
import { START, type Whereabouts, type Workbench } from './workbench'

/** The way through the pages of a window or tab, as the browser keeps it. */
export interface Way {
  readonly query: string
  /** True where this page wrote the query, or a person by choosing in it; false for an address that came from elsewhere. */
  readonly isOwn: boolean
  push(query: string): void
  replace(query: string): void
  back(): void
  forward(): void
  /** Calls `listen` after each step back or forward. */
  subscribe(listen: () => void): void
}

/** Changes of the same kind that follow each other within this time are one step of the way, milliseconds. */
const SAME_STEP_MS = 1500

/** The parts of a place that are dragged, played or stepped through. */
const FLOWING: ReadonlySet<string> = new Set(['cut', 'view', 'range'])

/** The parts of a place that are not on the bench. */
type Looked<Tab> = { tab: Tab; distance: Distance }
type Look<Tab> = Pick<Store<Looked<Tab>>, 'set' | 'subscribe'> & { get(): Looked<Tab> }

/** The columns beside the view of the bench, and the tab that shows them. */
interface Beside {
  readonly tab: string
  readonly store: { get(): { columns: Column[] }; subscribe(listen: () => void): unknown }
  take(columns: readonly Column[]): void
}

/**
 * Where the window is, as a link: what the address says, what can be copied, and what back and forward go through.
 *
 * A step of the way is made when something was chosen; steps, a drag and playing, which follow themselves quickly, are
 * one step.
 */
export class Places<Tab extends string> {
  private readonly bench: Workbench
  private readonly look: Look<Tab>
  private readonly tabs: readonly Tab[]
  private readonly beside: Beside | null
  private readonly way: Way
  private readonly now: () => number
  private last: { place: LinkTarget; kind: string; at: number } = { place: NOWHERE, kind: '', at: -Infinity }
  /** How many arrivals are underway, of which the last one counts. */
  private arriving = 0
  /** How many doings are underway that are one step of the way, each with several changes. */
  private joined = 0

  constructor(
    bench: Workbench,
    look: Look<Tab>,
    tabs: readonly Tab[],
    beside: Beside | null = null,
    way: Way = browserWay(),
    now = () => performance.now(),
  ) {
    this.bench = bench
    this.look = look
    this.tabs = tabs
    this.beside = beside
    this.way = way
    this.now = now
  }

  /** Starts to keep the address, and to hear back and forward. */
  start(): void {
    this.bench.store.subscribe(() => this.note())
    this.look.subscribe(() => this.note())
    this.beside?.store.subscribe(() => this.note())
    this.way.subscribe(() => void this.arrive(this.way.query))
  }

  /**
   * Goes where the address or the link that the host was started with leads; `null` where neither says a session. A web
   * page can make a link, and can lead a browser to an address, so `admitted` says what either may open; where that is
   * nothing, the window stays where it is.
   */
  first(link: string | null, admitted: (place: NamedPlace) => Promise<string | null>): Promise<void> | null {
    const address = parseLink(this.way.query)
    if (address.session !== null && this.way.isOwn) return this.arrive(this.way.query)
    const place = address.session === null ? parseLink(link ?? '') : address
    const { session, view } = place
    return session === null ? null : this.enter(place, admitted({ session, annotation: view.annotation }))
  }

  private async enter(place: LinkTarget, admitted: Promise<string | null>): Promise<void> {
    const session = await admitted
    if (session === null) {
      // Loading the page again does not ask again.
      this.way.replace('')
      return
    }
    // So that loading the page again tries it again.
    this.way.replace(formatLink({ ...place, session }))
    return this.arrive(this.way.query)
  }

  /** Does something that changes several parts of the place, as one step of the way. */
  async asOne(doing: () => Promise<void> | void): Promise<void> {
    this.joined += 1
    try {
      await doing()
    } finally {
      this.joined -= 1
      this.note()
    }
  }

  /** Goes where the address leads if it names this session, whose log was not there before; tells whether it does. */
  retry(session: string): boolean {
    if (parseLink(this.way.query).session !== session) return false
    void this.arrive(this.way.query)
    return true
  }

  back(): void {
    this.way.back()
  }

  forward(): void {
    this.way.forward()
  }

  /** The place that is shown. */
  current(): LinkTarget {
    const { session, view, given, cut, range, selected, block, graph, phase, target } = this.bench.bench
    if (phase === 'corpus') return { ...NOWHERE, session: target }
    if (!session || phase !== 'open') return NOWHERE
    const { policy, tokenizer, overhead, window, branch, annotation, options, pins = [], probes = [] } = view
    const name = selected === null ? undefined : graph?.episodes[selected]?.name
    const first = graph?.episodes.findIndex((episode) => episode.name === name)
    const { tab, distance } = this.look.get()
    return {
      session: session.path,
      view: {
        policy,
        ...(given === null ? {} : { budget: given }),
        tokenizer,
        ...(overhead === START.view.overhead ? {} : { overhead }),
        ...(window === null ? {} : { window }),
        ...(branch === null ? {} : { branch }),
        ...(annotation === START.view.annotation ? {} : { annotation }),
        options: options as Options,
        pins,
        probes,
      },
      cut,
      range,
      episode: name === undefined ? null : first === selected ? name : `#${selected}`,
      block,
      distance,
      tab,
      columns: this.beside?.tab === tab ? this.beside.store.get().columns : null,
    }
  }

  /** The query of the place that is shown. */
  query(): string {
    return formatLink(this.current())
  }

  /** Goes to a place of this or another session; `anew` opens this one again too. */
  async go(place: LinkTarget, anew = false): Promise<void> {
    if (place.session === null) return
    const { session, phase, view, target } = this.bench.bench
    if (!anew && phase === 'corpus' && target === place.session) return
    const names = session ? [session.path, session.id, String(session.session)] : []
    const here = !anew && phase === 'open' && names.includes(place.session)
    const there: Whereabouts = {
      given: place.view.budget ?? null,
      view: viewOf(place.view, here),
      cut: place.cut,
      range: place.range,
    }
    const tab = this.tabs.find((known) => known === place.tab)
    if (tab !== undefined) this.look.set({ tab })
    if (!here) await this.bench.open(place.session, place.cut, there)
    else {
      const { graph, viewFailure } = this.bench.bench
      this.bench.goTo(there)
      // Another branch has another graph, and so have other marks.
      if (there.view.branch !== view.branch || there.view.annotation !== view.annotation)
        await until([this.bench.store], () => {
          const now = this.bench.bench
          return now.graph !== graph || now.viewFailure !== viewFailure ? true : undefined
        })
    }
    this.bench.select(this.episodeOf(place.episode), place.block)
    this.look.set({ distance: place.distance })
    if (place.columns && this.bench.bench.phase === 'open') this.beside?.take(place.columns)
  }

  private async arrive(query: string): Promise<void> {
    this.arriving += 1
    try {
      await this.go(parseLink(query))
    } finally {
      this.arriving -= 1
      // A place that could not be reached stays in the address, to be tried again.
      if (this.arriving === 0 && this.isSomewhere) {
        this.last = { place: this.current(), kind: 'arrived', at: this.now() }
        this.way.replace(this.query())
      }
    }
  }

  /** True where a session is open, or a corpus. */
  private get isSomewhere(): boolean {
    const { phase } = this.bench.bench
    return phase === 'open' || phase === 'corpus'
  }

  private episodeOf(episode: string | null): number | null {
    if (episode === null) return null
    const [, idx] = /^#(\d+)$/.exec(episode) ?? []
    if (idx !== undefined) return Number(idx)
    const found = this.bench.bench.graph?.episodes.findIndex(({ name }) => name === episode) ?? -1
    return found < 0 ? null : found
  }

  private note(): void {
    if (this.arriving > 0 || this.joined > 0 || !this.isSomewhere) return
    const place = this.current()
    const keys = changed(this.last.place, place)
    if (keys.length === 0) return
    const at = this.now()
    const kind = keys.join(' ')
    // A view that changes places with a column takes that along.
    // Of what is chosen one by one, each choice is a step, however quickly they follow each other.
    const isSame = kind === this.last.kind && keys.every((key) => FLOWING.has(key))
    const goesAlong = kind === 'columns' && this.last.kind === 'view'
    const goesOn = (isSame || goesAlong) && at - this.last.at < SAME_STEP_MS
    const isFirst = this.last.place.session === null
    this.last = { place, kind, at }
    if (goesOn || isFirst) this.way.replace(formatLink(place))
    else this.way.push(formatLink(place))
  }
}

/**
 * A view with what a link leaves out at its default, apart from the policy, which depends on the session; what is watched stays
 * where the link says nothing of it.
 */
function viewOf(linked: LinkedView, here: boolean): Whereabouts['view'] {
  const { policy, tokenizer, overhead, window, branch, annotation, options, pins, probes, budget } = linked
  const usual = START.view
  // A link that sets τ or an option is about a policy.
  const asksWhatIf = policy !== undefined || budget !== undefined || Object.keys(options).length > 0
  return {
    ...(asksWhatIf ? { policy: policy ?? usual.policy, options } : {}),
    tokenizer: tokenizer ?? usual.tokenizer,
    overhead: overhead ?? usual.overhead,
    window: window ?? null,
    branch: branch ?? null,
    annotation: annotation ?? usual.annotation,
    ...(budget === undefined ? {} : { budget }),
    ...(here || pins.length > 0 || probes.length > 0 ? { pins, probes } : {}),
  }
}

/** The way of a page that is one file with one session in it: a place is the fragment of its address, without the session. */
export function fragmentWay(session: string): Way {
  return browserWay({
    read: () => {
      const place = location.hash.slice(1)
      return place === '' ? '' : `${new URLSearchParams({ session }).toString()}&${place}`
    },
    written: (query) => `${location.pathname}${location.search}#${withoutSession(query)}`,
    isOwn: () => true,
  })
}

/** A query without the session, which stands first in it. */
export const withoutSession = (query: string): string => query.replace(/^session=[^&]*&?/, '')

/** How a way reads and writes places. */
interface Writing {
  read: () => string
  written: (query: string) => string
  isOwn: () => boolean
}

/** The mark of entries of the browser's history that this page wrote. No page of another origin can set it. */
const OWN = { cwl: 'own' }

/** The address keeps what it says besides, as the fragment. */
const IN_QUERY: Writing = {
  read: () => location.search.slice(1),
  written: (query) => `${location.pathname}${query === '' ? '' : `?${query}`}${location.hash}`,
  isOwn: () => (history.state as Partial<typeof OWN> | null)?.cwl === OWN.cwl,
}

/** The address is written anew at most this often, milliseconds: an engine refuses to do it hundreds of times. */
const WRITE_EVERY_MS = 350

/** The way of this page. */
function browserWay({ read, written: address, isOwn }: Writing = IN_QUERY): Way {
  let wanted: string | null = null
  let written = -Infinity
  const write = () => {
    if (wanted !== null) {
      history.replaceState(OWN, '', address(wanted))
      written = performance.now()
    }
    wanted = null
  }
  return {
    get query() {
      return wanted ?? read()
    },
    get isOwn() {
      return wanted !== null || isOwn()
    },
    push(query) {
      write()
      history.pushState(OWN, '', address(query))
    },
    replace(query) {
      const isDue = wanted !== null
      wanted = query
      const wait = written + WRITE_EVERY_MS - performance.now()
      if (wait <= 0) write()
      else if (!isDue) setTimeout(write, wait)
    },
    back() {
      write()
      history.back()
    },
    forward() {
      write()
      history.forward()
    },
    subscribe(listen) {
      window.addEventListener('pagehide', write)
      window.addEventListener('popstate', () => {
        wanted = null
        listen()
      })
    },
  }
}

import type { ViewCut } from '../ipc/generated/ViewCut'
import type { Column } from './comparison'
import { parseDistance, type Distance } from './distance'

/** A range of turns, both included. */
export interface TurnRange {
  from: number
  to: number
}

/** The view that a link asks for. Every field that it leaves out has its default. */
export interface LinkedView {
  policy?: string
  /** Only where the user set it. Otherwise the harness's own or the default holds where the link is opened. */
  budget?: string
  tokenizer?: string
  overhead?: string
  window?: number
  branch?: string
  annotation?: string
  options: Record<string, string>
  pins: string[]
  probes: string[]
}

/** A place in the window: everything that a link leads to. */
export interface LinkTarget {
  /** A path, or the number or id of a session; `null` is the window without one. */
  session: string | null
  view: LinkedView
  cut: ViewCut
  range: TurnRange | null
  /** The selected episode by its name, or by its place in the graph as `#12` where several have that name. */
  episode: string | null
  block: string | null
  /** The distance from which the graph is seen. */
  distance: Distance
  tab: string | null
  /** The compared columns, if the Compare tab is shown; `null` keeps the columns of before. */
  columns: Column[] | null
}

/** The parts of a place that name files. */
export interface NamedPlace {
  session: string
  annotation: string | undefined
}

export const NOWHERE: LinkTarget = {
  session: null,
  view: { options: {}, pins: [], probes: [] },
  cut: { turn: null, step: null },
  range: null,
  episode: null,
  block: null,
  distance: 'session',
  tab: null,
  columns: null,
}

/** Writes a place as a query, `session=…&turn=…`, always in the same order; empty for the window without a session. */
export function formatLink(place: LinkTarget): string {
  const { session, view, cut, range, episode, block, distance, tab, columns } = place
  if (session === null) return ''
  const query = new URLSearchParams({ session })
  const put = (key: string, value: string | number | null | undefined) => {
    if (value !== null && value !== undefined && value !== '') query.append(key, String(value))
  }
  put('turn', cut.turn)
  put('step', cut.step)
  put('from', range?.from)
  put('to', range?.to)
  put('policy', view.policy)
  put('tau', view.budget)
  for (const [key, value] of Object.entries(view.options).sort(([a], [b]) => (a < b ? -1 : 1)))
    put('set', `${key}=${value}`)
  put('tokenizer', view.tokenizer)
  put('overhead', view.overhead)
  put('window', view.window)
  put('branch', view.branch)
  put('annotation', view.annotation)
  for (const pin of view.pins) put('pin', pin)
  for (const probe of view.probes) put('probe', probe)
  put('episode', episode)
  put('block', block)
  put('distance', distance === NOWHERE.distance ? null : distance)
  put('tab', tab)
  for (const column of columns ?? []) query.append('with', formatColumn(column))
  // To compare with nothing is another thing than not to say with what.
  if (columns?.length === 0) query.append('with', '')
  // A path is easier to read, and to shorten by hand, with its slashes.
  return query.toString().replaceAll('%2F', '/').replaceAll('%3A', ':')
}

/**
 * Reads a place from a query or a whole link. Unknown keys and numbers that cannot be read are left out; the host says
 * whether a policy or a turn exists.
 */
export function parseLink(link: string): LinkTarget {
  const query = new URLSearchParams(queryOf(link))
  const text = (key: string) => query.get(key) || null
  const number = (key: string, least: number) => {
    const value = query.get(key) ?? ''
    return /^\d{1,9}$/.test(value) && Number(value) >= least ? Number(value) : null
  }
  const options: Record<string, string> = {}
  for (const set of query.getAll('set')) {
    const [, key, value] = /^([\w-]+)=(.*)$/s.exec(set) ?? []
    if (key !== undefined && value !== undefined) options[key] = value
  }
  const [from, to] = [number('from', 1), number('to', 1)]
  const turn = number('turn', 1)
  const view: LinkedView = {
    options,
    pins: query.getAll('pin').filter((pin) => pin !== ''),
    probes: query.getAll('probe').filter((probe) => probe !== ''),
  }
  for (const [key, name] of [
    ['policy', 'policy'],
    ['tau', 'budget'],
    ['tokenizer', 'tokenizer'],
    ['overhead', 'overhead'],
    ['branch', 'branch'],
    ['annotation', 'annotation'],
  ] as const) {
    const value = text(key)
    if (value !== null) view[name] = value
  }
  const window = number('window', 1)
  if (window !== null) view.window = window
  return {
    session: text('session'),
    view,
    cut: { turn, step: number('step', 0) },
    range: from !== null && to !== null && from <= to ? { from, to } : null,
    episode: text('episode'),
    block: text('block'),
    distance: parseDistance(text('distance')),
    tab: currentTab(text('tab')),
    columns: query.has('with') ? query.getAll('with').flatMap(parseColumn) : null,
  }
}

/** A column as `summary;tau=20k;set=keep=3`. */
const formatColumn = ({ policy, budget, options }: Column): string =>
  [
    policy,
    ...(budget === null ? [] : [`tau=${budget}`]),
    ...Object.entries(options)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => `set=${key}=${value}`),
  ]
    .map((part) => part.replaceAll('%', '%25').replaceAll(';', '%3B'))
    .join(';')

/** The column of a text, as far as it makes sense; none without a policy. */
function parseColumn(text: string): Column[] {
  const [policy = '', ...parts] = text
    .split(';')
    .map((part) => part.replaceAll('%3B', ';').replaceAll('%25', '%'))
  if (policy === '') return []
  const column: Column = { policy, budget: null, options: {} }
  for (const part of parts) {
    const [, key, value] = /^set=([\w-]+)=(.*)$/s.exec(part) ?? []
    if (key !== undefined && value !== undefined) column.options[key] = value
    else if (/^tau=./s.test(part)) column.budget = part.slice('tau='.length)
  }
  return [column]
}

/** The query of a link in any of its forms: `cwl-inspector://open?…`, a page's address, `?…`, or the query itself. */
function queryOf(link: string): string {
  const mark = link.indexOf('?')
  const query = mark >= 0 ? link.slice(mark + 1) : /^[a-z-]+:\/\//i.test(link) ? '' : link
  return query.split('#')[0] ?? ''
}

/** The parts of a place that differ, to tell one kind of move from another. */
export function changed(a: LinkTarget, b: LinkTarget): string[] {
  const keys = Object.keys(a) as (keyof LinkTarget)[]
  return keys.filter((key) => JSON.stringify(a[key]) !== JSON.stringify(b[key]))
}

/** The present key of a tab that links of earlier versions name otherwise. */
function currentTab(key: string | null): string | null {
  return key === 'regrets' ? 'reacquisitions' : key
}

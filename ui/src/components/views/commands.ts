import { chosenRow, chosenSubject, pinChosen } from './chosen'
import type { App } from '../../lib/state/app'
import { isOpen, needing, open, read, type Command } from '../../lib/state/command'
import { PICTURE_KINDS, pictures } from '../../lib/state/picture'
import { distanceNow, moveDistance } from '../../lib/state/distance'
import { turnFold } from '../../lib/state/layout'
import { CHOICES, LAYOUT, exchange, settings, textBy } from '../../lib/state/settings'
import { fit, panBy, viewport, showTurns, zoomCentre } from '../../lib/state/viewport'
import { text } from '../../lib/text'
import { PANES, TABS, type Tab } from '../../panes'
import type { Pane } from '../../panes/pane'

/** In the reading mode a range is not seen. */
const hasRange = (app: App) => isOpen(app) && app.bench.bench.range !== null && !app.panes.get().reading

const tau = (direction: 1 | -1) => (app: App) => {
  const budget = app.budgetBeside(direction)
  if (budget !== null) app.bench.setView({ budget }, true)
}

const distanceBy = (direction: 1 | -1) => (app: App) =>
  void app.places.asOne(() => moveDistance(app, direction))

const isSimulating = (app: App) => isOpen(app) && app.bench.isWhatIf

const isPresenting = (app: App) => app.presenter.store.get().on

/** The keys of a tab: its own, or its number among the tabs without, of which the first nine have a key. */
function keysOf(tab: Tab): readonly string[] {
  const { keys }: Pane = PANES[tab]
  const at = TABS.filter((name) => (PANES[name] as Pane).keys === undefined).indexOf(tab)
  return keys ?? (at < 9 ? [String(at + 1)] : [])
}

const isDuelling = (app: App) => isOpen(app) && app.duel.store.get().on

/** Makes a command of the duel, whose keys mean something else in the window. */
const inDuel = (id: string, keys: readonly string[], title: string, run: Command['run']): Command => ({
  id,
  group: 'duel',
  keys,
  title,
  when: isDuelling,
  run,
})

export const COMMANDS: readonly Command[] = [
  {
    ...inDuel('duel.leave', ['Escape', 'D'], text.commands.duelLeave, (app) => app.duel.set(false)),
    anywhere: true,
  },
  inDuel('duel.play', [' '], text.commands.duelPlay, (app) => app.duel.toggle()),
  inDuel('duel.back', ['ArrowLeft'], text.commands.duelBack, (app) => app.duel.turnBy(-1)),
  inDuel('duel.forward', ['ArrowRight'], text.commands.duelForward, (app) => app.duel.turnBy(1)),
  inDuel('duel.back.far', ['Shift+ArrowLeft'], text.commands.duelBackFar, (app) => app.duel.turnBy(-10)),
  inDuel('duel.forward.far', ['Shift+ArrowRight'], text.commands.duelForwardFar, (app) =>
    app.duel.turnBy(10),
  ),
  inDuel('duel.first', ['Home'], text.commands.duelFirst, (app) => app.duel.seek(0)),
  inDuel('duel.last', ['End'], text.commands.duelLast, (app) => app.duel.seek(1)),
  open('duel', 'duel', ['D'], text.commands.duel, (app) => app.duel.set(true)),
  {
    id: 'present.leave',
    group: 'window',
    keys: ['Escape', 'p', 'P'],
    title: text.commands.presentLeave,
    when: isPresenting,
    run: (app) => app.presenter.set(false),
    anywhere: true,
  },
  {
    id: 'present.versus',
    group: 'window',
    keys: ['c', 'C'],
    title: text.commands.versus,
    when: isPresenting,
    run: (app) => app.presenter.toggle('versus'),
  },
  {
    id: 'present.picture',
    group: 'window',
    keys: ['v', 'V'],
    title: text.commands.presentPicture,
    when: isPresenting,
    run: (app) => app.presenter.toggle('picture'),
  },
  open('step.back', 'time', ['ArrowLeft'], text.commands.stepBack, (app) => app.navigation.step(-1)),
  open('step.forward', 'time', ['ArrowRight'], text.commands.stepForward, (app) => app.navigation.step(1)),
  open('turn.back', 'time', ['Shift+ArrowLeft'], text.commands.turnBack, (app) => app.bench.turnBy(-1)),
  open('turn.forward', 'time', ['Shift+ArrowRight'], text.commands.turnForward, (app) => app.bench.turnBy(1)),
  open('pass.previous', 'time', [',', 'PageUp'], text.commands.passPrevious, (app) => app.bench.passBy(-1)),
  open('pass.next', 'time', ['.', 'PageDown'], text.commands.passNext, (app) => app.bench.passBy(1)),
  open('turn.first', 'time', ['Home'], text.commands.turnFirst, (app) =>
    app.bench.moveTo({ turn: 1, step: 0 }),
  ),
  open('turn.now', 'time', ['End'], text.commands.turnNow, (app) => app.bench.toNow()),
  open('play', 'time', [' '], text.commands.play, (app) => app.player.toggle()),
  open('play.stops', 'time', [], text.commands.stopsAtPasses, (app) =>
    app.player.setStopsAtPasses(!app.player.store.get().stopsAtPasses),
  ),
  open('present', 'window', ['p', 'P'], text.commands.present, (app) => app.presenter.set(true)),
  needing(
    'export',
    open('export', 'session', ['e', 'E'], text.commands.exportPage, (app) =>
      app.panes.set({ dialog: 'export' }),
    ),
  ),
  needing(
    'changes',
    open('follow', 'time', ['f', 'F'], text.commands.follow, (app) =>
      app.bench.setFollow(app.bench.bench.cut.turn !== null),
    ),
  ),

  open('what-if', 'policy', ['y', 'Y'], text.commands.whatIf, (app) =>
    app.bench.setWhatIf(!app.bench.isWhatIf),
  ),
  {
    id: 'tau.lower',
    group: 'policy',
    keys: ['['],
    title: text.commands.tauLower,
    when: isSimulating,
    run: tau(-1),
  },
  {
    id: 'tau.raise',
    group: 'policy',
    keys: [']'],
    title: text.commands.tauRaise,
    when: isSimulating,
    run: tau(1),
  },
  {
    id: 'tau.reset',
    group: 'policy',
    title: text.commands.tauReset,
    when: (app) => isSimulating(app) && app.bench.bench.given !== null,
    run: (app) => app.bench.resetBudget(),
  },

  open('zoom.out', 'graph', ['-', 's'], text.commands.zoomOut, () => zoomCentre(1.5)),
  open('zoom.in', 'graph', ['+', '=', 'w'], text.commands.zoomIn, () => zoomCentre(1 / 1.5)),
  open('zoom.fit', 'graph', ['0'], text.commands.zoomFit, () => fit()),
  {
    id: 'range.zoom',
    group: 'graph',
    keys: ['z', 'Z'],
    title: text.commands.zoomRange,
    when: hasRange,
    run: (app) => {
      const { range } = app.bench.bench
      if (range) showTurns(range.from, range.to)
    },
  },
  ...PICTURE_KINDS.map((kind): Command => ({
    id: `picture.${kind}`,
    group: 'graph',
    title: text.commands.picture(text.picture.kind[kind]),
    when: (app) => isOpen(app) && pictures.ready,
    run: (app) => void pictures.save(app, kind),
  })),
  open('pan.left', 'graph', ['a'], text.commands.panLeft, () => panBy(-panned())),
  open('pan.right', 'graph', ['d'], text.commands.panRight, () => panBy(panned())),
  open('distance.nearer', 'graph', ['>'], text.commands.nearer, distanceBy(1)),
  open('distance.farther', 'graph', ['<'], text.commands.farther, distanceBy(-1)),
  open('axis', 'graph', ['x', 'X'], text.commands.axis, () => exchange('axis')),
  open('bands', 'graph', ['h', 'H'], text.commands.bands, () => exchange('bands')),

  open('scale', 'graph', [], text.commands.scale, () => exchange('scale')),

  ...TABS.map((tab) =>
    open(`tab.${tab}`, 'panes', keysOf(tab), text.commands.tab(PANES[tab].title), (app) => app.setTab(tab)),
  ),
  ...TABS.flatMap((tab) => PANES[tab].commands ?? []),
  read('list.next', ['j'], text.commands.listNext, (app) => app.reading.move(1)),
  read('list.previous', ['k'], text.commands.listPrevious, (app) => app.reading.move(-1)),
  read('block.copy', ['c'], text.commands.copyBlock, (app) => void app.reading.copy()),
  read('block.line', ['o'], text.commands.tellLine, (app) => app.reading.line()),
  read('markdown', ['#'], text.commands.markdown, () => exchange('markdown')),
  { ...open('find', 'panes', ['/', 'Ctrl+f'], text.commands.find, find), anywhere: true },

  needing(
    'edit_marks',
    open('marks', 'graph', ['i', 'I'], text.commands.marks, (app) =>
      app.marking.setOn(!app.marking.store.get().on),
    ),
  ),
  needing(
    'mark_with_reader',
    open('reader', 'session', [], text.reader.open, (app) => app.panes.set({ dialog: 'reader' })),
  ),
  needing(
    'save_note',
    open('note', 'session', ['n', 'm'], text.commands.note, (app) => app.writeNote(chosenSubject(app))),
  ),
  needing(
    'notes',
    open('notes', 'session', ['N', 'M'], text.commands.notes, (app) =>
      app.notes.show(!app.notes.store.get().open),
    ),
  ),
  needing(
    'save_view',
    open('bookmark', 'session', ['b', 'B'], text.commands.bookmark, (app) => app.bookmark()),
  ),
  {
    id: 'session.pin',
    group: 'session',
    keys: ['*'],
    title: text.commands.pinSession,
    needs: 'pin',
    when: (app) => chosenRow(app) !== null,
    run: pinChosen,
  },
  {
    id: 'undo',
    group: 'session',
    keys: ['Ctrl+z'],
    title: text.commands.undo,
    when: (app) => app.undo.store.get().done.length > 0,
    run: (app) => void app.undo.undo(),
  },
  {
    id: 'redo',
    group: 'session',
    keys: ['Ctrl+Shift+z', 'Ctrl+y'],
    title: text.commands.redo,
    when: (app) => app.undo.store.get().undone.length > 0,
    run: (app) => void app.undo.redo(),
  },
  {
    id: 'store.retry',
    group: 'session',
    title: text.commands.storeRetry,
    when: (app) => app.health.store.get().trouble !== null,
    run: (app) => void app.health.retry(),
  },
  {
    id: 'go.back',
    group: 'session',
    keys: ['Alt+ArrowLeft'],
    title: text.commands.goBack,
    run: (app) => app.places.back(),
    anywhere: true,
  },
  {
    id: 'go.forward',
    group: 'session',
    keys: ['Alt+ArrowRight'],
    title: text.commands.goForward,
    run: (app) => app.places.forward(),
    anywhere: true,
  },
  open('link.copy', 'session', ['l'], text.commands.copyLink, (app) => app.copyLink()),
  {
    id: 'sessions',
    group: 'session',
    keys: ['Ctrl+b'],
    title: text.commands.sessions,
    needs: 'sessions',
    run: (app) => app.panes.set({ drawer: !app.panes.get().drawer }),
    anywhere: true,
  },
  {
    id: 'sessions.search',
    group: 'session',
    keys: ['Ctrl+Shift+f'],
    title: text.commands.sessionsSearch,
    needs: 'search',
    run: (app) => app.searchSessions(),
    anywhere: true,
  },
  {
    id: 'open',
    group: 'session',
    keys: ['Ctrl+o'],
    title: text.commands.open,
    needs: (app) => app.can('paths') || app.host.picksFiles,
    run: (app) => app.askForLog(),
    anywhere: true,
  },

  {
    id: 'corpus.open',
    group: 'session',
    title: text.commands.openCorpus,
    needs: 'corpus',
    run: (app) => app.panes.set({ dialog: 'open' }),
  },
  {
    id: 'corpus.back',
    group: 'session',
    title: text.commands.backToCorpus,
    needs: 'corpus',
    when: (app) => app.corpora.store.get().folder !== null && app.bench.bench.phase !== 'corpus',
    run: (app) => app.corpora.back(),
  },

  ...(['system', 'light', 'dark'] as const).map((theme): Command => ({
    id: `theme.${theme}`,
    group: 'window',
    title: text.commands.theme[theme],
    when: () => settings.get().theme !== theme,
    run: () => settings.set({ theme }),
  })),
  {
    id: 'settings',
    group: 'window',
    keys: ['Ctrl+,'],
    title: text.commands.settings,
    run: (app) => app.panes.set({ dialog: 'settings' }),
    anywhere: true,
  },
  ...([1, -1] as const).map((by): Command => ({
    id: by > 0 ? 'text.larger' : 'text.smaller',
    group: 'window',
    keys: by > 0 ? ['Ctrl++', 'Ctrl+='] : ['Ctrl+-'],
    title: by > 0 ? text.commands.textLarger : text.commands.textSmaller,
    run: () => textBy(by),
    anywhere: true,
  })),
  {
    id: 'text.usual',
    group: 'window',
    title: text.commands.textUsual,
    run: () => settings.set({ textSize: 1 }),
  },
  open('pane.graph', 'window', ['g', 'G'], text.commands.pane.graph, (app) => turnFold(app, 'graph')),
  open('pane.timeline', 'window', ['t', 'T'], text.commands.pane.timeline, (app) =>
    turnFold(app, 'timeline'),
  ),
  open('pane.reading', 'window', ['z', 'Z'], text.commands.pane.reading, (app) =>
    app.panes.set({ reading: !app.panes.get().reading }),
  ),
  open('pane.inspector', 'window', ['v', 'V'], text.commands.pane.inspector, () => {
    const now = CHOICES.inspector.indexOf(settings.get().inspector)
    settings.set({ inspector: CHOICES.inspector[(now + 1) % CHOICES.inspector.length] ?? 'right' })
  }),
  open('pane.reset', 'window', [], text.commands.pane.reset, () => settings.set(LAYOUT)),
  ...(['high', 'normal'] as const).map((contrast): Command => ({
    id: `contrast.${contrast}`,
    group: 'window',
    title: text.commands.contrast[contrast],
    when: () => settings.get().contrast !== contrast,
    run: () => settings.set({ contrast }),
  })),
  {
    id: 'palette',
    group: 'window',
    keys: ['Ctrl+k'],
    title: text.commands.palette,
    run: (app) => app.panes.set({ dialog: 'palette' }),
    anywhere: true,
    onlyKey: true,
  },
  {
    id: 'tour',
    group: 'window',
    title: text.tour.command,
    needs: 'sample',
    run: (app) => void app.attempt(app.tour.start()),
  },
  {
    id: 'help',
    group: 'window',
    keys: ['?'],
    title: text.commands.help,
    run: (app) => app.panes.set({ dialog: 'help' }),
  },
  {
    id: 'escape.field',
    group: 'window',
    keys: ['Escape'],
    title: text.commands.escapeField,
    when: () => document.activeElement instanceof HTMLInputElement,
    run: () => (document.activeElement as HTMLElement | null)?.blur(),
    anywhere: true,
    onlyKey: true,
  },
  {
    id: 'escape.trouble',
    group: 'window',
    keys: ['Escape'],
    title: text.commands.escapeTrouble,
    when: (app) => app.panes.get().trouble !== null,
    run: (app) => app.panes.set({ trouble: null }),
    anywhere: true,
  },
  {
    id: 'pane.reading.leave',
    group: 'window',
    keys: ['Escape'],
    title: text.commands.pane.readingLeave,
    when: (app) => app.panes.get().reading,
    run: (app) => app.panes.set({ reading: false }),
  },
  {
    id: 'distance.leave',
    group: 'graph',
    keys: ['Escape'],
    title: text.commands.fartherLeave,
    when: (app) => isOpen(app) && distanceNow(app) !== 'session',
    run: distanceBy(-1),
    onlyKey: true,
  },
  {
    id: 'range.clear',
    group: 'graph',
    keys: ['Escape'],
    title: text.commands.clearRange,
    when: hasRange,
    run: (app) => app.bench.brush(null),
    anywhere: true,
  },
  {
    id: 'select.none',
    group: 'graph',
    keys: ['Escape'],
    title: text.commands.selectNone,
    when: (app) => app.bench.bench.selected !== null || app.bench.bench.block !== null,
    run: (app) => app.bench.select(null),
    anywhere: true,
  },
]

/** How far one press of a key scrolls the time axis: a quarter of the view. */
function panned(): number {
  const { x0, x1 } = viewport.get()
  return (x1 - x0) / 4
}

function find(): void {
  document.querySelector<HTMLInputElement>('[data-find]')?.focus()
}

/** Keys that a part of the window answers itself while it has the keyboard. The help lists them with that part. */
export const PART_KEYS: readonly { part: string; keys: readonly string[]; title: string }[] = [
  { part: text.parts.list, keys: ['Enter'], title: text.parts.listToggle },
  { part: text.parts.list, keys: ['Home', 'End'], title: text.parts.listEnds },
  { part: text.parts.graph, keys: ['ArrowLeft', 'ArrowRight'], title: text.parts.graphTime },
  { part: text.parts.graph, keys: ['ArrowUp'], title: text.parts.graphNeeds },
  { part: text.parts.graph, keys: ['ArrowDown'], title: text.parts.graphFeeds },
  { part: text.parts.graph, keys: ['PageUp', 'PageDown'], title: text.parts.graphPage },
  { part: text.parts.graph, keys: ["'"], title: text.parts.graphName },
  { part: text.parts.graph, keys: ['Enter'], title: text.parts.graphSelect },
  { part: text.parts.near, keys: ['ArrowLeft'], title: text.parts.graphNeeds },
  { part: text.parts.near, keys: ['ArrowRight'], title: text.parts.graphFeeds },
  { part: text.parts.near, keys: ['ArrowUp', 'ArrowDown'], title: text.parts.nearSiblings },
  { part: text.parts.near, keys: ['Enter'], title: text.parts.nearBlocks },
  { part: text.parts.playhead, keys: ['ArrowLeft', 'ArrowRight'], title: text.parts.playheadTurn },
  {
    part: text.parts.playhead,
    keys: ['Shift+ArrowLeft', 'Shift+ArrowRight'],
    title: text.parts.playheadRange,
  },
  { part: text.parts.sessions, keys: ['ArrowUp', 'ArrowDown'], title: text.parts.sessionsMove },
  { part: text.parts.sessions, keys: ['Enter'], title: text.parts.sessionsOpen },
  { part: text.parts.sweep, keys: ['ArrowLeft', 'ArrowRight'], title: text.parts.sweepTau },
  { part: text.parts.sweep, keys: ['ArrowUp', 'ArrowDown'], title: text.parts.sweepPolicy },
  { part: text.parts.sweep, keys: ['Enter'], title: text.parts.sweepTake },
  { part: text.parts.sash, keys: ['ArrowUp', 'ArrowDown'], title: text.parts.sashMove },
]

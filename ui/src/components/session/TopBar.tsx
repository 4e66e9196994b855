import {
  CircleHelp,
  CornerLeftUp,
  FileInput,
  Moon,
  PanelLeft,
  Search,
  Settings,
  Share,
  Sun,
  SunMoon,
  Table2,
} from 'lucide-react'

import { useMemo } from 'react'

import type { BodyCheck } from '../../lib/ipc/generated/BodyCheck'
import type { SessionAnswer } from '../../lib/ipc/generated/SessionAnswer'
import { useApp } from '../../lib/state/app'
import { nextTheme, settings } from '../../lib/state/settings'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { isAsItHappened } from '../../lib/view/happened'
import { callerOf, rowOf } from '../../lib/view/sessions'
import { NotesButton } from '../notes/NotesButton'
import { Button } from '../shared/Button'
import { Choice } from '../shared/Choice'
import { Field } from '../shared/Field'
import { Keys } from '../shared/Keys'
import { AboutExport } from './AboutExport'
import { AnnotationControl } from './AnnotationControl'
import { BudgetControl } from './BudgetControl'
import { HappenedFigures } from './BudgetFigures'
import { PolicyControl } from './PolicyControl'
import { WhatIfSwitch } from './WhatIfSwitch'

/** The session, and everything that can be chosen for it. */
export function TopBar() {
  const app = useApp()
  const session = useStore(app.bench.store, (bench) => bench.session)
  // Not the whole view: it is another one with every frame of a drag of τ.
  const branch = useStore(app.bench.store, (bench) => bench.view.branch)
  const tokenizer = useStore(app.bench.store, (bench) => bench.view.tokenizer)
  const isFact = useStore(app.bench.store, (bench) => isAsItHappened(bench.view))
  const countedBy = useStore(app.bench.store, (bench) => bench.history?.counted_by)
  const drawer = useStore(app.panes, (panes) => panes.drawer)
  const theme = useStore(settings, (value) => value.theme)
  const ThemeIcon = theme === 'system' ? SunMoon : theme === 'dark' ? Moon : Sun
  const branches = session?.branches ?? []
  const { exported } = app.host
  return (
    <header
      className="topbar grid flex-none bg-panel border-b relative px-10 gap-x-12 min-h-46"
      data-simulated={session !== null && !isFact}
    >
      <div className="topbar-session row gap-8 min-w-0">
        {app.can('sessions') && (
          <Button
            look="quiet"
            label={text.top.sessionsHint}
            testid="toggle-sessions"
            aria-expanded={drawer}
            onClick={() => app.panes.set({ drawer: !drawer })}
          >
            <PanelLeft size={16} />
          </Button>
        )}
        <CorpusButton />
        {session ? (
          <Name session={session} />
        ) : (
          <strong className="session-name baseline-row gap-10 min-w-0 overflow-hidden nowrap flex-shrinks">
            {text.app}
          </strong>
        )}
      </div>
      <Button
        className="search-button gap-8 muted bg-page"
        title={text.palette.title}
        aria-keyshortcuts="Control+K"
        testid="palette-button"
        onClick={() => app.panes.set({ dialog: 'palette' })}
      >
        <Search size={14} />
        <span className="search-name">{text.palette.button}</span>
        <Keys name="Ctrl+k" />
      </Button>
      {session && (
        <div className="topbar-view row gap-12 min-w-0">
          {branches.length > 1 && (
            <Choice
              label={text.top.branch}
              testid="branch"
              value={branch ?? branches[0]?.leaf ?? ''}
              options={branches.map((branch) => ({
                value: branch.leaf,
                label: branch.current
                  ? text.top.branchMain(count(branch.n_messages))
                  : (branch.subagent ? text.top.branchSubagent : text.top.branchOther)(
                      branch.leaf.slice(0, 8),
                      count(branch.n_messages),
                    ),
              }))}
              onChange={(leaf) => app.bench.setView({ branch: leaf === branches[0]?.leaf ? null : leaf })}
            />
          )}
          <AnnotationControl />
          <WhatIfSwitch />
          {isFact ? (
            <HappenedFigures />
          ) : (
            <>
              <PolicyControl />
              <BudgetControl />
            </>
          )}
          <Field
            label={text.top.tokenizer}
            wideOnly
            title={countedBy ? text.top.countedBy(countedBy) : undefined}
          >
            <Choice
              label={text.top.tokenizer}
              testid="tokenizer"
              value={tokenizer}
              options={session.choices.tokenizers.map((name) => ({ value: name, label: name }))}
              onChange={(chosen) => app.bench.setView({ tokenizer: chosen })}
            />
          </Field>
        </div>
      )}
      <div className="topbar-tools row">
        {exported && <AboutExport exported={exported} />}
        {session && !app.can('paths') && app.host.picksFiles && (
          <Button
            look="quiet"
            label={text.welcome.open}
            aria-keyshortcuts="Control+O"
            testid="open-log"
            onClick={() => app.askForLog()}
          >
            <FileInput size={16} />
          </Button>
        )}
        {session && app.can('export') && (
          <Button
            look="quiet"
            label={text.export.button}
            testid="export"
            onClick={() => app.panes.set({ dialog: 'export' })}
          >
            <Share size={16} />
          </Button>
        )}
        <Button
          look="quiet"
          label={text.settings.button}
          testid="settings-button"
          onClick={() => app.panes.set({ dialog: 'settings' })}
        >
          <Settings size={16} />
        </Button>
        {app.can('notes') && <NotesButton />}
        <Button look="quiet" label={text.top.help} onClick={() => app.panes.set({ dialog: 'help' })}>
          <CircleHelp size={16} />
        </Button>
        <Button look="quiet" label={text.top.theme[theme]} testid="theme" onClick={nextTheme}>
          <ThemeIcon size={16} />
        </Button>
      </div>
    </header>
  )
}

/** The way back to the table from a session of it. */
function CorpusButton() {
  const app = useApp()
  const folder = useStore(app.corpora.store, (state) => state.folder)
  const isShown = useStore(app.bench.store, (bench) => bench.phase === 'corpus')
  if (folder === null || isShown) return null
  return (
    <Button
      look="quiet"
      label={text.corpus.back(folder)}
      testid="to-corpus"
      onClick={() => app.corpora.back()}
    >
      <Table2 size={16} />
    </Button>
  )
}

/** Which session is open, and by which it was called. */
function Name({ session }: { session: SessionAnswer }) {
  const app = useApp()
  const rows = useStore(app.sessions.store, (state) => state.rows)
  const caller = useMemo(() => callerOf(rows, session), [rows, session])
  const isSubagent = caller !== null || session.parent !== null || session.subagent !== null
  // Without a title of its own it is called by its file, which has the name in it.
  const name = session.subagent !== null && session.title.includes(session.subagent) ? null : session.subagent
  const lines = [session.path]
  if (session.copy !== null) lines.push(session.copy)
  if (session.continues !== null) lines.push(text.drawer.continues(session.continues))
  return (
    <>
      {caller && (
        <Button
          look="quiet"
          className="caller"
          label={text.top.openCaller(caller.title)}
          testid="caller"
          onClick={() => app.open(caller.path)}
        >
          <CornerLeftUp size={14} className="flex-none" />
          <span className="clip wide-only">{caller.title}</span>
        </Button>
      )}
      <div
        className="session-name stack min-w-0 overflow-hidden nowrap flex-shrinks leading-tight"
        title={lines.join('\n')}
        data-path={session.path}
      >
        <h1 className="clip text-m" data-testid="session-title">
          {session.title}
        </h1>
        <span className="session-sub clip text-s muted">
          {app.can('changes') && <Liveness session={session} />}
          {session.copy !== null && (
            <span className="badge warn" data-testid="copy" title={session.copy}>
              {text.top.copy}
            </span>
          )}
          {isSubagent && session.copy === null && (
            <span
              className="muted"
              data-testid="subagent"
              title={session.parent === null ? undefined : text.top.calledBy(session.parent)}
            >
              {' '}
              · {text.top.subagent(name)}
            </span>
          )}
          <span className="muted" data-testid="harness">
            {app.can('changes') && ' · '}
            {session.harness}
          </span>
          {session.model && <span className="muted"> · {session.model}</span>}
          {session.proved && <Proved proved={session.proved} />}
        </span>
      </div>
    </>
  )
}

/** How many of the requests that the log tells of are proved by it. */
function Proved({ proved }: { proved: BodyCheck }) {
  const { requests, of_requests, messages, of_messages, first } = proved
  return (
    <span
      className={`badge ${requests === of_requests ? 'ok' : 'warn'}`}
      data-testid="proved"
      title={first === null ? text.top.provedHint : text.top.unproved(first)}
    >
      {text.top.proved(count(requests), count(of_requests), count(messages), count(of_messages))}
    </span>
  )
}

/** Tells whether an agent writes the log now, as the list of sessions does. */
function Liveness({ session }: { session: SessionAnswer }) {
  const app = useApp()
  const rows = useStore(app.sessions.store, (state) => state.rows)
  // The list is asked for again when a session may have ended; the session itself only when its log grows.
  const live = useMemo(() => rowOf(rows, session)?.live ?? session.live, [rows, session])
  return (
    <span title={live && !session.gone ? text.top.liveHint : text.top.idleHint}>
      <span
        className={`w-8 h-8 inline-block flex-none mr-6 live-dot ${session.gone ? 'gone' : live ? 'on' : ''}`}
        data-testid="live"
        data-live={live}
      />
      {session.gone ? text.top.gone : live ? text.top.live : text.top.idle}
    </span>
  )
}

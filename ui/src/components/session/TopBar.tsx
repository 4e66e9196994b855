import { CircleHelp, Moon, PanelLeft, Sun, SunMoon } from 'lucide-react'

import { useApp } from '../../lib/state/app'
import { nextTheme, settings } from '../../lib/state/settings'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text/en'
import { count } from '../../lib/view/format'
import { Button } from '../shared/Button'
import { Choice } from '../shared/Choice'
import { BudgetControl } from './BudgetControl'

/** The session, and everything that can be chosen for it. */
export function TopBar() {
  const app = useApp()
  const session = useStore(app.bench.store, (bench) => bench.session)
  const view = useStore(app.bench.store, (bench) => bench.view)
  const countedBy = useStore(app.bench.store, (bench) => bench.replay?.counted_by)
  const drawer = useStore(app.panes, (panes) => panes.drawer)
  const theme = useStore(settings, (value) => value.theme)
  const ThemeIcon = theme === 'system' ? SunMoon : theme === 'dark' ? Moon : Sun
  const branches = session?.branches ?? []
  return (
    <header className="topbar">
      <Button
        look="quiet"
        label={text.top.sessionsHint}
        testid="toggle-sessions"
        aria-expanded={drawer}
        onClick={() => app.panes.set({ drawer: !drawer })}
      >
        <PanelLeft size={16} />
      </Button>
      {session ? (
        <div className="session-name" title={session.path}>
          <h1 data-testid="session-title">{session.title}</h1>
          <span className="session-sub">
            <span
              className={`live-dot ${session.gone ? 'gone' : session.live ? 'on' : ''}`}
              data-testid="live"
              data-live={session.live}
            />
            {session.gone ? text.top.gone : session.live ? text.top.live : text.top.idle}
            <span className="muted"> · {session.format}</span>
            {session.model && <span className="muted"> · {session.model}</span>}
          </span>
        </div>
      ) : (
        <strong className="session-name">{text.app}</strong>
      )}
      <span className="grow" />
      {session && (
        <>
          {branches.length > 1 && (
            <Choice
              label={text.top.branch}
              testid="branch"
              value={view.branch ?? branches[0]?.leaf ?? ''}
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
          <label className="field">
            <span className="muted">{text.top.policy}</span>
            <Choice
              label={text.top.policy}
              testid="policy"
              value={view.policy}
              options={session.choices.policies.map((policy) => ({
                value: policy.name,
                label: policy.name,
                note: policy.source,
              }))}
              onChange={(policy) => app.bench.setView({ policy, options: {} })}
            />
          </label>
          <BudgetControl />
          <label className="field" title={countedBy ? text.top.countedBy(countedBy) : undefined}>
            <span className="muted wide-only">{text.top.tokenizer}</span>
            <Choice
              label={text.top.tokenizer}
              testid="tokenizer"
              value={view.tokenizer}
              options={session.choices.tokenizers.map((name) => ({ value: name, label: name }))}
              onChange={(tokenizer) => app.bench.setView({ tokenizer })}
            />
          </label>
        </>
      )}
      <Button look="quiet" label={text.top.help} onClick={() => app.panes.set({ dialog: 'help' })}>
        <CircleHelp size={16} />
      </Button>
      <Button look="quiet" label={text.top.theme[theme]} testid="theme" onClick={nextTheme}>
        <ThemeIcon size={16} />
      </Button>
    </header>
  )
}

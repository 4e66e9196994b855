import { Check, Pencil, RotateCcw, X } from 'lucide-react'
import { useEffect, type ReactNode } from 'react'

import type { EpisodeAnswer } from '../../lib/ipc/generated/EpisodeAnswer'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { capital, count, percent } from '../../lib/view/format'
import { aboutEpisode } from '../../lib/view/steps'
import { EffectCard } from '../marks/EffectCard'
import { EpisodeMarks } from '../marks/EpisodeMarks'
import { MarksCard } from '../marks/MarksCard'
import { NoteButton } from '../notes/NoteButton'
import { NotesOf } from '../notes/NotesOf'
import { Ball } from '../shared/Ball'
import { EpisodeChip } from '../blocks/EpisodeChip'
import { Button } from '../shared/Button'
import { Empty } from '../shared/Empty'
import { Said } from '../shared/Said'
import { SeverityIcon } from '../shared/SeverityIcon'

/** The episode pane: tells why the selected episode is there or gone at the cut. */
export function Inspector() {
  const app = useApp()
  const selected = useStore(app.bench.store, (bench) => bench.selected)
  const { answer: detail, failure } = useStore(app.detail.store, (state) => state)
  if (selected === null || (!detail && !failure)) {
    return (
      <aside className="inspector overflow-auto h-full p-8-12" aria-label={text.inspector.title}>
        <EffectCard />
        <Empty title={text.inspector.none}>{text.inspector.noneHint}</Empty>
        <MarksCard />
      </aside>
    )
  }
  if (failure || !detail) {
    return (
      <aside className="inspector overflow-auto h-full p-8-12" aria-label={text.inspector.title}>
        <Empty title={failure?.message ?? ''}>{failure?.hint}</Empty>
      </aside>
    )
  }
  return (
    <aside
      // Another episode is read from its top.
      key={detail.episode}
      className="inspector overflow-auto h-full p-8-12"
      aria-label={text.inspector.title}
      data-testid="inspector"
      data-episode={detail.name}
      data-level={detail.level}
    >
      <header className="row gap-8">
        <i className={`swatch ${detail.kind}`} />
        <h2 className="clip text-l" title={detail.name}>
          {detail.name}
        </h2>
        <span className="muted">{text.kind[detail.kind]}</span>
        <span className="grow" />
        {app.can('edit_marks') && <EditButton />}
        {app.can('save_note') && <NoteButton subject={{ on: 'episode', name: detail.name }} />}
        <Button look="quiet" label={text.inspector.close} onClick={() => app.bench.select(null)}>
          <X size={14} />
        </Button>
      </header>
      <NotesOf subject={{ on: 'episode', name: detail.name }} />
      <EpisodeMarks detail={detail} />
      <EffectCard />
      <Why detail={detail} />
      <ReadAgain idx={detail.episode} />
      <Source idx={detail.episode} />
      <Facts detail={detail} />
      <Links detail={detail} />
      {detail.kind === 'act' && <Undeclared detail={detail} />}
      <Parts detail={detail} />
      {detail.kind === 'expl' && (
        <InspectorSection title={text.inspector.description}>
          {detail.description ? (
            <p className="break-anywhere">{detail.description}</p>
          ) : (
            <p className="muted">{text.inspector.descriptionNone}</p>
          )}
        </InspectorSection>
      )}
      <History detail={detail} />
      {detail.problems.length > 0 && (
        <InspectorSection title={text.inspector.problems}>
          {detail.problems.map((problem, at) => (
            <p key={at} className="break-anywhere mt-4">
              <SeverityIcon severity={problem.severity} /> <code>{problem.code}</code>{' '}
              <Said text={problem.message} />
            </p>
          ))}
        </InspectorSection>
      )}
      <MarksCard />
      <Button className="w-full mt-12" onClick={() => app.navigation.showInContext(detail.episode)}>
        {text.inspector.show}
      </Button>
    </aside>
  )
}

/** Begins and ends the changing of marks. */
function EditButton() {
  const app = useApp()
  const on = useStore(app.marking.store, (marking) => marking.on)
  return (
    <Button
      look="quiet"
      label={on ? text.marks.editDone : text.marks.edit}
      aria-pressed={on}
      testid="marks-toggle"
      onClick={() => app.marking.setOn(!on)}
    >
      {on ? <Check size={14} /> : <Pencil size={14} />}
    </Button>
  )
}

function InspectorSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="part mt-12">
      <h3 className="mb-4">{title}</h3>
      {children}
    </section>
  )
}

function Why({ detail }: { detail: EpisodeAnswer }) {
  const app = useApp()
  const budget = useStore(app.bench.calm, (bench) => bench.replay?.budget ?? 0)
  // The step that took it where it is: the reason, before how it stands.
  const last = detail.level > 0 ? detail.history.at(-1) : undefined
  const [turn, step, sentence, before] = last ?? [0, 0, '', 0]
  const title =
    detail.level === 0
      ? text.inspector.why.kept
      : detail.level >= 4
        ? text.inspector.why.gone
        : text.inspector.why.part
  return (
    <section className={`bg-panel2 rounded-8 p-8-12 why m-8-0-10 level-${detail.level}`} data-testid="why">
      <h3>{title}</h3>
      {last && (
        <p data-testid="why-taken">
          {aboutEpisode(detail.name, sentence)}{' '}
          <button type="button" className="link" onClick={() => app.bench.moveTo({ turn, step })}>
            {text.inspector.takenAt(count(turn), count(step), count(Math.max(0, before - budget)))}
          </button>
        </p>
      )}
      <p className={last ? 'muted' : ''}>{aboutEpisode(detail.name, detail.why)}</p>
    </section>
  )
}

/** Tells that blocks of the episode were read again, and leads to why. */
function ReadAgain({ idx }: { idx: number }) {
  const app = useApp()
  const reacquisition = useStore(app.reacquisitions.store, () => app.reacquisitions.byEpisode.get(idx))
  if (!reacquisition) return null
  return (
    <button
      type="button"
      className="mb-8 row gap-6 text-main bg-panel border rounded-6 w-full p-4-8 hover-panel2"
      data-testid="inspector-again"
      title={text.reacquisitions.open}
      onClick={() => app.navigation.showStory({ by: 'episode', episode: idx })}
    >
      <RotateCcw size={12} />{' '}
      {text.reacquisitions.ofEpisode(count(reacquisition.n_blocks), count(reacquisition.again_turn))}
    </button>
  )
}

/** Tells whose mark the episode is, where it is not the agent's, and why it begins where it does. */
function Source({ idx }: { idx: number }) {
  const app = useApp()
  const from = useStore(app.bench.store, (bench) => bench.graph?.from)
  const episode = useStore(app.bench.store, (bench) => bench.graph?.episodes[idx])
  if (!from || !episode || episode.source === 'declared') return null
  return (
    <section className="part mt-12" data-testid="source" data-source={episode.source}>
      <h3 className="mb-4">
        {episode.evidence === null ? text.annotation.word[episode.source] : text.annotation.whyHere}
      </h3>
      {episode.evidence !== null && <p>{capital(episode.evidence)}</p>}
      <p className="muted">{capital(text.annotation.episodes(from.says))}</p>
      {episode.confidence !== null && app.can('edit_marks') && (
        <div className="marks-actions flex flex-wrap gap-6 mt-8">
          <Button
            title={text.marks.acceptHint}
            testid="marks-accept"
            onClick={() => void app.marking.edit([{ do: 'accept', of: episode.name }])}
          >
            {text.marks.accept}
          </Button>
          <Button testid="marks-change" onClick={() => app.marking.setOn(true)}>
            {text.marks.change}
          </Button>
        </div>
      )}
    </section>
  )
}

function Facts({ detail }: { detail: EpisodeAnswer }) {
  return (
    <dl className="facts grid gap-6-10">
      <dt>{text.inspector.level}</dt>
      <dd>
        <Ball level={detail.level} /> L{detail.level} {detail.level_name}
      </dd>
      <dt>{text.inspector.tokens}</dt>
      <dd>
        <b>{count(detail.kept_tokens)}</b> {text.top.sentOf} {count(detail.tokens)}{' '}
        <span className="muted">{percent(detail.kept_tokens, detail.tokens)}</span>
      </dd>
      <dt>{text.inspector.turns}</dt>
      <dd>
        {count(detail.first_turn)}–
        {detail.closed_turn === null ? text.transport.now : count(detail.closed_turn)}
      </dd>
      <dt>{text.inspector.life}</dt>
      <dd>{detail.life}</dd>
    </dl>
  )
}

/** An episode that another one names. */
function ChipOf({ idx }: { idx: number }) {
  const app = useApp()
  const episode = useStore(app.bench.store, (bench) => bench.graph?.episodes[idx])
  const level = useStore(app.bench.store, (bench) => bench.levels[idx] ?? 0)
  if (!episode) return null
  return <EpisodeChip episode={episode} level={level} onSelect={() => app.bench.select(idx)} />
}

const MOST_CHIPS = 24

function Chips({ items }: { items: number[] }) {
  return (
    <>
      {items.slice(0, MOST_CHIPS).map((idx) => (
        <ChipOf key={idx} idx={idx} />
      ))}
      {items.length > MOST_CHIPS && <span className="muted">+{count(items.length - MOST_CHIPS)}</span>}
    </>
  )
}

function Links({ detail }: { detail: EpisodeAnswer }) {
  return (
    <dl className="facts links mt-4 grid gap-6-10">
      {detail.kind === 'act' && (
        <>
          <dt>{text.inspector.needs}</dt>
          <dd className="row flex-wrap gap-6">
            {detail.needs.length === 0 && <span className="muted">{text.inspector.needsNone}</span>}
            {detail.needs.map((need, at) =>
              need.episode === null ? (
                <span key={at} className="chip missing" title={text.inspector.missing}>
                  <span className="clip">{need.declared}</span>
                </span>
              ) : (
                <ChipOf key={at} idx={need.episode} />
              ),
            )}
          </dd>
        </>
      )}
      {detail.kind !== 'act' && (
        <>
          <dt>{text.inspector.feeds}</dt>
          <dd className="row flex-wrap gap-6">
            {detail.feeds.length === 0 && detail.n_implicit === 0 && (
              <span className="muted">{text.inspector.feedsNone}</span>
            )}
            <Chips items={detail.feeds} />
            {detail.n_implicit > 0 && (
              <span className="muted">{text.inspector.implicit(count(detail.n_implicit))}</span>
            )}
          </dd>
        </>
      )}
      {detail.blocked_by.length > 0 && (
        <>
          <dt>{text.inspector.blocked}</dt>
          <dd className="row flex-wrap gap-6">
            <Chips items={detail.blocked_by} />
          </dd>
        </>
      )}
      {detail.frees.length > 0 && (
        <>
          <dt>{text.inspector.frees}</dt>
          <dd className="row flex-wrap gap-6" data-testid="frees">
            <span className="muted">{text.inspector.freesMore(count(detail.frees.length))}</span>
            <Chips items={detail.frees} />
          </dd>
        </>
      )}
    </dl>
  )
}

/** Lists the explorations that an act uses without declaring them. */
function Undeclared({ detail }: { detail: EpisodeAnswer }) {
  const app = useApp()
  const all = useStore(app.undeclared.store, () => app.undeclared.hints)
  useEffect(() => app.undeclared.look(), [app])
  const hints = all.filter((hint) => hint.problem.episode === detail.episode)
  if (hints.length === 0) return null
  return (
    <InspectorSection title={text.inspector.undeclared}>
      <p className="muted">{text.inspector.undeclaredAbout}</p>
      <ul className="text-s" data-testid="undeclared">
        {hints.map((hint) => (
          <li className="baseline-row gap-8 py-2" key={hint.on} data-severity={hint.problem.severity}>
            <ChipOf idx={hint.on} />
            <span className="mono clip grow min-w-0" title={hint.names.join('\n')}>
              {hint.names.slice(0, 3).join(', ')}
              {hint.n_names > 3 && ` ${text.inspector.moreNames(count(hint.n_names - 3))}`}
            </span>
            {hint.problem.line !== null && (
              <button
                type="button"
                className="link"
                onClick={() => app.navigation.showLine(hint.problem.line ?? 1)}
              >
                {text.context.line(count(hint.problem.line))}
              </button>
            )}
          </li>
        ))}
      </ul>
    </InspectorSection>
  )
}

function Parts({ detail }: { detail: EpisodeAnswer }) {
  const most = Math.max(1, ...detail.by_kind.map(([, all]) => all))
  return (
    <InspectorSection title={text.inspector.parts}>
      <div>
        {detail.by_kind.map(([kind, all, kept]) => (
          <div key={kind} className="parts-row grid gap-10 text-s h-21">
            <span className="muted">{kind}</span>
            <span className={`h-9 relative bar ${detail.kind}`} aria-hidden="true">
              <i className="absolute rounded-2 min-w-1" style={{ width: `${(100 * all) / most}%` }} />
              <i className="kept absolute rounded-2 min-w-1" style={{ width: `${(100 * kept) / most}%` }} />
            </span>
            <span className="number">
              {count(kept)} <span className="muted">/ {count(all)}</span>
            </span>
          </div>
        ))}
      </div>
    </InspectorSection>
  )
}

function History({ detail }: { detail: EpisodeAnswer }) {
  const app = useApp()
  return (
    <InspectorSection title={text.inspector.history}>
      {detail.history.length === 0 && <p className="muted">{text.inspector.historyNone}</p>}
      <ol className="history text-s">
        {detail.history.slice(-40).map(([turn, step, sentence]) => (
          <li className="baseline-row gap-10 py-2" key={`${turn}-${step}`}>
            <button
              type="button"
              className="link flex-none muted"
              onClick={() => app.bench.moveTo({ turn, step })}
            >
              {text.inspector.at(count(turn), count(step))}
            </button>
            <span>{aboutEpisode(detail.name, sentence)}</span>
          </li>
        ))}
      </ol>
    </InspectorSection>
  )
}

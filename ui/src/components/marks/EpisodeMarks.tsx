import { Plus, X } from 'lucide-react'
import { useId, useState } from 'react'

import type { MarkEdit } from '../../lib/ipc/generated/MarkEdit'
import type { EpisodeAnswer } from '../../lib/ipc/generated/EpisodeAnswer'
import type { EpisodeNode } from '../../lib/ipc/generated/EpisodeNode'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { lastReply, mayDrawOn, repliedTurn, replyOf, shownTurn } from '../../lib/view/marking'
import { Button } from '../shared/Button'
import { Choice } from '../shared/Choice'
import { SegmentGroup } from '../shared/Segments'

/** Changes the marks of the selected episode, while marks are being changed. */
export function EpisodeMarks({ detail }: { detail: EpisodeAnswer }) {
  const app = useApp()
  const on = useStore(app.marking.store, (marking) => marking.on)
  const busy = useStore(app.marking.store, (marking) => marking.busy)
  const failure = useStore(app.marking.store, (marking) => marking.failure)
  const episode = useStore(app.bench.store, (bench) => bench.graph?.episodes[detail.episode])
  if (!on || episode?.name !== detail.name) return null
  const edit = (edit: MarkEdit) => void app.marking.edit([edit])
  return (
    <section
      className="part mt-8 border border-selection rounded-8 p-8-12"
      aria-label={text.marks.title}
      aria-busy={busy}
      data-testid="marks-edit"
    >
      {detail.kind === 'unannotated' ? (
        <Stretch episode={episode} edit={edit} />
      ) : (
        <Marked key={detail.name} detail={detail} episode={episode} edit={edit} />
      )}
      {failure && (
        <p className="text-error" role="alert" data-testid="marks-refused">
          {failure.message}
          {failure.hint && ` · ${failure.hint}`}
        </p>
      )}
    </section>
  )
}

interface Props {
  episode: EpisodeNode
  edit: (edit: MarkEdit) => void
}

function Stretch({ episode, edit }: Props) {
  const name = text.marks.newName(String(replyOf(episode)))
  return (
    <>
      <p className="muted">{text.marks.stretch}</p>
      <div className="marks-actions flex flex-wrap gap-6 mt-8">
        {(['expl', 'act'] as const).map((kind) => (
          <Button key={kind} onClick={() => edit({ do: 'add', stretch: episode.name, name, kind })}>
            {text.marks.markAs[kind]}
          </Button>
        ))}
      </div>
    </>
  )
}

function Marked({ detail, episode, edit }: Props & { detail: EpisodeAnswer }) {
  const app = useApp()
  const cut = useStore(app.bench.store, (bench) => app.bench.position(bench).turn)
  const first = replyOf(episode)
  const last = lastReply(episode)
  const of = detail.name
  const mayMerge = useStore(app.bench.store, (bench) => {
    const later = bench.graph?.episodes.slice(detail.episode + 1) ?? []
    return later.some((one) => one.kind !== 'unannotated')
  })
  const kind = episode.kind === 'act' ? 'act' : 'expl'
  return (
    <>
      <dl className="facts marks-fields grid gap-6-10">
        <dt>{text.marks.kind}</dt>
        <dd>
          <SegmentGroup
            label={text.marks.kind}
            testid="marks-kind"
            value={kind}
            options={(['expl', 'act'] as const).map((value) => ({ value, label: text.kind[value] }))}
            onChange={(to) => edit({ do: 'retype', of, kind: to })}
          />
        </dd>
        <Field
          label={text.marks.name}
          value={of}
          onSave={(to) => edit({ do: 'rename', of, to })}
          testid="marks-name"
        />
        <TurnField
          label={text.marks.begins}
          turn={shownTurn(first)}
          onSave={(turn) => edit({ do: 'begin', of, at: { on: 'turn', turn: repliedTurn(turn) } })}
          testid="marks-first"
        />
        {episode.open ? (
          <>
            <dt>{text.marks.ends}</dt>
            <dd>
              <span className="muted">{text.marks.endsOpen}</span>{' '}
              <Button onClick={() => edit({ do: 'close', of })}>{text.marks.close}</Button>
            </dd>
          </>
        ) : (
          <TurnField
            label={text.marks.ends}
            turn={shownTurn(last)}
            onSave={(turn) => edit({ do: 'end', of, at: { on: 'turn', turn: repliedTurn(turn) } })}
            testid="marks-last"
          />
        )}
        {kind === 'act' && <Draws detail={detail} edit={edit} />}
        {kind === 'expl' && (
          <Field
            label={text.marks.description}
            hint={text.marks.descriptionHint}
            value={detail.description ?? ''}
            long
            onSave={(words) => edit({ do: 'describe', of, text: words })}
            testid="marks-description"
          />
        )}
      </dl>
      <div className="marks-actions flex flex-wrap gap-6 mt-8">
        <Button
          disabled={cut <= first || cut > last}
          title={text.marks.splitHint(count(shownTurn(cut)))}
          onClick={() => edit({ do: 'split', of, at: { on: 'turn', turn: cut } })}
        >
          {text.marks.split}
        </Button>
        <Button disabled={!mayMerge} onClick={() => edit({ do: 'merge', of })}>
          {text.marks.merge}
        </Button>
        <Button onClick={() => edit({ do: 'remove', of })}>{text.marks.remove}</Button>
      </div>
    </>
  )
}

/** How many explorations can be added with one press; the others stand in a list. */
const N_OFFERED = 3

/** The explorations that an act draws on: each can be dropped, and another one added. */
function Draws({ detail, edit }: { detail: EpisodeAnswer; edit: Props['edit'] }) {
  const app = useApp()
  const graph = useStore(app.bench.store, (bench) => bench.graph)
  const hints = useStore(app.undeclared.store, () => app.undeclared.hints)
  const act = detail.name
  const used = hints.filter(({ problem }) => problem.episode === detail.episode).map(({ on }) => on)
  const others = graph ? mayDrawOn(graph, detail.episode, used) : []
  const offered = others.slice(0, N_OFFERED)
  const listed = others.slice(N_OFFERED)
  return (
    <>
      <dt>{text.marks.draws}</dt>
      <dd className="row flex-wrap gap-6" data-testid="marks-draws">
        {detail.needs.length === 0 && <span className="muted">{text.marks.drawsNone}</span>}
        {detail.needs.map(({ declared, episode }) => {
          const on = episode === null ? declared : (graph?.episodes[episode]?.name ?? declared)
          return (
            <span key={on} className="chip">
              <span className="clip">{on}</span>
              <Button
                look="quiet"
                label={text.marks.drop(on)}
                onClick={() => edit({ do: 'unlink', act, on })}
              >
                <X size={11} />
              </Button>
            </span>
          )
        })}
        {offered.map((on) => (
          <button
            key={on}
            type="button"
            className="chip"
            title={text.marks.addOne(on)}
            onClick={() => edit({ do: 'link', act, on })}
          >
            <Plus size={11} />
            <span className="clip">{on}</span>
          </button>
        ))}
        {listed.length > 0 && (
          <Choice
            label={text.marks.add}
            testid="marks-add"
            value=""
            options={[
              { value: '', label: text.marks.add },
              ...listed.map((name) => ({ value: name, label: name })),
            ]}
            onChange={(on) => on !== '' && edit({ do: 'link', act, on })}
          />
        )}
      </dd>
    </>
  )
}

interface FieldProps<T> {
  label: string
  onSave: (value: T) => void
  testid: string
}

/** A text that is saved with Enter, or when the field is left. */
function Field({
  label,
  hint,
  value,
  long = false,
  onSave,
  testid,
}: FieldProps<string> & { hint?: string; value: string; long?: boolean }) {
  const id = useId()
  const [typed, setTyped] = useState<string | null>(null)
  const save = () => {
    if (typed !== null && typed.trim() !== value.trim()) onSave(typed)
    setTyped(null)
  }
  const shared = {
    id,
    className: 'input',
    title: hint,
    value: typed ?? value,
    onBlur: save,
    'data-testid': testid,
    onChange: (event: { target: { value: string } }) => setTyped(event.target.value),
    onKeyDown: (event: React.KeyboardEvent) => {
      if (event.nativeEvent.isComposing) return
      event.stopPropagation()
      if (event.key === 'Enter' && (!long || event.ctrlKey || event.metaKey)) save()
      else if (event.key === 'Escape') setTyped(null)
      else return
      event.preventDefault()
    },
  }
  return (
    <>
      <dt>
        <label htmlFor={id}>{label}</label>
      </dt>
      <dd>
        {long ? <textarea rows={3} {...shared} /> : <input type="text" spellCheck={false} {...shared} />}
      </dd>
    </>
  )
}

/** The number of a turn, saved with Enter, or when the field is left. */
function TurnField({ label, turn, onSave, testid }: FieldProps<number> & { turn: number }) {
  const id = useId()
  const [typed, setTyped] = useState<string | null>(null)
  const save = () => {
    const wanted = Number(typed)
    if (typed !== null && Number.isInteger(wanted) && wanted > 0 && wanted !== turn) onSave(wanted)
    setTyped(null)
  }
  return (
    <>
      <dt>
        <label htmlFor={id}>{label}</label>
      </dt>
      <dd>
        <input
          id={id}
          type="number"
          min={1}
          className="input marks-turn"
          value={typed ?? String(turn)}
          data-testid={testid}
          onBlur={save}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            event.stopPropagation()
            if (event.key === 'Enter') save()
            if (event.key === 'Escape') setTyped(null)
          }}
        />
      </dd>
    </>
  )
}

import { TriangleAlert } from 'lucide-react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { capital, count } from '../../lib/view/format'
import { FailureCard } from '../session/FailureCard'
import { Button } from '../shared/Button'
import { Choice } from '../shared/Choice'
import { Empty } from '../shared/Empty'
import { Field } from '../shared/Field'
import { Columns } from './Columns'
import { CorpusTable } from './CorpusTable'

/** Stands for all harnesses, formats or models in a choice; none of these is called so. */
const ANY = ''

/** The table of a corpus: what it is of, which rows are wanted, and the rows. */
export function CorpusPane() {
  const app = useApp()
  const { folder, view, failure, find } = useStore(app.corpora.store, (state) => state)
  const { n } = useStore(app.corpora.pages.store, (pages) => pages)
  if (failure) return <Unread />
  if (!view) {
    return (
      <main className="welcome opening grow overflow-auto max-w-720" aria-busy="true">
        <p className="muted">{text.corpus.opening}</p>
        <p className="mono clip">{folder}</p>
      </main>
    )
  }
  const { n_logs, n_unread, n_unfinished, n_placed, has_texts } = view
  return (
    <main className="corpus fill-stack" data-testid="corpus" data-rows={n}>
      <header className="grid flex-none gap-8 border-b p-8-12">
        <h1 className="clip text-l" title={view.folder}>
          {text.corpus.title(view.folder.split(/[/\\]/).filter(Boolean).at(-1) ?? view.folder)}
        </h1>
        <p className="muted flex flex-wrap gap-4-12 tabular" data-testid="corpus-facts">
          <span>
            {n === n_logs ? text.corpus.logs(count(n_logs)) : text.corpus.found(count(n), count(n_logs))}
          </span>
          {n_unread > 0 && <span>{text.corpus.unread(count(n_unread))}</span>}
          {n_placed < n_logs && (
            <span title={text.corpus.hashedHint}>{text.corpus.opens(count(n_placed))}</span>
          )}
          {!has_texts && n_logs > 0 && (
            <span className="badge" title={text.corpus.hashedHint} data-testid="corpus-hashed">
              {text.corpus.hashed}
            </span>
          )}
          {n_unfinished > 0 && (
            <span className="badge warn" data-testid="corpus-unfinished">
              <TriangleAlert size={12} aria-hidden /> {text.corpus.unfinished(count(n_unfinished))}
            </span>
          )}
        </p>
        <div className="corpus-wish row flex-wrap gap-8-12">
          <input
            className="input min-w-140 max-w-340"
            type="search"
            data-find=""
            data-testid="corpus-find"
            placeholder={text.corpus.find}
            aria-label={text.corpus.find}
            spellCheck={false}
            value={find}
            onChange={(event) => app.corpora.wish({ find: event.target.value })}
          />
          <Only of="harness" label={text.corpus.harness} names={view.harnesses} />
          <Only of="format" label={text.corpus.format} names={view.formats} />
          <Only of="model" label={text.corpus.model} names={view.models} />
          <span className="grow" />
          <Columns columns={view.columns} />
        </div>
      </header>
      {n_logs === 0 ? <Empty title={text.corpus.empty}>{text.corpus.emptyHint}</Empty> : <Rows n={n} />}
    </main>
  )
}

/** The rows, or that there are none. */
function Rows({ n }: { n: number }) {
  const app = useApp()
  const { ready, failure } = useStore(app.corpora.pages.store, (pages) => pages)
  if (failure) return <Empty title={capital(failure.message)}>{failure.hint}</Empty>
  if (ready && n === 0) {
    return (
      <Empty title={text.corpus.nothing}>
        <p>{text.corpus.nothingHint}</p>
        <Button onClick={() => app.corpora.wish({ find: '', harness: null, format: null, model: null })}>
          {text.corpus.clear}
        </Button>
      </Empty>
    )
  }
  return <CorpusTable />
}

interface OnlyProps {
  of: 'harness' | 'format' | 'model'
  label: string
  names: readonly string[]
}

/** Chooses one of a few names, or all; where all rows have the same there is nothing to choose. */
function Only({ of, label, names }: OnlyProps) {
  const app = useApp()
  const value = useStore(app.corpora.store, (state) => state[of])
  if (names.length < 2) return null
  return (
    <Field label={label}>
      <Choice
        label={label}
        testid={`corpus-${of}`}
        value={value ?? ANY}
        options={[ANY, ...names].map((name) => ({
          value: name,
          label: name === ANY ? text.corpus.any : name,
        }))}
        onChange={(name) => app.corpora.wish({ [of]: name === ANY ? null : name })}
      />
    </Field>
  )
}

/** Says why the tables cannot be read. */
function Unread() {
  const app = useApp()
  const { folder, failure } = useStore(app.corpora.store, (state) => state)
  if (!failure) return null
  return (
    <FailureCard failure={failure} place={folder} testid="corpus-failure">
      <Button look="strong" onClick={() => folder !== null && void app.corpora.show(folder)}>
        {text.failure.retry}
      </Button>
      <Button onClick={() => app.panes.set({ dialog: 'open' })}>{text.failure.openOther}</Button>
    </FailureCard>
  )
}

import { ClipboardList } from 'lucide-react'

import type { CompactionReport } from '../../lib/ipc/generated/CompactionReport'
import { useApp } from '../../lib/state/app'
import { text } from '../../lib/text'
import { capital, count } from '../../lib/view/format'
import { Button } from '../../components/shared/Button'
import { InsteadTable } from './InsteadTable'
import { KindsTable } from './KindsTable'
import { NeededTable } from './NeededTable'
import { words } from './words'
import { pane } from './pane'

/** One compaction: its sentences, what went, the names that were used again, and the policies in its place. */
export function CompactionCard({ one }: { one: CompactionReport }) {
  const app = useApp()
  const copy = () => {
    let said = ''
    const fetched = app
      .stateOf(pane)
      .recovery(one.number)
      .then((recovery) => {
        said = words.copied(count(recovery.n_blocks), count(recovery.n_chars), count(recovery.n_left_out))
        return recovery.text
      })
    void app.clipboard.put(fetched, () => said)
  }
  const { says, gone } = one
  return (
    <section
      className="compaction border-b p-8-12"
      data-testid="compaction"
      data-turn={one.turn}
      aria-label={words.title(count(one.number))}
    >
      <header className="row flex-wrap gap-4-10">
        <h2 className="text-l">{words.title(count(one.number))}</h2>
        <button
          type="button"
          className="badge go-turn flex-none gap-4"
          title={words.turnHint}
          onClick={() => app.bench.moveTo({ turn: one.turn, step: Number.MAX_SAFE_INTEGER })}
        >
          {words.turn(count(one.turn))}
        </button>
        <span className="tabular">{words.sizes(count(one.before), count(one.after))}</span>
        {one.stated_before !== null && (
          <span className="muted">{words.stated(count(one.stated_before))}</span>
        )}
        <button type="button" className="link line-number" onClick={() => app.navigation.showLine(one.line)}>
          {text.context.line(count(one.line))}
        </button>
        <span className="grow" />
        <Button
          onClick={copy}
          disabled={one.n_recoverable === 0}
          testid="recovery"
          title={one.n_recoverable === 0 ? words.nothingToCopy : words.copyHint}
        >
          <ClipboardList size={13} /> {words.copy}
        </Button>
      </header>
      <ul className="says m-6-0-10 max-w-110ch bullets">
        {[says.gone, says.kinds, says.questions, says.needed, says.again, says.edit].map((sentence, at) => (
          <li key={at}>{capital(sentence)}.</li>
        ))}
      </ul>
      <KindsTable one={one} />
      <div className="compaction-parts grid items-start gap-12-24">
        <NeededTable needed={one.needed} />
        <InsteadTable one={one} />
      </div>
      <Listed title={words.files(count(gone.n_files))} items={gone.files} nAll={gone.n_files} />
      <Listed
        title={words.decisions(count(gone.n_decisions))}
        items={gone.decisions}
        nAll={gone.n_decisions}
      />
    </section>
  )
}

function Listed({ title, items, nAll }: { title: string; items: string[]; nAll: number }) {
  if (items.length === 0) return null
  return (
    <details className="mt-8">
      <summary>{title}</summary>
      <ul className="bullets break-anywhere">
        {items.map((item, at) => (
          <li key={at}>{item}</li>
        ))}
        {nAll > items.length && <li className="muted">{words.more(count(nAll - items.length))}</li>}
      </ul>
    </details>
  )
}

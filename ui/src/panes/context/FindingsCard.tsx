import { useApp } from '../../lib/state/app'
import type { FindingRow } from '../../lib/ipc/generated/FindingRow'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { SeverityIcon } from '../../components/shared/SeverityIcon'
import { words } from './words'

/** How many findings show before the list is opened. */
const SHOWN = 2

/** The findings of the passes up to the cut, those on pins and probes first. */
export function FindingsCard({ findings }: { findings: readonly FindingRow[] }) {
  if (findings.length === 0) return null
  const rest = findings.slice(SHOWN)
  return (
    <div
      className="notice bg-panel found max-h-40% overflow-auto"
      role="status"
      data-testid="pass-findings"
      data-count={findings.length}
    >
      <ul>
        {findings.slice(0, SHOWN).map((finding, at) => (
          <Finding key={at} finding={finding} />
        ))}
      </ul>
      {rest.length > 0 && (
        <details>
          <summary>{words.more(count(rest.length))}</summary>
          <ul>
            {rest.map((finding, at) => (
              <Finding key={at} finding={finding} />
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

function Finding({ finding }: { finding: FindingRow }) {
  const app = useApp()
  const { turn, step, line } = finding
  return (
    <li className="py-1 break-anywhere" data-code={finding.code} data-watched={finding.watched}>
      <SeverityIcon severity={finding.severity} size={13} /> <code>{finding.code}</code>{' '}
      <span>{finding.message}.</span>{' '}
      <button
        type="button"
        className="link go ml-4 text-active nowrap"
        onClick={() => app.bench.moveTo({ turn, step: step ?? Number.MAX_SAFE_INTEGER })}
      >
        {step === null ? words.turn(count(turn)) : text.inspector.at(count(turn), count(step))}
      </button>
      {line !== null && (
        <button
          type="button"
          className="link go ml-4 text-active nowrap"
          onClick={() => app.navigation.showLine(line)}
        >
          {words.line(count(line))}
        </button>
      )}
    </li>
  )
}

import { CaseSensitive, ChevronDown, ChevronUp, Regex } from 'lucide-react'
import { useId } from 'react'

import type { TextPattern } from '../../lib/ipc/generated/TextPattern'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { Button } from '../shared/Button'

interface Props {
  label: string
  wanted: TextPattern
  n: number
  /** The match that it stands on, from 0. */
  number: number
  searching: boolean
  /** Why the pattern cannot be read. */
  problem: string | null
  hint?: string | null
  testid: string
  onWanted: (change: Partial<TextPattern>) => void
  onMove: (by: 1 | -1) => void
}

/** A field that finds a text in a list, with its options, the number of matches, and buttons that go through them. */
export function FindBar(props: Props) {
  const { label, wanted, n, number, searching, problem, hint, testid, onWanted, onMove } = props
  const id = useId()
  const { query, regex } = wanted
  return (
    <span
      className="find inline-row gap-2"
      data-testid={testid}
      data-matches={n}
      data-number={n === 0 ? 0 : number + 1}
    >
      {query !== '' && problem === null && (
        <span className="muted nowrap text-right mr-4 min-w-60 tabular" aria-live="polite">
          {searching ? text.find.searching : text.find.matches(count(number + 1), count(n), n)}
        </span>
      )}
      <span className="find-field inline-row relative">
        <input
          className={problem === null ? 'input' : 'input bad'}
          type="search"
          data-find=""
          placeholder={label}
          aria-label={label}
          aria-invalid={problem !== null}
          aria-describedby={problem === null ? undefined : `${id}-problem`}
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => onWanted({ query: event.target.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            onMove(event.shiftKey ? -1 : 1)
          }}
        />
        <button
          type="button"
          className="find-option inline-row justify-center muted rounded-6 absolute hover-panel2 right-24 w-24 h-22"
          aria-label={text.find.case}
          title={text.find.case}
          aria-pressed={wanted.case}
          onClick={() => onWanted({ case: !wanted.case })}
        >
          <CaseSensitive size={15} />
        </button>
        <button
          type="button"
          className="find-option inline-row justify-center muted rounded-6 absolute hover-panel2 right-4 w-24 h-22"
          aria-label={text.find.regex}
          title={text.find.regex}
          aria-pressed={regex}
          data-testid={`${testid}-regex`}
          onClick={() => onWanted({ regex: !regex })}
        >
          <Regex size={14} />
        </button>
        {problem !== null && (
          <span
            className="find-problem border border-error z-5 text-s text-error bg-page rounded-6 absolute break-anywhere right-0 p-4-8 w-max max-w-340"
            id={`${id}-problem`}
            role="alert"
          >
            {problem}
            {hint && <span className="muted"> {hint}</span>}
          </span>
        )}
      </span>
      <Button look="quiet" label={text.find.previous} disabled={n === 0} onClick={() => onMove(-1)}>
        <ChevronUp size={14} />
      </Button>
      <Button look="quiet" label={text.find.next} disabled={n === 0} onClick={() => onMove(1)}>
        <ChevronDown size={14} />
      </Button>
    </span>
  )
}

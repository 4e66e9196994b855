import { RotateCcw, Wrench } from 'lucide-react'
import { useEffect } from 'react'

import type { BlameClass } from '../../lib/ipc/generated/BlameClass'
import type { BlameEntry } from '../../lib/ipc/generated/BlameEntry'
import type { StoryPlace } from '../../lib/ipc/generated/StoryPlace'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { capital, count, money } from '../../lib/view/format'
import { Button } from '../../components/shared/Button'
import { Empty } from '../../components/shared/Empty'
import { Said } from '../../components/shared/Said'
import { PartChoice } from './PartChoice'
import { words } from './words'

/** The blame board: the episodes by the tokens that the agent read again because of them, and a fix for each that has one. */
export function BlameBoard() {
  const app = useApp()
  const { answer, failure, busy } = useStore(app.navigation.stories.store, (state) => state)
  useEffect(() => app.navigation.stories.look(), [app])
  return (
    <div className="pane">
      <div className="pane-bar flex-wrap">
        <PartChoice />
        {answer && !failure && (
          <span className="pane-sum clip" data-testid="blame-sum" data-stories={answer.n_stories}>
            {text.reacquisitions.sum(count(answer.n_stories), count(answer.tokens))}
            {answer.cost !== null && `, ${text.reacquisitions.cost(money(answer.cost))}`}
          </span>
        )}
        {answer?.from.source === 'inferred' && (
          <span className="badge source inferred" title={text.reacquisitions.inferred}>
            {text.annotation.word.inferred}
          </span>
        )}
      </div>
      {failure ? (
        <Empty title={failure.message}>{failure.hint}</Empty>
      ) : answer === null ? (
        <Empty title={text.reacquisitions.waiting} />
      ) : answer.blame.length === 0 ? (
        <Empty title={text.reacquisitions.none}>{words.blame.noneHint}</Empty>
      ) : (
        <BlameList blame={answer.blame} busy={busy} />
      )}
    </div>
  )
}

function BlameList({ blame, busy }: { blame: readonly BlameEntry[]; busy: boolean }) {
  const classes = [...new Set(blame.map((one) => one.class))]
  return (
    <div
      className="grow min-h-0 overflow-auto"
      tabIndex={0}
      role="region"
      aria-label={words.parts.blame}
      aria-busy={busy}
    >
      {classes[0] !== 'mendable' && <p className="muted p-6-12">{words.blame.nothingToMend}</p>}
      {classes.map((of) => (
        <BlameGroup key={of} of={of} rows={blame.filter((one) => one.class === of)} />
      ))}
    </div>
  )
}

function BlameGroup({ of, rows }: { of: BlameClass; rows: readonly BlameEntry[] }) {
  const tokens = rows.reduce((sum, row) => sum + row.tokens, 0)
  return (
    <section data-testid="blame-class" data-class={of} aria-label={words.blame.classes[of]}>
      <h2 className="text-m baseline-row gap-8 bg-panel border-b p-4-12 sticky top-0 z-1">
        {words.blame.classes[of]}
        <span className="muted weight-400">{text.reacquisitions.tokens(count(tokens))}</span>
      </h2>
      <div role="list">
        {rows.map((row) => (
          <BlameRow key={`${row.cause} ${row.episode ?? ''}`} row={row} />
        ))}
      </div>
    </section>
  )
}

function BlameRow({ row }: { row: BlameEntry }) {
  const app = useApp()
  const marking = useStore(app.marking.store, (state) => state.busy)
  return (
    <div
      role="listitem"
      className="row items-start gap-12 border-b-soft p-6-12 hover-panel"
      data-testid="blame-row"
      data-class={row.class}
      data-cause={row.cause}
      data-episode={row.episode_name ?? ''}
    >
      <span className="number flex-none semibold w-60" title={words.blame.tokensHint}>
        {count(row.tokens)}
      </span>
      <div className="grow min-w-0">
        <p className="break-anywhere" data-testid="blame-says">
          <Said text={row.says} />
        </p>
        <div className="row flex-wrap gap-4-12 text-s">
          {row.fix !== null && (
            <span className="muted break-anywhere" data-testid="blame-fix-says">
              {row.class === 'mendable' ? words.blame.fixSays : words.blame.wouldHelp} <Said text={row.fix} />
            </span>
          )}
          <PlaceLink
            place={row.first}
            label={words.blame.first(count(row.first.turn))}
            testid="blame-first"
          />
          <PlaceLink
            place={row.again}
            label={words.blame.again(count(row.again.turn))}
            testid="blame-again"
          />
          <button
            type="button"
            className="link inline-row gap-4"
            data-testid="blame-story"
            title={words.blame.storyHint}
            onClick={() => app.navigation.showStory({ by: 'story', block: row.again.block })}
          >
            <RotateCcw size={11} /> {words.blame.story(count(row.n_stories))}
          </button>
        </div>
      </div>
      {row.edits.length > 0 && app.can('edit_marks') && (
        <Button
          className="flex-none"
          testid="blame-fix"
          disabled={marking}
          title={text.reacquisitions.applyHint}
          aria-label={`${words.blame.fix}: ${capital(row.fix ?? row.says).replaceAll('`', '')}`}
          onClick={() => void app.applyMarks(row.edits)}
        >
          <Wrench size={12} /> {words.blame.fix}
        </Button>
      )}
    </div>
  )
}

/** Leads to a place of the log in the Context tab. */
function PlaceLink({ place, label, testid }: { place: StoryPlace; label: string; testid: string }) {
  const app = useApp()
  const { shown_turn: turn, line, episode, block } = place
  return (
    <button
      type="button"
      className="link"
      data-testid={testid}
      title={text.reacquisitions.toPlace}
      onClick={() => void app.navigation.showPlace({ turn, line, episode }, block)}
    >
      {label}
    </button>
  )
}

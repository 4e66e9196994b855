import type { ReactNode } from 'react'

import type { ReacquisitionStoryRow } from '../../lib/ipc/generated/ReacquisitionStoryRow'
import type { StoryPlace } from '../../lib/ipc/generated/StoryPlace'
import { useApp } from '../../lib/state/app'
import { useAnswer } from '../../lib/state/memo'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count, money } from '../../lib/view/format'
import { languageOfPath } from '../../lib/view/language'
import { BlockText } from '../../components/blocks/BlockText'
import { EpisodeChip } from '../../components/blocks/EpisodeChip'
import { Button } from '../../components/shared/Button'
import { Said } from '../../components/shared/Said'

/** The most names of one story that are listed. */
const MOST_NAMES = 3

/** One story: why it was read again, what would have helped, and its three places side by side. */
export function Story({ story, isInferred }: { story: ReacquisitionStoryRow; isInferred: boolean }) {
  const { first, gone, again, others } = story
  const names = others.slice(0, MOST_NAMES).join(', ')
  const more =
    others.length > MOST_NAMES ? ` ${text.reacquisitions.more(count(others.length - MOST_NAMES))}` : ''
  return (
    <section
      id="story"
      className="story scroll stack gap-6 p-8-12"
      tabIndex={-1}
      aria-label={story.name}
      data-testid="story"
      data-cause={story.cause}
      data-block={again.block}
    >
      <header className="baseline-row flex-wrap gap-2-10">
        <h2 className="mono text-l break-anywhere">{story.name}</h2>
        {others.length > 0 && (
          <span className="muted clip">
            {text.reacquisitions.others(names)}
            {more}
          </span>
        )}
        <span className={`badge cause ${story.cause}`}>{text.reacquisitions.causes[story.cause]}</span>
        <span className="muted">
          {text.reacquisitions.tokens(count(story.tokens))}
          {story.cost !== null && `, ${money(story.cost)}`}
        </span>
      </header>
      <dl className="story-says max-w-120ch grid gap-2-12">
        <dt className="muted">{text.reacquisitions.why}</dt>
        <dd className="break-anywhere" data-testid="story-why">
          <Said text={story.says} />
        </dd>
        <dt className="muted">{text.reacquisitions.helps}</dt>
        <dd className="break-anywhere" data-testid="story-helps">
          <Said text={story.advice} />
          <Apply story={story} />
        </dd>
      </dl>
      {isInferred && (
        <p className="muted text-s" data-testid="story-inferred">
          {text.reacquisitions.inferred}
        </p>
      )}
      <div className="story-places grid gap-10 min-h-150">
        <StoryPart
          title={text.reacquisitions.first}
          place={first}
          when={text.reacquisitions.turn(count(first.turn))}
        >
          <PlaceText title={text.reacquisitions.first} place={first} name={story.name} />
        </StoryPart>
        <StoryPart
          title={text.reacquisitions.gone}
          place={gone}
          when={text.reacquisitions.beforeTurn(
            count(gone.turn),
            gone.step === null ? null : count(gone.step),
          )}
        >
          <div
            className="place-text scroll break-anywhere p-6-8"
            tabIndex={0}
            role="region"
            aria-label={`${text.reacquisitions.gone}: ${story.name}`}
          >
            <p>
              <Said text={story.gone_says} name={gone.episode_name} />
            </p>
            {story.left === null ? (
              <p className="muted">{text.reacquisitions.leftNothing}</p>
            ) : (
              <>
                <h4 className="m-8-0-2">{text.reacquisitions.left}</h4>
                <p className="break-anywhere">{story.left}</p>
              </>
            )}
          </div>
        </StoryPart>
        <StoryPart
          title={text.reacquisitions.again}
          place={again}
          when={text.reacquisitions.turn(count(again.turn))}
        >
          <PlaceText title={text.reacquisitions.again} place={again} name={story.name} />
        </StoryPart>
      </div>
      {story.evidence.length > 0 && (
        <dl className="story-says max-w-120ch muted grid gap-2-12" data-testid="story-evidence">
          <dt className="muted">{text.reacquisitions.evidence}</dt>
          {story.evidence.map((sentence, at) => (
            <dd className="break-anywhere" key={at}>
              <Said text={sentence} />
            </dd>
          ))}
        </dl>
      )}
    </section>
  )
}

/** Makes the change of marks that would have helped, as an overlay; the episode pane tells what it does. */
function Apply({ story }: { story: ReacquisitionStoryRow }) {
  const app = useApp()
  const busy = useStore(app.marking.store, (marking) => marking.busy)
  if (story.edits.length === 0 || !app.can('edit_marks')) return null
  return (
    <>
      {' '}
      <Button
        testid="story-apply"
        disabled={busy}
        title={text.reacquisitions.applyHint}
        onClick={() => void app.applyMarks(story.edits)}
      >
        {text.reacquisitions.apply}
      </Button>
    </>
  )
}

interface PartProps {
  title: string
  place: StoryPlace
  when: string
  children: ReactNode
}

/** One place of the story, with what leads there. */
function StoryPart({ title, place, when, children }: PartProps) {
  const app = useApp()
  const episode = useStore(app.bench.store, (bench) =>
    place.episode === null ? undefined : bench.graph?.episodes[place.episode],
  )
  const level = useStore(app.bench.store, (bench) => bench.levels[place.episode ?? -1] ?? 0)
  const { turn, step, shown_turn, line, block } = place
  return (
    <section
      className="story-place stack min-w-0 border rounded-6"
      aria-label={title}
      data-testid="story-place"
    >
      <header className="row flex-wrap flex-none text-s bg-panel border-b p-4-8 gap-2-8">
        <h3>{title}</h3>
        <button
          type="button"
          className="link"
          title={text.reacquisitions.toTurn}
          onClick={() => app.bench.moveTo({ turn, step: step ?? Number.MAX_SAFE_INTEGER })}
        >
          {when}
        </button>
        {episode && (
          <EpisodeChip episode={episode} level={level} onSelect={() => app.bench.select(place.episode)} />
        )}
        <span className="grow" />
        <button
          type="button"
          className="link"
          title={text.reacquisitions.toPlace}
          onClick={() =>
            void app.navigation.showPlace({ turn: shown_turn, line, episode: place.episode }, block)
          }
        >
          {text.reacquisitions.line(count(line))}
        </button>
      </header>
      {children}
    </section>
  )
}

/** The text of the block at a place. */
function PlaceText({ title, place, name }: { title: string; place: StoryPlace; name: string }) {
  const app = useApp()
  const session = useStore(app.bench.store, (bench) => bench.session?.session)
  const branch = useStore(app.bench.store, (bench) => bench.view.branch)
  const { block } = place
  const { answer, failure } = useAnswer(session === undefined ? null : [session, branch, block], () =>
    app.texts.get({ session: session!, branch, block }),
  )
  const whole = answer?.block === block ? answer.text : null
  return (
    <div
      className="place-text scroll break-anywhere p-6-8"
      tabIndex={0}
      role="region"
      aria-label={`${title}: ${name}`}
    >
      {failure && <p className="text-error">{failure.message}</p>}
      {whole !== null && <BlockText text={whole} prose={false} language={languageOfPath(name)} />}
    </div>
  )
}

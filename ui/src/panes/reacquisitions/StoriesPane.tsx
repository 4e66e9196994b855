import { useEffect, useMemo, useRef } from 'react'

import type { ReacquisitionStoryRow } from '../../lib/ipc/generated/ReacquisitionStoryRow'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count, money } from '../../lib/view/format'
import { placeOf, storiesOf } from '../../lib/view/stories'
import { Choice } from '../../components/shared/Choice'
import { Empty } from '../../components/shared/Empty'
import { Story } from './Story'
import { pane } from './pane'
import './reacquisitions.css'

const ALL = 'all'

/** The Read again tab: everything that the agent got again after its eviction, the dearest first, and one of it opened. */
export function StoriesPane() {
  const app = useApp()
  const { answer, failure } = useStore(app.stateOf(pane).store, (state) => state)
  const { pick, cause } = useStore(app.stateOf(pane).chosen, (state) => state)
  useEffect(() => app.stateOf(pane).look(), [app])
  const stories = useMemo(() => storiesOf(answer?.stories ?? [], cause), [answer, cause])
  if (failure) return <Empty title={failure.message}>{failure.hint}</Empty>
  if (!answer) return <Empty title={text.reacquisitions.waiting} />
  if (answer.stories.length === 0)
    return <Empty title={text.reacquisitions.none}>{text.reacquisitions.noneHint}</Empty>
  const at = placeOf(stories, pick)
  const story = stories[at]
  const options = [
    { value: ALL, label: text.reacquisitions.all, note: count(answer.n_stories) },
    ...answer.causes.map((sum) => ({
      value: sum.cause as string,
      label: text.reacquisitions.causes[sum.cause],
      note: `${count(sum.n_stories)} · ${text.reacquisitions.tokens(count(sum.tokens))}`,
    })),
  ]
  return (
    <div className="pane">
      <div className="pane-bar">
        <span className="pane-sum clip" data-testid="stories-sum" data-stories={answer.n_stories}>
          {text.reacquisitions.sum(count(answer.n_stories), count(answer.tokens))}
          {answer.cost !== null && `, ${text.reacquisitions.cost(money(answer.cost))}`}
        </span>
        {answer.from.source === 'inferred' && (
          <span
            className="badge source inferred"
            title={text.reacquisitions.inferred}
            data-testid="stories-inferred"
          >
            {text.annotation.word.inferred}
          </span>
        )}
        <span className="grow" />
        <Choice
          label={text.reacquisitions.only}
          testid="stories-cause"
          value={cause ?? ALL}
          options={options}
          onChange={(value) =>
            app.stateOf(pane).chosen.set({
              cause: answer.causes.find((sum) => sum.cause === value)?.cause ?? null,
              pick: null,
            })
          }
        />
      </div>
      <div className="stories grid grow min-h-0">
        <StoryList stories={stories} at={at} />
        {story && (
          <Story key={story.again.block} story={story} isInferred={answer.from.source === 'inferred'} />
        )}
      </div>
    </div>
  )
}

function StoryList({ stories, at }: { stories: readonly ReacquisitionStoryRow[]; at: number }) {
  const app = useApp()
  const list = useRef<HTMLDivElement>(null)
  const open = (to: number) => {
    const story = stories[to]
    if (story) app.stateOf(pane).chosen.set({ pick: { by: 'story', block: story.again.block } })
  }
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [at])
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
    const to: Record<string, number> = {
      ArrowDown: Math.min(stories.length - 1, at + 1),
      ArrowUp: Math.max(0, at - 1),
      Home: 0,
      End: stories.length - 1,
    }
    const next = to[event.key]
    if (next !== undefined) open(next)
    else if (event.key === 'Enter') document.getElementById('story')?.focus()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div
      ref={list}
      className="story-list scroll border-r"
      role="listbox"
      tabIndex={0}
      aria-label={text.reacquisitions.list}
      aria-activedescendant={at >= 0 ? `story-${at}` : undefined}
      onKeyDown={onKeyDown}
      data-testid="stories"
    >
      {stories.map((story, idx) => (
        <div
          key={story.again.block}
          id={`story-${idx}`}
          role="option"
          aria-selected={idx === at}
          className={`list-row story-row cursor-default border-b-soft p-4-12 ${idx === at ? 'selected' : ''}`}
          data-testid="story-row"
          data-cause={story.cause}
          onClick={() => open(idx)}
        >
          <div className="row justify-between gap-10 min-w-0">
            <span className="mono clip" title={story.name}>
              {story.name}
            </span>
            <span className="number flex-none">{count(story.tokens)}</span>
          </div>
          <div className="row justify-between gap-10 min-w-0">
            <span className={`flex-none badge cause ${story.cause}`}>
              {text.reacquisitions.causes[story.cause]}
            </span>
            <span className="muted clip text-s">
              {text.reacquisitions.turns(
                count(story.first.turn),
                count(story.gone.turn),
                count(story.again.turn),
              )}
            </span>
          </div>
        </div>
      ))}
    </div>
  )
}

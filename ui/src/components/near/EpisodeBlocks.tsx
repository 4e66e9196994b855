import type { EpisodeAnswer } from '../../lib/ipc/generated/EpisodeAnswer'
import type { ContextItem } from '../../lib/ipc/generated/ContextItem'
import type { App } from '../../lib/state/app'
import { useApp } from '../../lib/state/app'
import { useAnswer } from '../../lib/state/memo'
import { pageOf, placeIn } from '../../lib/state/question'
import { useStore } from '../../lib/state/store'
import type { Question } from '../../lib/state/workbench'
import { text } from '../../lib/text'
import { groupBlocks, stateOfBlock, type BlockGroup } from '../../lib/view/blockGroups'
import { count } from '../../lib/view/format'
import { levelName } from '../../lib/view/levels'
import { shortReason } from '../../lib/view/rows'
import { EpisodeCard } from './EpisodeCard'

/** The list that has every block of the log, those that are gone too. */
const ALL = { type: 'context', ghosts: true } as const
/** The most blocks of an episode that are drawn. */
const MOST_BLOCKS = 600

/** The chosen episode from near: its blocks by kind and state. */
export function EpisodeBlocks({ idx, chosen }: { idx: number; chosen: React.RefObject<HTMLElement | null> }) {
  const app = useApp()
  const line = useStore(app.bench.store, (bench) => bench.graph?.episodes[idx]?.line ?? 0)
  const kind = useStore(app.bench.store, (bench) => bench.graph?.episodes[idx]?.kind ?? 'expl')
  const question = useStore(app.bench.store, (bench) => bench.question)
  const detail = useStore(app.detail.store, ({ answer }) => (answer?.episode === idx ? answer : null))
  const first = detail?.blocks[0]
  const { answer: items, failure } = useAnswer(
    question && first !== undefined ? [question, first] : null,
    () => blocksOf(app, question!, detail!, line),
  )
  const groups = groupBlocks(items ?? [], idx)
  const most = Math.max(1, ...(items ?? []).map(({ tokens }) => tokens))
  const nMore = (detail?.blocks.length ?? 0) - groups.reduce((sum, { blocks }) => sum + blocks.length, 0)
  return (
    <div className="stack gap-8 p-8-12" data-testid="episode-blocks">
      <EpisodeCard key={idx} idx={idx} isChosen ref={chosen} />
      {failure && <p className="text-error">{failure.message}</p>}
      <dl className={`near-groups grid gap-4-12 ${kind}`}>
        {groups.map((group) => (
          <Group key={group.name} group={group} most={most} episode={idx} />
        ))}
      </dl>
      {items !== null && nMore > 0 && <p className="muted">{text.near.moreBlocks(count(nMore))}</p>}
    </div>
  )
}

/** Asks for the blocks of an episode, which stand together in the list from its first one on. */
async function blocksOf(
  app: App,
  question: Question,
  detail: EpisodeAnswer,
  line: number,
): Promise<ContextItem[]> {
  const { session, view, cut } = question
  const block = detail.blocks[0] ?? ''
  const offset = (await placeIn(app.host, question, ALL, { block, line })) ?? 0
  const limit = Math.min(MOST_BLOCKS, detail.blocks.length + 8)
  const page = await pageOf(app.host, { session, view, cut, offset, limit }, ALL)
  return page.items
}

function Group({ group, most, episode }: { group: BlockGroup; most: number; episode: number }) {
  const app = useApp()
  return (
    <>
      <dt className="text-s">
        {group.name} <b>{count(group.blocks.length)}</b>{' '}
        <span className="muted">{text.graph.keptOf(count(group.kept), count(group.tokens))}</span>
      </dt>
      <dd className="flex flex-wrap gap-2">
        {group.blocks.map((item) => (
          <button
            key={item.block}
            type="button"
            className="near-block rounded-2 h-16"
            // The area is felt, so the width goes with the root of the tokens.
            style={{ width: `${0.5 + 4.5 * Math.sqrt(item.tokens / most)}rem` }}
            data-testid="near-block"
            data-state={stateOfBlock(item)}
            data-block={item.block}
            aria-label={saidOf(item, group.name)}
            title={saidOf(item, group.name)}
            onClick={() => void app.navigation.showPlace({ turn: 1, line: item.line, episode }, item.block)}
          />
        ))}
      </dd>
    </>
  )
}

/** Says what a block is and how it stands. */
function saidOf(item: ContextItem, name: string): string {
  const level = item.level !== null && item.level > 0 ? `, ${levelName(item.level)}` : ''
  const what = item.path ?? item.about ?? ''
  const reason = shortReason(item.reason)
  return `${name}${what === '' ? '' : ` ${what}`}: ${text.tokens(count(item.tokens))}, ${text.near.states[stateOfBlock(item)]}${level}${reason === '' ? '' : `. ${reason}`}`
}

import type { ContextItem } from '../ipc/generated/ContextItem'
import { blockName } from './rows'

/** The blocks of an episode that are called the same, in the order of the log. */
export interface BlockGroup {
  name: string
  blocks: ContextItem[]
  tokens: number
  kept: number
}

/** Returns the tokens that the model receives of a block. */
const keptOf = (item: ContextItem): number => (item.kept ? item.tokens : 0)

/** Groups the blocks of an episode by what they are, the largest group first. */
export function groupBlocks(items: readonly ContextItem[], episode: number): BlockGroup[] {
  const groups = new Map<string, BlockGroup>()
  for (const item of items) {
    if (item.episode !== episode) continue
    const name = blockName(item)
    const group = groups.get(name) ?? { name, blocks: [], tokens: 0, kept: 0 }
    group.blocks.push(item)
    group.tokens += item.tokens
    group.kept += keptOf(item)
    groups.set(name, group)
  }
  return [...groups.values()].sort((a, b) => b.tokens - a.tokens)
}

/** How a block stands: kept as a whole, replaced by a placeholder, or gone. */
export type BlockState = 'kept' | 'masked' | 'gone'
export const stateOfBlock = (item: ContextItem): BlockState =>
  item.placeholder !== null ? 'masked' : item.kept ? 'kept' : 'gone'

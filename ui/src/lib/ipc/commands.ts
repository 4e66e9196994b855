export { IN_BYTES, IN_COLUMNS, PURE, type Commands } from './generated/Commands'
import type { Commands } from './generated/Commands'

export type CommandName = keyof Commands

export { IN_BYTES, IN_COLUMNS, type Commands } from './generated/Commands'
import type { Commands } from './generated/Commands'

export type CommandName = keyof Commands

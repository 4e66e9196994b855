import type { BlockDto } from './generated/BlockDto'
import type { BlockRequest } from './generated/BlockRequest'
import type { BodyDto } from './generated/BodyDto'
import type { BodyRequest } from './generated/BodyRequest'
import type { ContextDto } from './generated/ContextDto'
import type { ContextRequest } from './generated/ContextRequest'
import type { CutDto } from './generated/CutDto'
import type { CutRequest } from './generated/CutRequest'
import type { EpisodeDetailDto } from './generated/EpisodeDetailDto'
import type { EpisodeRequest } from './generated/EpisodeRequest'
import type { EvictedDto } from './generated/EvictedDto'
import type { EvictedRequest } from './generated/EvictedRequest'
import type { GraphDto } from './generated/GraphDto'
import type { OpenRequest } from './generated/OpenRequest'
import type { ReplayDto } from './generated/ReplayDto'
import type { SessionDto } from './generated/SessionDto'
import type { SessionsDto } from './generated/SessionsDto'
import type { SessionsRequest } from './generated/SessionsRequest'
import type { StepsDto } from './generated/StepsDto'
import type { StepsRequest } from './generated/StepsRequest'
import type { ViewDto } from './generated/ViewDto'
import type { ViewRequest } from './generated/ViewRequest'

/** What the host was started with. */
export interface Defaults {
  target: string | null
  view: ViewDto
  cut: CutDto
  demo: boolean
}

/** Every command of the host: its request and its response. */
export interface Commands {
  defaults: { request: Record<string, never>; response: Defaults }
  sessions: { request: SessionsRequest; response: SessionsDto }
  open: { request: OpenRequest; response: SessionDto }
  session: { request: { session: number }; response: SessionDto }
  graph: { request: ViewRequest; response: GraphDto }
  replay: { request: ViewRequest; response: ReplayDto }
  levels: { request: CutRequest; response: Uint8Array }
  steps: { request: StepsRequest; response: StepsDto }
  context: { request: ContextRequest; response: ContextDto }
  block: { request: BlockRequest; response: BlockDto }
  evicted: { request: EvictedRequest; response: EvictedDto }
  episode: { request: EpisodeRequest; response: EpisodeDetailDto }
  body: { request: BodyRequest; response: BodyDto }
}

export type CommandName = keyof Commands

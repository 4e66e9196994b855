// This file is generated from the list of commands. Do not edit it: run `make gen`.
import type { BlockDto } from "./BlockDto";
import type { BlockRequest } from "./BlockRequest";
import type { BodyDto } from "./BodyDto";
import type { BodyRequest } from "./BodyRequest";
import type { CancelDto } from "./CancelDto";
import type { CancelRequest } from "./CancelRequest";
import type { CompareBlocksDto } from "./CompareBlocksDto";
import type { CompareBlocksRequest } from "./CompareBlocksRequest";
import type { CompareDto } from "./CompareDto";
import type { CompareRequest } from "./CompareRequest";
import type { ContextDto } from "./ContextDto";
import type { ContextRequest } from "./ContextRequest";
import type { CutRequest } from "./CutRequest";
import type { DefaultsDto } from "./DefaultsDto";
import type { DefaultsRequest } from "./DefaultsRequest";
import type { EpisodeDetailDto } from "./EpisodeDetailDto";
import type { EpisodeRequest } from "./EpisodeRequest";
import type { EvictedDto } from "./EvictedDto";
import type { EvictedRequest } from "./EvictedRequest";
import type { FindingsDto } from "./FindingsDto";
import type { GraphDto } from "./GraphDto";
import type { OpenRequest } from "./OpenRequest";
import type { ReplayDto } from "./ReplayDto";
import type { SearchDto } from "./SearchDto";
import type { SearchRequest } from "./SearchRequest";
import type { SessionDto } from "./SessionDto";
import type { SessionRequest } from "./SessionRequest";
import type { SessionsDto } from "./SessionsDto";
import type { SessionsRequest } from "./SessionsRequest";
import type { StepsDto } from "./StepsDto";
import type { StepsRequest } from "./StepsRequest";
import type { SweepDto } from "./SweepDto";
import type { SweepRequest } from "./SweepRequest";
import type { TraceDto } from "./TraceDto";
import type { UndeclaredDto } from "./UndeclaredDto";
import type { ViewRequest } from "./ViewRequest";

/**
 * Every command of the host: what it is asked with and what it answers.
 */
export interface Commands {
  defaults: { request: DefaultsRequest; response: DefaultsDto };
  sessions: { request: SessionsRequest; response: SessionsDto };
  open: { request: OpenRequest; response: SessionDto };
  cancel: { request: CancelRequest; response: CancelDto };
  search: { request: SearchRequest; response: SearchDto };
  sweep: { request: SweepRequest; response: SweepDto };
  session: { request: SessionRequest; response: SessionDto };
  graph: { request: ViewRequest; response: GraphDto };
  replay: { request: ViewRequest; response: ReplayDto };
  steps: { request: StepsRequest; response: StepsDto };
  findings: { request: ViewRequest; response: FindingsDto };
  undeclared: { request: ViewRequest; response: UndeclaredDto };
  context: { request: ContextRequest; response: ContextDto };
  block: { request: BlockRequest; response: BlockDto };
  evicted: { request: EvictedRequest; response: EvictedDto };
  episode: { request: EpisodeRequest; response: EpisodeDetailDto };
  body: { request: BodyRequest; response: BodyDto };
  compare: { request: CompareRequest; response: CompareDto };
  compare_blocks: { request: CompareBlocksRequest; response: CompareBlocksDto };
  levels: { request: CutRequest; response: Uint8Array };
  left: { request: CutRequest; response: Uint8Array };
  trace: { request: ViewRequest; response: TraceDto };
}

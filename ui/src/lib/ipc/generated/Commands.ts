// This file is generated from the list of commands. Do not edit it: run `make gen`.
import type { BlockDto } from "./BlockDto";
import type { BlockRequest } from "./BlockRequest";
import type { BodyDto } from "./BodyDto";
import type { BodyRequest } from "./BodyRequest";
import type { CancelDto } from "./CancelDto";
import type { CompactionsDto } from "./CompactionsDto";
import type { CompareBlocksDto } from "./CompareBlocksDto";
import type { CompareBlocksRequest } from "./CompareBlocksRequest";
import type { CompareDto } from "./CompareDto";
import type { CompareRequest } from "./CompareRequest";
import type { ContextTextDto } from "./ContextTextDto";
import type { ContextTextRequest } from "./ContextTextRequest";
import type { DefaultsDto } from "./DefaultsDto";
import type { EmptyRequest } from "./EmptyRequest";
import type { EpisodeDetailDto } from "./EpisodeDetailDto";
import type { EpisodeRequest } from "./EpisodeRequest";
import type { ExportRequest } from "./ExportRequest";
import type { FindDto } from "./FindDto";
import type { FindRequest } from "./FindRequest";
import type { FindingsDto } from "./FindingsDto";
import type { FrameDto } from "./FrameDto";
import type { FrameRequest } from "./FrameRequest";
import type { ImageDto } from "./ImageDto";
import type { ImageRequest } from "./ImageRequest";
import type { MarksDto } from "./MarksDto";
import type { MarksRequest } from "./MarksRequest";
import type { NotesDto } from "./NotesDto";
import type { NotesRequest } from "./NotesRequest";
import type { OpenRequest } from "./OpenRequest";
import type { PageDto } from "./PageDto";
import type { PageRequest } from "./PageRequest";
import type { PinDto } from "./PinDto";
import type { PinRequest } from "./PinRequest";
import type { PlaceDto } from "./PlaceDto";
import type { PlaceRequest } from "./PlaceRequest";
import type { RecoveryDto } from "./RecoveryDto";
import type { RecoveryRequest } from "./RecoveryRequest";
import type { RegretStoriesDto } from "./RegretStoriesDto";
import type { RegretsDto } from "./RegretsDto";
import type { RemoveRequest } from "./RemoveRequest";
import type { RemovedDto } from "./RemovedDto";
import type { SaveNoteRequest } from "./SaveNoteRequest";
import type { SaveViewRequest } from "./SaveViewRequest";
import type { SavedDto } from "./SavedDto";
import type { SavedViewsDto } from "./SavedViewsDto";
import type { SearchDto } from "./SearchDto";
import type { SearchRequest } from "./SearchRequest";
import type { SessionDto } from "./SessionDto";
import type { SessionRequest } from "./SessionRequest";
import type { SessionsDto } from "./SessionsDto";
import type { StoreDto } from "./StoreDto";
import type { StoreRequest } from "./StoreRequest";
import type { SweepDto } from "./SweepDto";
import type { SweepRequest } from "./SweepRequest";
import type { TraceDto } from "./TraceDto";
import type { UndeclaredDto } from "./UndeclaredDto";
import type { ViewRequest } from "./ViewRequest";

/**
 * Every command of the host: what it is asked with and what it answers.
 */
export interface Commands {
  defaults: { request: EmptyRequest; response: DefaultsDto };
  sessions: { request: EmptyRequest; response: SessionsDto };
  open: { request: OpenRequest; response: SessionDto };
  cancel: { request: SessionRequest; response: CancelDto };
  search: { request: SearchRequest; response: SearchDto };
  sweep: { request: SweepRequest; response: SweepDto };
  notes: { request: NotesRequest; response: NotesDto };
  save_note: { request: SaveNoteRequest; response: SavedDto };
  remove_note: { request: RemoveRequest; response: RemovedDto };
  pin: { request: PinRequest; response: PinDto };
  saved_views: { request: SessionRequest; response: SavedViewsDto };
  save_view: { request: SaveViewRequest; response: SavedDto };
  remove_view: { request: RemoveRequest; response: RemovedDto };
  store: { request: StoreRequest; response: StoreDto };
  export: { request: ExportRequest; response: Uint8Array };
  session: { request: SessionRequest; response: SessionDto };
  findings: { request: ViewRequest; response: FindingsDto };
  regrets: { request: ViewRequest; response: RegretsDto };
  regret_stories: { request: ViewRequest; response: RegretStoriesDto };
  undeclared: { request: ViewRequest; response: UndeclaredDto };
  compactions: { request: ViewRequest; response: CompactionsDto };
  recovery: { request: RecoveryRequest; response: RecoveryDto };
  page: { request: PageRequest; response: PageDto };
  context_text: { request: ContextTextRequest; response: ContextTextDto };
  block: { request: BlockRequest; response: BlockDto };
  image: { request: ImageRequest; response: ImageDto };
  find: { request: FindRequest; response: FindDto };
  marks: { request: MarksRequest; response: MarksDto };
  place: { request: PlaceRequest; response: PlaceDto };
  episode: { request: EpisodeRequest; response: EpisodeDetailDto };
  body: { request: BodyRequest; response: BodyDto };
  compare: { request: CompareRequest; response: CompareDto };
  compare_blocks: { request: CompareBlocksRequest; response: CompareBlocksDto };
  frame: { request: FrameRequest; response: FrameDto };
  trace: { request: ViewRequest; response: TraceDto };
}

/** The commands that answer bytes and no JSON. */
export const IN_BYTES: readonly (keyof Commands)[] = ["export"];

/** The commands whose answers hold columns of numbers behind a header of JSON. */
export const IN_COLUMNS: readonly (keyof Commands)[] = ["frame"];

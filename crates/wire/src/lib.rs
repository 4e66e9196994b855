//! Wire types: the only types with a TypeScript twin.
//!
//! Engine types never cross the wire. Numbers cross as JSON numbers. Each `…Dto` answers one question of a pane, so the
//! page recomputes nothing.
//!
//! Conventions, unless a field says otherwise: block ids are `ENTRY:INDEX`; lines, turns and steps count from 1, other
//! indices from 0; an `episode` is an index into [`GraphDto::episodes`]; sizes are tokens; `…_ms` is milliseconds since
//! 1970; `says` and `message` are clauses without full stop; `revision` is the session's revision at the time of the
//! answer.

mod error;
mod words;
mod annotation;
mod reader;
mod first;
mod host;
mod session;
mod reference;
mod replay;
mod graph;
mod episode;
mod list;
mod block;
mod finding;
mod story;
mod lint;
mod compaction;
mod compare;
mod side_by_side;
mod duel;
mod sweep;
mod frontier;
mod verdict;
mod cost;
mod overview;
mod choice;
mod trial;
mod corpus;
mod corpora;
mod search;
mod note;
mod trace;
mod export;
mod captured;
mod proxy;
mod live;
mod document;

pub use annotation::{
    EditDto, EditMarksDto, EditMarksRequest, EpisodesFromDto, KeptMarksRequest, MarkDto, MarkPlaceDto,
    MarkProblemDto, MarksFileDto, MarksJsonDto, MarksReportRequest, OverlayDto, OverlaysDto,
    SaveMarksRequest, SavedMarksDto, WorthDto,
};
pub use block::{
    BlockDto, BlockRequest, BodyDto, BodyRequest, ContextTextDto, ContextTextRequest, ImageDto, ImageRequest,
};
pub use captured::{
    CapturedBlockDto, CapturedBodyDto, CapturedBodyRequest, CapturedDto, CapturedPartDto, CapturedRequest,
    CapturedRowDto, CapturedSideDto, CapturedTurnDto,
};
pub use choice::{
    ChoiceAgainstDto, ChoiceDto, ChoiceEstimateDto, ChoiceHalfDto, ChoiceLiveDto, ChoiceSettingDto,
};
pub use compaction::{
    CompactedDto, CompactionDto, CompactionSaysDto, CompactionsDto, DetailCountsDto, EditPaceDto,
    GotAgainDto, InsteadDto, NameKindDto, NeededDetailsDto, NeededDto, NeededFateDto, NeededNameDto,
    QuestionCountsDto, RecallQuestionDto, RecoveryDto, RecoveryRequest,
};
pub use compare::{
    CompareAtDto, CompareBlocksDto, CompareBlocksRequest, CompareColumnDto, CompareDto, CompareRequest,
    DifferenceDto,
};
pub use corpora::{
    CorpusCellDto, CorpusColumnDto, CorpusKindDto, CorpusRequest, CorpusRowDto, CorpusRowsDto,
    CorpusRowsRequest, CorpusViewDto,
};
pub use corpus::{CorpusDto, CorpusTableDto, DependencyDto, RequestMadeDto, RequestsMadeDto, RunDto};
pub use cost::{CostRequest, MissDto, MissesDto, SessionCostDto, StatedCostDto, UnpricedDto};
pub use document::{
    AboutDto, DocumentAnswer, DocumentDto, ImportedDto, ReportDto, SchemaDto, schema_names, schema_of,
};
pub use duel::{DuelDto, DuelNeedDto, DuelRequest, DuelSideDto};
pub use episode::{EpisodeAlwaysDto, EpisodeAtCutDto, EpisodeDetailDto, EpisodeRequest, NeedDto};
pub use error::{ApiError, ErrorCode};
pub use export::{ExportRequest, ExportedSessionDto, RedactedDto};
pub use finding::{
    FINDINGS_LISTED, FindingDto, FindingsDto, ReacquisitionDto, ReacquisitionsDto, UndeclaredDto,
    UndeclaredHintDto,
};
pub use first::{GlanceDto, GlanceMarkDto, GlanceRequest, SampleDto};
pub use frontier::{FrontierDto, FrontierRequest, KeptByDto, OnFrontierDto, SettingDto};
pub use graph::{EpisodeDto, FrameDto, FrameRequest, GraphDto, HeldDto, HumanTurnDto};
pub use host::{CancelDto, DefaultsDto, PushDto, StoreDto, StoreRequest, StoreTroubleDto, TroubleKindDto};
pub use lint::{
    FigurePartDto, LintCountsDto, LintDto, LintItemDto, LintPlaceDto, LintReportDto, LintedLogDto,
    QualityFigureDto,
};
pub use list::{
    ABOUT_CHARS, AgainstDto, ContextDto, DiffDto, EvictedDto, FindDto, FindRequest, ItemDiffDto, ItemDto,
    ListDto, MATCHES_COUNTED, MarksDto, MarksRequest, OverBudgetDto, PREVIEW_CHARS, PageDto, PageRequest,
    PlaceDto, PlaceRequest, ProviderViolationsDto, WantedDto, WordsDto,
};
pub use live::{
    LiveAnswer, LiveChangeDto, LiveEventDto, LiveEventKindDto, LiveGoneDto, LivePreviewDto, LiveProcessDto,
    LiveProcessesDto, LiveQuestion, LiveRefusalDto, LiveStatusDto, SetLiveRequest,
};
pub use note::{
    NoteDto, NotePlaceDto, NotesDto, NotesRequest, PinDto, PinRequest, RemoveRequest, RemovedDto,
    SaveNoteRequest, SaveViewRequest, SavedDto, SavedViewDto, SavedViewsDto, SubjectDto,
};
pub use overview::{ConsumerDto, ConsumerKindDto, OverviewDto, OverviewLineDto, OverviewLineKindDto};
pub use proxy::ProxyDto;
pub use reader::{MarkWithReaderRequest, ReaderDto, ReaderOutcomeDto, ReaderPlanDto};
pub use reference::{
    BranchRowDto, BranchesDto, FolderDto, FormatDto, FormatsDto, ModelDto, ModelsDto, PoliciesDto, RatesDto,
    TableDto, TableRowDto, TablesDto,
};
pub use replay::{
    BandDto, CarriedReasoningDto, CutDto, DriftDto, GainDto, HistoryDto, LossDto, ReplayDto, StepDto,
    StepsDto, StepsRequest, StretchDto, TurnDto, ViewDto, ViewRequest,
};
pub use search::{FoundSessionDto, HitDto, SearchDto, SearchRequest};
pub use session::{
    AdmitRequest, AdmittedDto, AnnotationDto, BranchDto, ChoicesDto, CodeDto, DecidedDto, EmptyRequest,
    InSession, NoticeDto, OpenRequest, OptionDto, PolicyDto, ProblemDto, ProvedDto, RecordedDto,
    RecordedPassDto, SessionDto, SessionRequest, SessionRowDto, SessionsDto, SessionsWantedDto,
};
pub use side_by_side::{
    PairedFigureDto, PartingDto, SessionSideDto, SideBySideDto, SideBySideRequest, SideRowDto, SideTurnDto,
    WorkUnitDto,
};
pub use story::{
    BlameDto, CauseSumDto, MarksEffectDto, MarksEffectRequest, ReacquiredDto, ReacquisitionStoriesDto,
    ReacquisitionStoryDto, STORIES_LISTED, StoryPlaceDto,
};
pub use sweep::{
    CacheRulesDto, CacheUsedDto, ClaimDto, CostDto, DetailSurvivalDto, FoundDto, JudgedDto, MeasuredDto,
    PriceDto, ProbesDto, RecallDto, SweepDto, SweepPointDto, SweepRequest, SweptDto,
};
pub use trace::{TraceDto, TraceEpisodeDto, TraceStepDto, TraceTurnDto};
pub use trial::{
    TrialDto, TrialGroupDto, TrialLevelDto, TrialMeasureDto, TrialOutcomeDto, TrialPolicyDto,
    TrialSurvivalDto,
};
pub use verdict::{
    PolicyVerdictDto, VerdictOutcomeDto, VerdictRangeDto, VerdictRequest, VerdictScopeDto, WithVerdictDto,
};
pub use words::{
    ActionDto, AnnotationSourceDto, AuthorDto, BandNameDto, BandsByDto, BlameClassDto, BudgetSourceDto,
    CarriedDto, ChangeDto, DetailFateDto, DetailKindDto, DiffersDto, EdgeUseDto, EpisodeKindDto,
    FigureUnitDto, GainCauseDto, ItemKindDto, LevelDto, LifeDto, LossOfDto, MarksEffectKindDto, MissCauseDto,
    OverheadSourceDto, PolicyFamilyDto, ProviderDto, ReacquisitionCauseDto, RoleDto, SessionsSortDto,
    SeverityDto, SortDto, SummaryFormDto, UnloggedDto, WorkKindDto,
};

/// The visitor of all wire types that a list of commands names.
pub use ts_rs::TypeVisitor;

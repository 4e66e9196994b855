//! Types of the window alone, each with its JSON and its TypeScript: the list of sessions, pushes, the store, notes, marks
//! files, running agents, folders of logs, and documents for scripts.
//!
//! Requests and answers about one session are in [`cwl_inspect::api`], with the conventions that hold here too.

mod sessions;
mod reference;
mod marks;
mod reader;
mod first;
mod host;
mod marks_effect;
mod corpus;
mod corpora;
mod choice;
mod trial;
mod search;
mod note;
mod export;
mod captured;
mod proxy;
mod live;
mod document;

pub use captured::{
    CapturedAnswer, CapturedBlock, CapturedBodyAnswer, CapturedBodyRequest, CapturedRequest, CapturedRow,
    CapturedSide, CapturedText, CapturedTurn,
};
pub use choice::{ChoiceHalf, ChoiceObjection, ChoiceSetting, ChooseAnswer, EstimateRange, LiveSupport};
pub use corpora::{
    CorpusColumnKind, CorpusColumnRow, CorpusOverview, CorpusRequest, CorpusRow, CorpusRowsAnswer,
    CorpusRowsRequest, CorpusValue,
};
pub use corpus::{CorpusAnswer, CorpusTableSummary};
pub use document::{
    Document, DocumentAnswer, ImportAnswer, ReportAnswer, SchemaVersion, schema_names, schema_of,
};
pub use export::{ExportRequest, ExportedSession, RedactionCounts};
pub use first::{GlanceAnswer, GlanceMark, GlanceRequest, SampleSuggestion};
pub use host::{
    CancelAnswer, DefaultsAnswer, Push, StoreAnswer, StoreRequest, StoreTroubleKind, StoreTroubleReport,
};
pub use live::{
    LiveAnswer, LiveChange, LiveEvent, LiveEventKind, LiveEviction, LivePreview, LiveProcessRow,
    LiveProcessesAnswer, LiveQuestion, LiveRefusal, LiveStatusAnswer, SetLiveRequest,
};
pub use marks::{
    EditMarksAnswer, EditMarksRequest, KeptMarksRequest, MarksJsonAnswer, MarksReportRequest, OverlayRow,
    OverlaysAnswer, SaveMarksAnswer, SaveMarksRequest,
};
pub use marks_effect::{MarksEffectAnswer, MarksEffectRequest, ReacquiredContent};
pub use note::{
    NotePlace, NoteTarget, NotesAnswer, NotesRequest, PinAnswer, PinRequest, RemoveAnswer, RemoveRequest,
    SaveAnswer, SaveNoteRequest, SaveViewRequest, SavedViewRow, SavedViewsAnswer, SessionNote,
};
pub use proxy::ProxyStatus;
pub use reader::{MarkWithReaderRequest, ReaderOutcome, ReaderPlanAnswer, ReaderPlanSummary};
pub use reference::{
    FolderRow, FormatRow, FormatsAnswer, ModelRow, ModelsAnswer, PoliciesAnswer, RatesInDollars,
    ReferenceRow, ReferenceTable, TablesAnswer,
};
pub use search::{FoundSession, SearchAnswer, SearchHit, SearchRequest};
pub use sessions::{
    AdmitAnswer, AdmitRequest, NoticeRow, OpenRequest, SessionFilter, SessionListRow, SessionRequest,
    SessionsAnswer, SessionsOrder,
};
pub use trial::{
    TrialAnswer, TrialGroup, TrialLevel, TrialMeasure, TrialOutcome, TrialPolicy, TrialSurvival,
};

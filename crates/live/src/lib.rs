//! `cwl live`: eviction decisions for one running session, as JSON lines over standard input and output.
//!
//! A harness's extension starts one process per session, sends `hello` with its settings, and before every request
//! sends the new messages. The answer lists evicted messages and parts by position, and texts to put in their place.
//! A list keeps the messages as records of the harness's own log, so [`cwl_inspect::decide`] returns the decision the
//! inspector shows for that log. Every failure is an answer with a reason, and the agent continues with all of its
//! messages. A [`SteeredSession`] also answers its owner on a control socket.

mod protocol;
mod list;
mod pi_list;
mod opencode_list;
mod marks;
mod given;
mod checked;
mod sorted_cursor;
mod gone;
mod session;
mod record;
mod journal;
mod steered;
mod control;
mod lock;
mod serve;

pub use checked::CheckedDecision;
pub use control::ControlSocket;
pub use given::{GivenSettings, SettingsFailure};
pub use gone::{EvictedParts, describe_effect, group_by_reason};
pub use journal::{DecisionJournal, DecisionNote, SessionNames};
pub use lock::{LockFailure, SessionLock};
pub use marks::MarksChoice;
pub use protocol::{
    Answer, ClientKind, DecideRequest, DecisionRecord, HelloRequest, InsertedMark, LiveDecision, LiveVerdict,
    MarkRequest, MessagesForm, PROTOCOL, PartCounts, ReadyAnswer, RecordedText, ReplacedPart, SetRequest,
    TokenCounts, protocol_schema,
};
pub use serve::{LiveServer, serve_lines};
pub use session::LiveSession;
pub use steered::{SteerableSession, SteeredSession, empty_preview, refused_preview};

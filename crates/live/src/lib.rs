//! `cwl live`: decisions for one session of a running agent, as lines of JSON over standard input and output.
//!
//! A harness's extension starts one process a session, says hello with its settings, and before every request sends the
//! messages that are new. The answer says which of them, by position, are not sent, and what stands in their place. The
//! process keeps the session as the log of its harness would have it ([`PiList`]), so a decision is the one that the
//! inspector shows for that log; [`cwl_inspect::decide`] makes it. Whatever goes wrong is an answer in words, and the agent
//! goes on with all of its messages.

mod protocol;
mod pi_list;
mod marks;
mod session;
mod record;
mod lock;
mod serve;

pub use lock::{LockFailure, SessionLock};
pub use pi_list::{ListChange, PiList};
pub use protocol::{
    Answer, ClientKind, DecideRequest, DecisionRecord, HelloRequest, InsertDto, LiveDecision, LiveVerdictDto,
    MarkRequest, PROTOCOL, PartsDto, ReadyAnswer, RecordedText, ReplacedPart, SetRequest, TokensDto,
    protocol_schema,
};
pub use serve::{LiveServer, serve_lines};
pub use session::LiveSession;

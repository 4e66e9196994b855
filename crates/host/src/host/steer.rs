//! Commands that steer the live process of a session.

use cwl_engine::{Author, BlockPlace, EventBody};
use cwl_formats::Format;
use cwl_inspect::measure::opened::SessionSnapshot;

use crate::api::{
    LiveAnswer, LiveChange, LivePreview, LiveProcessRow, LiveQuestion, LiveStatusAnswer, SessionRequest,
    SetLiveRequest,
};
use crate::host::control::{ask_live, control_socket, refusal_error, session_of_prompt};
use crate::host::inspector::Inspector;
use crate::{ApiError, ErrorCode};

const EVENTS_SHOWN: usize = 20;

impl Inspector {
    /// Tells which process decides for a session, and what it did.
    ///
    /// # Errors
    /// If the session is unknown, or its process does not answer.
    pub fn live_status(&self, request: SessionRequest) -> Result<LiveStatusAnswer, ApiError> {
        if !cfg!(unix) {
            return Ok(LiveStatusAnswer { process: None });
        }
        let process =
            match self.ask_process(request.session, &LiveQuestion::Status { events: EVENTS_SHOWN })? {
                Some(LiveAnswer::Status(process)) => Some(*process),
                _ => None,
            };
        Ok(LiveStatusAnswer { process })
    }

    /// Tells what the last request would have lost under other settings; nothing changes.
    ///
    /// # Errors
    /// If no process decides for the session.
    pub fn preview_live(&self, request: SetLiveRequest) -> Result<LivePreview, ApiError> {
        match self.ask_process(request.session, &LiveQuestion::Preview(request.change))? {
            Some(LiveAnswer::Preview(preview)) => Ok(preview),
            Some(LiveAnswer::Refused(refusal)) => Err(refusal_error(refusal)),
            _ => Err(no_process()),
        }
    }

    /// Changes the settings that are in force from the next request on.
    ///
    /// # Errors
    /// If no process decides for the session, or it refuses the settings.
    pub fn set_live(&self, request: SetLiveRequest) -> Result<LiveStatusAnswer, ApiError> {
        let answer = self.ask_process(request.session, &LiveQuestion::Set(request.change))?;
        set_answer(answer).map(|process| LiveStatusAnswer { process: Some(process) })
    }

    fn ask_process(&self, session: u32, question: &LiveQuestion) -> Result<Option<LiveAnswer>, ApiError> {
        let opened = self.snapshot_or_open(session)?;
        for name in live_names(&opened)? {
            if let Some(answer) = ask_live(&control_socket(self.stores.store_folder(), &name), question)? {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }
}

/// Returns the names under which a process may decide for a session: its id, and for harnesses whose requests carry no
/// id, the name after its first prompt.
///
/// # Errors
/// If the texts cannot be read.
pub fn live_names(opened: &SessionSnapshot) -> Result<Vec<String>, ApiError> {
    let mut names: Vec<String> = opened.session_id().into_iter().collect();
    if matches!(opened.about.format, Format::GeminiCli | Format::QwenCode | Format::Copilot) {
        names.extend(name_after_prompt(opened)?);
    }
    Ok(names)
}

fn name_after_prompt(opened: &SessionSnapshot) -> Result<Option<String>, ApiError> {
    let events = (0u32..).zip(opened.log.events());
    let prompts = events.filter_map(|(seq, event)| match &event.body {
        EventBody::Message(message) if message.author == Author::Human => Some((seq, &message.blocks)),
        _ => None,
    });
    let places =
        prompts.flat_map(|(seq, blocks)| (0u32..).zip(blocks).map(move |(part, _)| BlockPlace { seq, part }));
    for place in places {
        let found = opened.texts.block_contents(&[place])?.pop();
        if let Some(name) = found.and_then(|content| session_of_prompt(&content.text)) {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// Changes the settings of the process for `session` and returns its status.
///
/// # Errors
/// If no process decides for the session, or it refuses the settings.
pub fn set_live(
    data_dir: &std::path::Path,
    session: &str,
    change: LiveChange,
) -> Result<LiveProcessRow, ApiError> {
    set_answer(ask_live(&control_socket(data_dir, session), &LiveQuestion::Set(change))?)
}

fn set_answer(answer: Option<LiveAnswer>) -> Result<LiveProcessRow, ApiError> {
    match answer {
        Some(LiveAnswer::Status(process)) => Ok(*process),
        Some(LiveAnswer::Refused(refusal)) => Err(refusal_error(refusal)),
        _ => Err(no_process()),
    }
}

fn no_process() -> ApiError {
    ApiError::new(ErrorCode::Missing, "no live process decides for this session")
        .with_hint("start the agent with its extension for `cwl live`, or through `cwl proxy --policy`")
}

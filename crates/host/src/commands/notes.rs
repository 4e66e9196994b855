//! Notes on a session and its parts, and pinned sessions.

use cwl_engine::{BlockId, BlockIdx, EntryId};
use cwl_inspect::asked::watch::read_block;
use cwl_inspect::measure::branch::Branch;
use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_store::{Note, NoteSubject, SourceId};

use crate::api::{
    NotePlace, NoteTarget, NotesAnswer, NotesRequest, PinAnswer, PinRequest, Push, RemoveAnswer,
    RemoveRequest, SaveAnswer, SaveNoteRequest, SessionNote, ViewSettings,
};
use crate::error::store_error;
use crate::reading::lately::now_ms;
use crate::sessions::made::names_of;
use crate::{ApiError, ErrorCode, Inspector};

/// Longest note, in bytes.
const MOST_BYTES: usize = 1 << 20;

impl Inspector {
    /// Lists notes on a session and its parts, in log order.
    ///
    /// # Errors
    /// If there is no such session or branch, or the store fails.
    pub fn notes(&self, request: NotesRequest) -> Result<NotesAnswer, ApiError> {
        let opened = self.snapshot_or_open(request.session)?;
        if !opened.texts.is_kept() {
            return Ok(NotesAnswer { notes: Vec::new() });
        }
        let path = self.path_in_store(request.session)?;
        let notes = self.stores.main().run_read(|reader| reader.notes_on_log(&path))?;
        let chosen = opened.parse_view(&ViewSettings {
            branch: request.branch,
            annotation: request.annotation,
            ..ViewSettings::default()
        })?;
        let branch = opened.branch(&chosen.branch)?;
        let mut notes: Vec<SessionNote> =
            notes.into_iter().map(|note| session_note(note, &opened, &branch)).collect();
        notes.sort_by_key(|note| match (&note.subject, &note.place) {
            (NoteTarget::Session, _) => (0, 0),
            (_, Some(place)) => (1, place.line),
            (_, None) => (2, 0),
        });
        Ok(NotesAnswer { notes })
    }

    /// Saves a note, synced to disk.
    ///
    /// # Errors
    /// If the note is empty, its subject does not exist, or the store cannot be written.
    pub fn save_note(&self, request: SaveNoteRequest) -> Result<SaveAnswer, ApiError> {
        let refused =
            |message: &str, hint: &str| Err(ApiError::new(ErrorCode::BadRequest, message).with_hint(hint));
        if request.body.trim().is_empty() {
            return refused("a note that says nothing", "write something, or remove the note");
        }
        if request.body.len() > MOST_BYTES {
            return refused("a note of more than a megabyte", "make it shorter");
        }
        let opened = self.snapshot_or_open(request.session)?;
        let store = self.stores.for_keeps()?;
        let path = self.path_in_store(request.session)?;
        let subject = subject_of(request.subject)?;
        // A restored or edited note was checked when it was new.
        if request.id.is_none() && !is_in_log(&subject, &opened) {
            return Err(ApiError::new(ErrorCode::UnknownBlock, "what the note is on is not in the log")
                .with_hint("choose a block or an episode that is shown"));
        }
        let written_ms = request.written_ms.unwrap_or_else(now_ms);
        let id = store
            .run_write(|store| store.save_note(request.id, &path, &subject, &request.body, written_ms))
            .map_err(store_error)?;
        self.send_push(Push::Notes { session: request.session });
        self.send_push(Push::Sessions);
        Ok(SaveAnswer { id })
    }

    /// Removes a note.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn remove_note(&self, request: RemoveRequest) -> Result<RemoveAnswer, ApiError> {
        let removed =
            self.stores.for_keeps()?.run_write(|store| store.remove_note(request.id)).map_err(store_error)?;
        self.made_elsewhere();
        self.send_push(Push::Sessions);
        Ok(RemoveAnswer { removed })
    }

    /// Pins a session to the top of the list, or unpins it.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn pin(&self, request: PinRequest) -> Result<PinAnswer, ApiError> {
        let PinRequest { path, pinned } = request;
        if path.is_empty() {
            return Err(ApiError::new(ErrorCode::BadRequest, "no session was named")
                .with_hint("name the log's path, as in the list"));
        }
        let store = self.stores.for_keeps()?;
        let names = if pinned { vec![path] } else { names_of(self, &path) };
        for name in names {
            store.run_write(|store| store.save_pin(&name, pinned.then(now_ms))).map_err(store_error)?;
        }
        self.send_push(Push::Sessions);
        Ok(PinAnswer { pinned })
    }

    /// A session's path in the store, which stays the same if the log is renamed.
    pub(crate) fn path_in_store(&self, session: u32) -> Result<String, ApiError> {
        let source = SourceId::new(session.into());
        let store = self.stores.for_keeps()?;
        // A log opened while the store refused writes is only in memory.
        if !store.may_have(source) {
            return Err(self.stores.not_kept());
        }
        Ok(store.run_read(|reader| reader.source(source))?.path)
    }

    /// Pushes for every open session that its notes, pins or bookmarks may have changed.
    pub(crate) fn made_elsewhere(&self) {
        let sessions: Vec<u32> = cwl_inspect::recent::lock_unpoisoned(&self.opened).keys().copied().collect();
        for session in sessions {
            self.send_push(Push::Notes { session });
        }
    }
}

fn session_note(note: Note, opened: &SessionSnapshot, branch: &Branch) -> SessionNote {
    let place = place_of(&note.subject, opened, branch);
    let subject = match note.subject {
        NoteSubject::Log => NoteTarget::Session,
        NoteSubject::Episode(name) => NoteTarget::Episode { name },
        NoteSubject::Record { entry, block } => {
            NoteTarget::Block { block: format!("{entry}:{}", block.unwrap_or(0)) }
        }
    };
    SessionNote { id: note.id, subject, body: note.body, written_ms: note.written_ms, place }
}

fn subject_of(subject: NoteTarget) -> Result<NoteSubject, ApiError> {
    Ok(match subject {
        NoteTarget::Session => NoteSubject::Log,
        NoteTarget::Episode { name } => NoteSubject::Episode(name),
        NoteTarget::Block { block } => {
            let BlockId { entry, index } = read_block(&block).ok_or_else(|| {
                ApiError::new(ErrorCode::UnknownBlock, format!("no block `{block}`"))
                    .with_hint("name it ENTRY:INDEX")
            })?;
            NoteSubject::Record { entry: entry.to_string(), block: Some(index) }
        }
    })
}

fn place_of(subject: &NoteSubject, opened: &SessionSnapshot, branch: &Branch) -> Option<NotePlace> {
    let session = &branch.session;
    let graph = &branch.growth.graph;
    let place = |idx: cwl_engine::EpisodeIdx| u32::try_from(idx.at()).ok();
    let block_place = |block: BlockIdx| NotePlace {
        line: opened.line_of(session, block),
        turn: session.turn_after(session.blocks[block.at()].message).number(),
        episode: graph.owner_of(block).and_then(place),
    };
    match subject {
        NoteSubject::Log => None,
        NoteSubject::Episode(name) => {
            let (idx, episode) = graph.episodes().find(|(_, episode)| episode.name.as_str() == name)?;
            let line = opened.line_of(session, episode.start);
            Some(NotePlace { line, turn: episode.first_turn.number(), episode: place(idx) })
        }
        NoteSubject::Record { entry, block } => {
            let id = BlockId { entry: EntryId::new(entry.as_str()), index: block.unwrap_or(0) };
            session.find_block(&id).map(block_place)
        }
    }
}

/// Tells whether the log has the record that a note is on, on any branch. Episodes are not looked up, since
/// another branch may have them.
fn is_in_log(subject: &NoteSubject, opened: &SessionSnapshot) -> bool {
    match subject {
        NoteSubject::Log | NoteSubject::Episode(_) => true,
        NoteSubject::Record { entry, .. } => {
            let entry = EntryId::new(entry.as_str());
            opened.log.events().iter().any(|event| event.entry == entry)
        }
    }
}

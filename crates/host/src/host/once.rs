//! Opens one session for one command, without a host: from the store if it is up to date, else from the
//! source.
//!
//! Nothing is written, created or followed.

use std::fs::{File, FileType};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cwl_discover::{Catalogue, Roots, real_path, task_of};
use cwl_formats::Format;
use cwl_inspect::load::read_format;
use cwl_inspect::measure::opened::{LogMetadata, SessionSnapshot};
use cwl_inspect::tables::tools::Tools;
use cwl_inspect::texts::counts::Counts;
use cwl_store::SourceRow;

use crate::error::{stdin_path, store_error, unreadable_file};
use crate::host::documents::{rows_of, rows_of_files};
use crate::host::moved::new_name;
use crate::host::named::{NameResolver, NameTarget, at_place};
use crate::machine::ThisMachine;
use crate::reading::live::is_still;
use crate::reading::load::{ReadProgress, load_made, load_path, load_stream};
use crate::stored::library::Library;
use crate::stored::position::cursor_of;
use crate::stored::texts::texts_from_store;
use crate::{ApiError, ErrorCode};

pub struct OpenOnce<'a> {
    /// Forces a log format; `None` detects it.
    pub format: Option<&'a str>,
    pub tools: &'a Tools,
    pub data_dir: Option<PathBuf>,
    /// Folders that are searched for sessions. `None` means the harnesses' default folders.
    pub folders: Option<Vec<PathBuf>>,
    pub progress: ReadProgress<'a>,
}

/// Opens a path, `-` for standard input, a pipe, or a session by a name from the list.
///
/// # Errors
/// If no session or more than one has that name, or if the log is unreadable, empty, binary or in no known
/// format.
pub fn open_once(target: &Path, once: &OpenOnce<'_>) -> Result<SessionSnapshot, ApiError> {
    let forced = once.format.map(read_format).transpose()?;
    if target.as_os_str() == "-" {
        return load_stream(io::stdin().lock(), &stdin_path(), forced, once.tools, once.progress);
    }
    let named = at_place(target)?;
    if let Some(NameTarget::Log(_)) = named
        && std::fs::metadata(target).is_ok_and(|metadata| is_stream(metadata.file_type()))
    {
        let stream = File::open(target).map_err(|error| unreadable_file(target, &error))?;
        return load_stream(stream, target, forced, once.tools, once.progress);
    }
    let opening = PendingOpen { once, forced, store: store_of(once.data_dir.as_deref()) };
    match named {
        Some(NameTarget::Log(path)) => opening.open_log(target, &path),
        Some(named) => opening.open_session(&named, target),
        None => opening.open_by_name(target),
    }
}

#[cfg(unix)]
fn is_stream(kind: FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_fifo() || kind.is_char_device()
}

#[cfg(not(unix))]
fn is_stream(_: FileType) -> bool {
    false
}

fn store_of(data_dir: Option<&Path>) -> Result<Option<Arc<Library>>, ApiError> {
    match data_dir.filter(|dir| dir.join("sessions.sqlite").is_file()) {
        Some(dir) => Ok(Some(Arc::new(Library::open_folder(dir).map_err(store_error)?))),
        None => Ok(None),
    }
}

struct PendingOpen<'a> {
    once: &'a OpenOnce<'a>,
    forced: Option<Format>,
    /// The error is kept: it matters only for sessions that exist nowhere else.
    store: Result<Option<Arc<Library>>, ApiError>,
}

impl PendingOpen<'_> {
    fn main_library(&self) -> Option<&Arc<Library>> {
        self.store.as_ref().ok()?.as_ref()
    }

    fn open_log(&self, shown: &Path, path: &Path) -> Result<SessionSnapshot, ApiError> {
        let name = path.display().to_string();
        let row = self
            .main_library()
            .and_then(|library| library.run_read(|reader| reader.find_source(&name)).ok()?);
        if let Some(opened) = row.and_then(|row| self.open_stored(&row, shown, Some(path))) {
            return Ok(opened);
        }
        load_path(shown, self.forced, self.once.tools, self.once.progress)
    }

    fn open_session(&self, named: &NameTarget, shown: &Path) -> Result<SessionSnapshot, ApiError> {
        let rows = match named {
            NameTarget::Log(path) => return self.open_log(shown, path),
            NameTarget::Row { database, id } => rows_of(database, id)?,
            NameTarget::Files(file) => rows_of_files(file)?.0,
        };
        load_made(&rows.document(), rows.format(), shown, self.once.tools)
    }

    fn open_by_name(&self, target: &Path) -> Result<SessionSnapshot, ApiError> {
        let typed = target.to_string_lossy();
        let stored = match self.main_library() {
            Some(library) => library.run_read(|reader| reader.all_sources())?,
            None => Vec::new(),
        };
        let roots = self.once.folders.clone().map_or_else(Roots::of_user, Roots::from_folders);
        let catalogue = Catalogue::new(roots);
        let data_dir = self.once.data_dir.as_deref().unwrap_or(Path::new(""));
        let names = NameResolver { catalogue: &catalogue, data_dir, stored };
        let named = match (names.find_target(&typed), &self.store) {
            // The target may be in the store that failed to open.
            (Err(error), Err(of_store)) if error.code != ErrorCode::Ambiguous => return Err(of_store.clone()),
            (found, _) => found?,
        };
        let NameTarget::Log(path) = &named else {
            let shown = match &named {
                NameTarget::Row { database, id } => PathBuf::from(cwl_discover::name_of_row(database, id)),
                NameTarget::Log(path) | NameTarget::Files(path) => path.clone(),
            };
            return self.open_session(&named, &shown);
        };
        let name = path.display().to_string();
        let row = names.stored.iter().find(|row| row.path == name);
        let moved = row.and_then(|row| new_name(&catalogue, path, &cursor_of(&row.cursor)));
        let place = moved.unwrap_or_else(|| path.clone());
        let file = place.exists().then(|| real_path(&place));
        let opened = row.and_then(|row| self.open_stored(row, &place, file.as_deref()));
        opened.map_or_else(|| load_path(&place, self.forced, self.once.tools, self.once.progress), Ok)
    }

    /// Takes a log from the store, if the store has it completely: `file` is unchanged or gone.
    fn open_stored(&self, row: &SourceRow, shown: &Path, file: Option<&Path>) -> Option<SessionSnapshot> {
        let format = read_format(&row.format).ok()?;
        if row.n_events == 0 || self.forced.is_some_and(|forced| forced != format) {
            return None;
        }
        let is_whole = |file: &Path| row.rules == format.rules() && is_still(file, &cursor_of(&row.cursor));
        if !file.is_none_or(is_whole) {
            return None;
        }
        let library = self.main_library()?;
        let (log, problems) = library.run_read(|reader| reader.load_log(row.id)).ok()?;
        let about = LogMetadata {
            session: u32::try_from(row.id.number()).unwrap_or(0),
            revision: 1,
            path: shown.display().to_string(),
            format,
            live: false,
            gone: file.is_none(),
            opening: row.opening.clone().or_else(|| task_of(shown)),
            recorded: crate::reading::recorded::read_beside(shown).map(Arc::new),
        };
        let texts = texts_from_store(library, (row.id, row.generation), log.events().len(), Vec::new());
        Some(SessionSnapshot::new(
            about,
            Arc::new(log),
            problems,
            texts,
            self.once.tools,
            Arc::new(Counts::default()),
            Arc::new(ThisMachine),
        ))
    }
}

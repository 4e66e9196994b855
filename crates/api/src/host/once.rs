//! One session for one command, without a host: from the store where that is up to date, else from where it is kept.
//!
//! Nothing is written, no store is made, and nothing is followed.

use std::fs::{File, FileType};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cwl_discover::{Catalogue, Roots, real, task_of};
use cwl_formats::{Format, opencode_export};
use cwl_store::SourceRow;

use crate::error::{stdin_path, unreadable};
use crate::host::documents::{rows_of, rows_of_files};
use crate::host::moved::new_name;
use crate::host::named::{Named, Names, at_place};
use crate::measure::opened::{About, Opened};
use crate::reading::live::is_still;
use crate::reading::load::{Progress, load_made, load_path, load_stream, read_format};
use crate::stored::counts::Counts;
use crate::stored::library::Library;
use crate::stored::position::cursor_of;
use crate::stored::texts::Texts;
use crate::tables::tools::Tools;
use crate::{ApiError, ErrorCode};

/// How a session is opened once.
pub struct Once<'a> {
    /// Forces a log format; `None` detects it.
    pub format: Option<&'a str>,
    /// The table of tools.
    pub tools: &'a Tools,
    /// The folder of the store, which is used where it is there.
    pub data_dir: Option<PathBuf>,
    /// The folders that are searched for sessions; `None` is the default folders.
    pub folders: Option<Vec<PathBuf>>,
    /// Is told how far reading is.
    pub progress: Progress<'a>,
}

/// Opens what a command names: a path, `-` for standard input, a pipe, or a session as the list names it.
///
/// # Errors
/// Where nothing or more than one has that name, and where the log is unreadable, empty, binary or of no known format.
pub fn open_once(target: &Path, once: &Once<'_>) -> Result<Opened, ApiError> {
    let forced = once.format.map(read_format).transpose()?;
    if target.as_os_str() == "-" {
        return load_stream(io::stdin().lock(), &stdin_path(), forced, once.tools, once.progress);
    }
    let named = at_place(target)?;
    if let Some(Named::Log(_)) = named
        && std::fs::metadata(target).is_ok_and(|metadata| is_stream(metadata.file_type()))
    {
        let stream = File::open(target).map_err(|error| unreadable(target, &error))?;
        return load_stream(stream, target, forced, once.tools, once.progress);
    }
    let opening = Opening { once, forced, store: store_of(once.data_dir.as_deref()) };
    match named {
        Some(Named::Log(path)) => opening.log(target, &path),
        Some(named) => opening.session(&named, target),
        None => opening.found(target),
    }
}

/// Tells whether bytes come out of a file once, as out of a pipe.
#[cfg(unix)]
fn is_stream(kind: FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_fifo() || kind.is_char_device()
}

/// Tells whether bytes come out of a file once, as out of a pipe.
#[cfg(not(unix))]
fn is_stream(_: FileType) -> bool {
    false
}

/// Opens the store of a folder where there is one.
fn store_of(data_dir: Option<&Path>) -> Result<Option<Arc<Library>>, ApiError> {
    match data_dir.filter(|dir| dir.join("sessions.sqlite").is_file()) {
        Some(dir) => Ok(Some(Arc::new(Library::open(dir)?))),
        None => Ok(None),
    }
}

/// One session that is being opened.
struct Opening<'a> {
    once: &'a Once<'a>,
    forced: Option<Format>,
    /// A store that cannot be opened matters to sessions that are nowhere else.
    store: Result<Option<Arc<Library>>, ApiError>,
}

impl Opening<'_> {
    fn library(&self) -> Option<&Arc<Library>> {
        self.store.as_ref().ok()?.as_ref()
    }

    /// Opens a log that is there; `shown` is its name as it was typed.
    fn log(&self, shown: &Path, path: &Path) -> Result<Opened, ApiError> {
        let name = path.display().to_string();
        let row = self.library().and_then(|library| library.read(|reader| reader.find_source(&name)).ok()?);
        if let Some(opened) = row.and_then(|row| self.stored(&row, shown, Some(path))) {
            return Ok(opened);
        }
        load_path(shown, self.forced, self.once.tools, self.once.progress)
    }

    /// Opens a session that is no log; `shown` stands for it in messages.
    fn session(&self, named: &Named, shown: &Path) -> Result<Opened, ApiError> {
        let rows = match named {
            Named::Log(path) => return self.log(shown, path),
            Named::Row { database, id } => rows_of(database, id)?,
            Named::Files(file) => rows_of_files(file)?.0,
        };
        load_made(&opencode_export(&rows), Format::Opencode, shown, self.once.tools)
    }

    /// Opens what has no path of that name: looks among the sessions of the store and of this machine.
    fn found(&self, target: &Path) -> Result<Opened, ApiError> {
        let typed = target.to_string_lossy();
        let stored = match self.library() {
            Some(library) => library.read(|reader| reader.sources())?,
            None => Vec::new(),
        };
        let roots = self.once.folders.clone().map_or_else(Roots::of_user, Roots::named);
        let catalogue = Catalogue::new(roots);
        let data_dir = self.once.data_dir.as_deref().unwrap_or(Path::new(""));
        let names = Names { catalogue: &catalogue, data_dir, stored };
        let named = match (names.find(&typed), &self.store) {
            // It may be in the store that cannot be opened.
            (Err(error), Err(of_store)) if error.code != ErrorCode::Ambiguous => return Err(of_store.clone()),
            (found, _) => found?,
        };
        let Named::Log(path) = &named else {
            let shown = match &named {
                Named::Row { database, id } => PathBuf::from(cwl_discover::name_of_row(database, id)),
                Named::Log(path) | Named::Files(path) => path.clone(),
            };
            return self.session(&named, &shown);
        };
        let name = path.display().to_string();
        let row = names.stored.iter().find(|row| row.path == name);
        let moved = row.and_then(|row| new_name(&catalogue, path, &cursor_of(&row.cursor)));
        let place = moved.unwrap_or_else(|| path.clone());
        let file = place.exists().then(|| real(&place));
        let opened = row.and_then(|row| self.stored(row, &place, file.as_deref()));
        opened.map_or_else(|| load_path(&place, self.forced, self.once.tools, self.once.progress), Ok)
    }

    /// Takes a log out of the store, where the store has all of it as it is now: nothing was written to its `file` since,
    /// or the file is not there any more.
    fn stored(&self, row: &SourceRow, shown: &Path, file: Option<&Path>) -> Option<Opened> {
        let format = read_format(&row.format).ok()?;
        if row.n_events == 0 || self.forced.is_some_and(|forced| forced != format) {
            return None;
        }
        let is_whole = |file: &Path| row.rules == format.rules() && is_still(file, &cursor_of(&row.cursor));
        if !file.is_none_or(is_whole) {
            return None;
        }
        let library = self.library()?;
        let (log, problems) = library.read(|reader| reader.load_log(row.id)).ok()?;
        let about = About {
            session: u32::try_from(row.id.number()).unwrap_or(0),
            revision: 1,
            path: shown.display().to_string(),
            format,
            live: false,
            gone: file.is_none(),
            opening: row.opening.clone().or_else(|| task_of(shown)),
            recorded: crate::reading::recorded::beside(shown).map(Arc::new),
        };
        let texts = Texts::stored(library, (row.id, row.generation), log.events().len(), Vec::new());
        Some(Opened::new(about, Arc::new(log), problems, texts, self.once.tools, Arc::new(Counts::default())))
    }
}

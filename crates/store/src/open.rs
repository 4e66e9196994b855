//! Opening: the write handle, read handles, and how SQLite is set up under both.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::error::{Fault, StoreError};
use crate::migrate;
use crate::private;
use crate::text::{Packer, TextUnpacker};
use crate::user_file;

/// The file of logs and of what is derived from them.
const SESSIONS: &str = "sessions";
/// The file of what people make.
pub(crate) const USER: &str = "user";
/// How long a transaction waits for another process.
const BUSY_WAIT: Duration = Duration::from_secs(5);

/// Between two tries at a lock that SQLite does not wait for.
const BUSY_PAUSE: Duration = Duration::from_millis(2);

const MIB: i64 = 1 << 20;
/// Address space, not memory.
const MMAP_BYTES: i64 = 1024 * MIB;
/// The largest batch, and the upper pages of the trees; the rest is mapped.
const WRITER_CACHE_BYTES: i64 = 16 * MIB;
const READER_CACHE_BYTES: i64 = 16 * MIB;
/// The size of a trial write: more than a disk that is full has left.
const ATTEMPT_BYTES: i64 = 256 << 10;
/// A log that outgrew this in one large batch is cut back at the next checkpoint.
const WAL_KEEP_BYTES: i64 = 64 * MIB;

/// The write handle of a store: one per process. Several processes may hold one each.
///
/// Every writing function is one transaction that is there as a whole or not at all, whatever happens to the
/// process. A transaction waits up to five seconds for one of another process, then fails as
/// [`Fault::Locked`].
pub struct Store {
    pub(crate) db: Connection,
    pub(crate) packer: Packer,
    pub(crate) files: StoreFiles,
    refusal: Option<WriteRefusal>,
}

/// A connection of its own for short reads; it may go to another thread.
///
/// Every function sees one state of the store. A read that goes on for long makes the write-ahead log grow.
pub struct ReadHandle {
    pub(crate) db: Connection,
    pub(crate) unpacker: RefCell<TextUnpacker>,
    pub(crate) files: StoreFiles,
}

/// A store's files.
#[derive(Debug, Clone)]
pub(crate) enum StoreFiles {
    Folder(PathBuf),
    /// Only the file of what people make, in that folder.
    Notes(PathBuf),
    /// SQLite's own in-memory file system, whose files the connections of one process share by name.
    Memory(u64),
}

impl StoreFiles {
    pub(crate) fn main_path(&self) -> PathBuf {
        match self {
            Self::Folder(_) => self.sqlite_address(SESSIONS),
            Self::Notes(_) => self.sqlite_address(USER),
            Self::Memory(_) => PathBuf::from(":memory:"),
        }
    }

    fn sqlite_address(&self, name: &str) -> PathBuf {
        match self {
            Self::Notes(_) if name == SESSIONS => PathBuf::from(":memory:"),
            Self::Folder(dir) | Self::Notes(dir) => dir.join(format!("{name}.sqlite")),
            Self::Memory(number) => PathBuf::from(format!("file:/cwl-{number}-{name}?vfs=memdb")),
        }
    }
}

/// Why a store takes no writes, in tests.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteRefusal {
    /// The disk is full.
    Full,
    /// The store may only be read.
    ReadOnly,
}

impl WriteRefusal {
    /// The error that SQLite would report.
    fn into_fault(self) -> Fault {
        let code = match self {
            Self::Full => rusqlite::ffi::SQLITE_FULL,
            Self::ReadOnly => rusqlite::ffi::SQLITE_READONLY,
        };
        rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None).into()
    }
}

impl Store {
    /// Opens the store in a folder, making both where they are missing, and brings it up to date.
    ///
    /// # Errors
    /// Beside those of the disk: [`Fault::Newer`], [`Fault::MigrationChanged`],
    /// [`Fault::NotAStore`]; they leave the files as they are.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        Self::open_waiting(dir, BUSY_WAIT)
    }

    pub(crate) fn open_waiting(dir: &Path, busy_wait: Duration) -> Result<Self, StoreError> {
        let folder = |source| Fault::Folder(source).with_context("open the store", dir);
        // Absolute, because SQLite takes a relative name that starts with `file:` for an address.
        let dir = std::path::absolute(dir).map_err(folder)?;
        private::make_folder(&dir).map_err(folder)?;
        Self::open_at(StoreFiles::Folder(dir), busy_wait)
    }

    /// Opens a store that lives as long as this handle and its read handles, and leaves no file.
    ///
    /// Without a write-ahead log, a reader holds up the writer; otherwise it behaves like one on disk.
    pub fn open_in_memory() -> Result<Self, StoreError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self::open_at(StoreFiles::Memory(NEXT.fetch_add(1, Ordering::Relaxed)), BUSY_WAIT)
    }

    /// Opens only the file of what people make, of a store whose other file cannot be used.
    ///
    /// # Errors
    /// The errors of [`Self::open`] about this file.
    pub fn open_notes(dir: &Path) -> Result<Self, StoreError> {
        let dir = std::path::absolute(dir)
            .map_err(|source| Fault::Folder(source).with_context("open the store", dir))?;
        let files = StoreFiles::Notes(dir);
        let user = files.sqlite_address(USER);
        let db = connect_file(&files.sqlite_address(SESSIONS), OpenFlags::empty(), BUSY_WAIT)?;
        let mut user_db = connect_file(&user, OpenFlags::empty(), BUSY_WAIT)?;
        check_user(&user_db, &user)?;
        migrate::apply_migrations(&mut user_db, &migrate::in_order(&migrate::USER), &user)?;
        attach_user(&db, &user)?;
        user_file::check_tables(&db, "user")
            .map_err(|fault| fault.with_context("read notes and marks", &user))?;
        tune_connection(&db, READER_CACHE_BYTES)
            .map_err(|source| Fault::from(source).with_context("set up the store", &user))?;
        Ok(Self { db, packer: Packer::new()?, files, refusal: None })
    }

    fn open_at(files: StoreFiles, busy_wait: Duration) -> Result<Self, StoreError> {
        let (sessions, user) = (files.sqlite_address(SESSIONS), files.sqlite_address(USER));
        if let StoreFiles::Folder(dir) = &files {
            user_file::check_is_there(dir)?;
            for file in [&sessions, &user] {
                // SQLite takes an empty file for a new database, and gives the files beside it the same mode. Where it
                // cannot be made, SQLite says why.
                drop(private::private_options().create_new(true).open(file));
            }
            private::tighten_store(dir);
        }
        let mut db = connect_file(&sessions, OpenFlags::SQLITE_OPEN_CREATE, busy_wait)?;
        let mut user_db = connect_file(&user, OpenFlags::SQLITE_OPEN_CREATE, busy_wait)?;
        // No file is changed before it is known that this program may change both.
        migrate::check_migrations(&db, &migrate::in_order(&migrate::SESSIONS), &sessions)?;
        check_user(&user_db, &user)?;
        for (db, path, migrations) in
            [(&mut db, &sessions, &migrate::SESSIONS), (&mut user_db, &user, &migrate::USER)]
        {
            while_busy(busy_wait, || db.execute_batch(LAY_OUT))
                .map_err(|source| Fault::from(source).with_context("set up the store", path))?;
            migrate::apply_migrations(db, &migrate::in_order(migrations), path)?;
        }
        attach_user(&db, &user)?;
        user_file::check_tables(&db, "user")
            .map_err(|fault| fault.with_context("read notes and marks", &user))?;
        while_busy(busy_wait, || tune_connection(&db, WRITER_CACHE_BYTES))
            .map_err(|source| Fault::from(source).with_context("set up the store", &sessions))?;
        Ok(Self { db, packer: Packer::new()?, files, refusal: None })
    }

    /// Gives the next logs numbers above `least`, so they are told apart from those of another store.
    pub fn number_sources_from(&mut self, least: i64) -> Result<(), StoreError> {
        self.write_transaction("number logs", |tx, _| {
            // A log of which nothing was read is in no list.
            tx.execute("INSERT OR IGNORE INTO source (id, path, format) VALUES (?1, '', '')", [least])?;
            Ok(())
        })
    }

    /// Writes something to both files and takes it back: fails where nothing can be written.
    pub fn try_writing(&mut self) -> Result<(), StoreError> {
        self.write_transaction("write to the store", |tx, _| {
            for schema in ["main", "user"] {
                tx.execute_batch(&format!("CREATE TABLE {schema}.attempt (bytes)"))?;
                tx.execute(&format!("INSERT INTO {schema}.attempt VALUES (zeroblob(?1))"), [ATTEMPT_BYTES])?;
                tx.execute_batch(&format!("DROP TABLE {schema}.attempt"))?;
            }
            Ok(())
        })
    }

    /// Returns how many rows this handle has changed since it was opened.
    pub fn n_changes(&self) -> u64 {
        self.db.total_changes()
    }

    /// Lets every change fail as it does on a full disk or in a store that may only be read, or no longer: for tests
    /// of what uses a store.
    #[doc(hidden)]
    pub fn refuse_writes(&mut self, refusal: Option<WriteRefusal>) {
        self.refusal = refusal;
    }

    /// Opens a connection of its own for reading.
    pub fn read_handle(&self) -> Result<ReadHandle, StoreError> {
        let (sessions, user) = (self.files.sqlite_address(SESSIONS), self.files.sqlite_address(USER));
        let db = connect_file(&sessions, OpenFlags::empty(), BUSY_WAIT)?;
        attach_user(&db, &user)?;
        tune_connection(&db, READER_CACHE_BYTES)
            .and_then(|()| db.execute_batch("PRAGMA query_only = ON"))
            .map_err(|source| Fault::from(source).with_context("set up a reader", &sessions))?;
        let unpacker =
            TextUnpacker::new().map_err(|fault| fault.with_context("set up a reader", &sessions))?;
        Ok(ReadHandle { db, unpacker: RefCell::new(unpacker), files: self.files.clone() })
    }

    /// Returns the store's file, `:memory:` for one without.
    pub fn file_path(&self) -> PathBuf {
        self.files.main_path()
    }

    /// Runs `body` as one write transaction, which is kept only if `body` succeeds.
    pub(crate) fn write_transaction<T>(
        &mut self,
        doing: &'static str,
        body: impl FnOnce(&Transaction<'_>, &mut Packer) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let Self { db, packer, files, refusal } = self;
        let run = || {
            let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let n_before = tx.total_changes();
            let value = body(&tx, packer)?;
            if let Some(refusal) = refusal.filter(|_| tx.total_changes() != n_before) {
                return Err(refusal.into_fault());
            }
            tx.commit()?;
            Ok(value)
        };
        let done = run();
        done.map_err(|fault: Fault| blame_file(db, fault, doing, files))
    }

    /// Runs `body` as one write transaction to the file of what people make: not where it is damaged. A copy of the file is
    /// made behind it.
    pub(crate) fn write_user<T>(
        &mut self,
        doing: &'static str,
        body: impl FnOnce(&Transaction<'_>, &mut Packer) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let user = self.files.sqlite_address(USER);
        user_file::check_schema(&self.db, "user").map_err(|fault| fault.with_context(doing, &user))?;
        let value = self.write_transaction(doing, body)?;
        if let StoreFiles::Folder(dir) | StoreFiles::Notes(dir) = &self.files {
            // The change is kept, whatever becomes of its copy; the next change makes one again.
            let _no_copy = user_file::copy_file(&self.db, dir);
        }
        Ok(value)
    }
}

fn blame_file(db: &Connection, fault: Fault, doing: &'static str, files: &StoreFiles) -> StoreError {
    let (main, user) = (files.main_path(), files.sqlite_address(USER));
    let path = user_file::damaged_file(db, &fault, &main, &user).to_owned();
    fault.with_context(doing, &path)
}

/// Checks that the file of what people make is sound and that this program may change it.
fn check_user(db: &Connection, path: &Path) -> Result<(), StoreError> {
    migrate::check_migrations(db, &migrate::in_order(&migrate::USER), path)?;
    user_file::check_schema(db, "main").map_err(|fault| fault.with_context("read notes and marks", path))
}

impl ReadHandle {
    /// Runs `body` on one state of the store.
    pub(crate) fn at_once<T>(
        &self,
        doing: &'static str,
        body: impl FnOnce(&Connection) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let run = || {
            let tx = self.db.unchecked_transaction()?;
            let value = body(&tx)?;
            tx.commit()?;
            Ok(value)
        };
        run().map_err(|fault: Fault| blame_file(&self.db, fault, doing, &self.files))
    }
}

fn connect_file(path: &Path, flags: OpenFlags, busy_wait: Duration) -> Result<Connection, StoreError> {
    let flags = flags
        | OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_EXRESCODE;
    let unopened = |source| Fault::Unopened(source).with_context("open the store", path);
    let db = Connection::open_with_flags(path, flags).map_err(unopened)?;
    db.busy_timeout(busy_wait).map_err(unopened)?;
    db.set_prepared_statement_cache_capacity(64);
    Ok(db)
}

/// Tries again as long as another process is in the way.
///
/// SQLite waits by itself for the lock of a transaction, but not for the one that a new file needs while it gets
/// its journal: of several processes that make one store, all but one are told at once that it is locked.
fn while_busy<T>(busy_wait: Duration, act: impl Fn() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let until = Instant::now() + busy_wait;
    loop {
        match act() {
            Err(rusqlite::Error::SqliteFailure(error, _))
                if error.code == ErrorCode::DatabaseBusy && Instant::now() < until =>
            {
                std::thread::sleep(BUSY_PAUSE);
            }
            done => return done,
        }
    }
}

/// Settings that are part of the file: they come before its first table. In memory the journal stays `memory`, which is
/// as good there.
const LAY_OUT: &str = "PRAGMA page_size = 16384; PRAGMA journal_mode = WAL";

/// Settings of a connection.
///
/// Everything in the main file follows from the logs, and the read position is part of each transaction: losing
/// the last ones at a power failure means reading a little again. What people make cannot be read again.
fn tune_connection(db: &Connection, cache_bytes: i64) -> rusqlite::Result<()> {
    // A schema of unknown origin, which is not trusted, may only call functions without side effects.
    db.execute_batch(&format!(
        "PRAGMA main.synchronous = NORMAL; PRAGMA user.synchronous = FULL; PRAGMA foreign_keys = ON;
         PRAGMA trusted_schema = OFF; PRAGMA main.cache_size = -{}; PRAGMA mmap_size = {MMAP_BYTES};
         PRAGMA journal_size_limit = {WAL_KEEP_BYTES}",
        cache_bytes / 1024
    ))?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // Plans do not depend on the values that are bound. Else SQLite plans some statements anew at every use, which
    // takes ten times as long as running them.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

fn attach_user(db: &Connection, user: &Path) -> Result<(), StoreError> {
    // As bytes: a path need not be Unicode.
    db.execute("ATTACH ?1 AS user", [user.as_os_str().as_encoded_bytes()])
        .map(drop)
        .map_err(|source| Fault::Unopened(source).with_context("open the store", user))
}

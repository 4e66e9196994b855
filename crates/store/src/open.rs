//! Opens write and read handles, and configures SQLite.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::error::{Fault, StoreError};
use crate::text::{Packer, TextUnpacker};
use crate::{migrate, private, user_file};

const SESSIONS: &str = "sessions";
pub(crate) const USER: &str = "user";
const BUSY_WAIT: Duration = Duration::from_secs(5);

/// Between attempts at a lock for which SQLite does not wait.
const BUSY_PAUSE: Duration = Duration::from_millis(2);

const MIB: i64 = 1 << 20;
/// Address space, not memory.
const MMAP_BYTES: i64 = 1024 * MIB;
/// Enough for the largest batch and the trees' upper pages; the rest is mapped.
const WRITER_CACHE_BYTES: i64 = 16 * MIB;
const READER_CACHE_BYTES: i64 = 16 * MIB;
/// Size of a trial write: more than a full disk has left.
const ATTEMPT_BYTES: i64 = 256 << 10;
/// A write-ahead log larger than this is truncated at the next checkpoint.
const WAL_KEEP_BYTES: i64 = 64 * MIB;

/// A process's write handle; several processes may each hold one.
///
/// Every writing method is one transaction, all or nothing, whatever happens to the process. It waits up to
/// five seconds for another process's transaction, then fails with [`Fault::Locked`].
pub struct Store {
    pub(crate) db: Connection,
    pub(crate) packer: Packer,
    pub(crate) files: StoreFiles,
    refusal: Option<WriteRefusal>,
}

/// A separate connection for short reads, which may be sent to another thread.
///
/// Every method sees a single state of the store. A long read lets the write-ahead log grow.
pub struct ReadHandle {
    pub(crate) db: Connection,
    pub(crate) unpacker: RefCell<TextUnpacker>,
    pub(crate) files: StoreFiles,
}

#[derive(Debug, Clone)]
pub(crate) enum StoreFiles {
    Folder(PathBuf),
    Notes(PathBuf),
    /// SQLite's in-memory file system; the process's connections share files by name.
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

#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteRefusal {
    Full,
    ReadOnly,
}

impl WriteRefusal {
    fn into_fault(self) -> Fault {
        let code = match self {
            Self::Full => rusqlite::ffi::SQLITE_FULL,
            Self::ReadOnly => rusqlite::ffi::SQLITE_READONLY,
        };
        rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None).into()
    }
}

impl Store {
    /// Opens the store in a folder, creating both if they are missing, and applies migrations.
    ///
    /// # Errors
    /// Besides disk errors [`Fault::Newer`], [`Fault::MigrationChanged`] and [`Fault::NotAStore`], which
    /// leave the files unchanged.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        Self::open_waiting(dir, BUSY_WAIT)
    }

    pub(crate) fn open_waiting(dir: &Path, busy_wait: Duration) -> Result<Self, StoreError> {
        let folder = |source| Fault::Folder(source).with_context("open the store", dir);
        // SQLite would take a relative name beginning with `file:` for a URI.
        let dir = std::path::absolute(dir).map_err(folder)?;
        private::make_folder(&dir).map_err(folder)?;
        Self::open_at(StoreFiles::Folder(dir), busy_wait)
    }

    /// Opens a store without files that lives as long as its handles.
    ///
    /// There is no write-ahead log, so a reader blocks the writer; otherwise it behaves like a store on disk.
    pub fn open_in_memory() -> Result<Self, StoreError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self::open_at(StoreFiles::Memory(NEXT.fetch_add(1, Ordering::Relaxed)), BUSY_WAIT)
    }

    /// Opens only the user's file, for a store whose other file is unusable.
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
                // SQLite accepts an empty file as a new database, and gives the files beside it the same
                // mode. If this fails, SQLite reports why.
                drop(private::private_options().create_new(true).open(file));
            }
            private::tighten_store(dir);
        }
        let mut db = connect_file(&sessions, OpenFlags::SQLITE_OPEN_CREATE, busy_wait)?;
        let mut user_db = connect_file(&user, OpenFlags::SQLITE_OPEN_CREATE, busy_wait)?;
        // Nothing may be changed until this program is known to support both files.
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

    /// Numbers all further logs above `least`, so they differ from those in another store.
    pub fn number_sources_from(&mut self, least: i64) -> Result<(), StoreError> {
        self.write_transaction("number logs", |tx, _| {
            // Lists omit logs without a read record.
            tx.execute("INSERT OR IGNORE INTO source (id, path, format) VALUES (?1, '', '')", [least])?;
            Ok(())
        })
    }

    /// Writes to both files and undoes it.
    ///
    /// # Errors
    /// If writing is impossible.
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

    pub fn n_changes(&self) -> u64 {
        self.db.total_changes()
    }

    /// Makes every write fail as on a full disk or in a read-only store, or no longer; for tests.
    #[doc(hidden)]
    pub fn refuse_writes(&mut self, refusal: Option<WriteRefusal>) {
        self.refusal = refusal;
    }

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

    pub fn file_path(&self) -> PathBuf {
        self.files.main_path()
    }

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

    /// Runs `body` as one write transaction on the user's file, unless the file is damaged, and then copies
    /// the file.
    pub(crate) fn write_user<T>(
        &mut self,
        doing: &'static str,
        body: impl FnOnce(&Transaction<'_>, &mut Packer) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let user = self.files.sqlite_address(USER);
        user_file::check_schema(&self.db, "user").map_err(|fault| fault.with_context(doing, &user))?;
        let value = self.write_transaction(doing, body)?;
        if let StoreFiles::Folder(dir) | StoreFiles::Notes(dir) = &self.files {
            // The change is committed even if copying fails; the next change copies again.
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

fn check_user(db: &Connection, path: &Path) -> Result<(), StoreError> {
    migrate::check_migrations(db, &migrate::in_order(&migrate::USER), path)?;
    user_file::check_schema(db, "main").map_err(|fault| fault.with_context("read notes and marks", path))
}

impl ReadHandle {
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

/// Retries while another process blocks.
///
/// SQLite waits for a transaction's lock, but not for the lock with which a new file gets its journal: if
/// several processes create a store, all but one are told at once that it is locked.
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

/// Settings stored in the file, so they must precede its first table. In memory the journal mode stays
/// `memory`, which serves as well.
const LAY_OUT: &str = "PRAGMA page_size = 16384; PRAGMA journal_mode = WAL";

/// Configures a connection.
///
/// Everything in the main file can be read from the logs again, and the read position belongs to each
/// transaction: losing the last ones in a power failure costs a little reading. The user's own data cannot be
/// read again.
fn tune_connection(db: &Connection, cache_bytes: i64) -> rusqlite::Result<()> {
    // A file of unknown origin has an untrusted schema, which may only call functions without side effects.
    db.execute_batch(&format!(
        "PRAGMA main.synchronous = NORMAL; PRAGMA user.synchronous = FULL; PRAGMA foreign_keys = ON;
         PRAGMA trusted_schema = OFF; PRAGMA main.cache_size = -{}; PRAGMA mmap_size = {MMAP_BYTES};
         PRAGMA journal_size_limit = {WAL_KEEP_BYTES}",
        cache_bytes / 1024
    ))?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // Plans must not depend on bound values. Otherwise SQLite plans some statements at every use, which takes
    // ten times as long as running them.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

fn attach_user(db: &Connection, user: &Path) -> Result<(), StoreError> {
    // As bytes, because a path may not be Unicode.
    db.execute("ATTACH ?1 AS user", [user.as_os_str().as_encoded_bytes()])
        .map(drop)
        .map_err(|source| Fault::Unopened(source).with_context("open the store", user))
}

//! The host: one store, the followed logs, and an answer to every command.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use cwl_discover::{Catalogue, Roots};
use cwl_inspect::load::read_format;
use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_inspect::progress::ProgressWatch;
use cwl_inspect::recent::{LruCache, lock_unpoisoned};
use cwl_inspect::tables::tools::Tools;
use cwl_store::{SessionFigures, SourceCursor, SourceId};
use cwl_tail::{TailConfig, TailHandle};
use cwl_tokens::{Tokenizer, warm_beside};
use tokio::sync::{broadcast, mpsc};

use crate::api::{
    CancelAnswer, DefaultsAnswer, EmptyRequest, GlanceAnswer, Push, SessionRequest, ViewSettings,
};
use crate::error::tail_error;
use crate::host::corpora::Corpora;
use crate::host::held_answers::HeldAnswers;
use crate::host::indexer::{IndexerSignal, keep_indexed};
use crate::host::moved::{go_on, present_name};
use crate::host::underway::ReadsInProgress;
use crate::host::{named, run};
use crate::machine::tools_of_user;
use crate::reader::ReaderSettings;
use crate::reading::ingest::cancelled_error;
use crate::reading::live::{FollowRequest, LogFollower};
use crate::stored::stores::{Stores, WithoutStore};
use crate::{ApiError, ErrorCode};

#[derive(Debug, Clone)]
pub struct InspectorConfig {
    pub data_dir: PathBuf,
    pub defaults: DefaultsAnswer,
    /// Folders that are searched for logs. `None` means the harnesses' default folders.
    pub folders: Option<Vec<PathBuf>>,
    /// Reader for corpora. `None` if the program opens no corpus.
    pub corpora: Option<Arc<dyn Corpora>>,
}

/// `None` while the log is being opened.
pub(crate) type LogSlot = Arc<Mutex<Option<LogFollower>>>;

/// A log's name, and its length and modification time if it is a file.
pub(crate) type LogFileState = (String, Option<(u64, Option<i64>)>);

/// Guard: the session list is being completed in the background.
#[derive(Debug)]
pub(crate) struct Filling(Arc<AtomicBool>);

impl Drop for Filling {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// The host that answers all commands. Background work stops when the last handle is dropped.
pub struct Inspector {
    pub(crate) stores: Arc<Stores>,
    pub(crate) tools: Tools,
    defaults: DefaultsAnswer,
    pub(crate) corpora: Option<Arc<dyn Corpora>>,
    pub(crate) catalogue: Catalogue,
    pub(crate) tail: TailHandle,
    pushes: broadcast::Sender<Push>,
    pub(crate) lives: Mutex<BTreeMap<PathBuf, LogSlot>>,
    underway: ReadsInProgress,
    pub(crate) sweeps: ReadsInProgress,
    pub(crate) exports: ReadsInProgress,
    pub(crate) readers: ReadsInProgress,
    /// Settings that name a reader; unset if the program starts none.
    pub(crate) reader_settings: OnceLock<Arc<dyn ReaderSettings>>,
    /// The file with the engine of exported pages; unset if the user names none.
    pub(crate) page_engine: OnceLock<PathBuf>,
    pub(crate) bell: IndexerSignal,
    pub(crate) opened: Mutex<BTreeMap<u32, Arc<SessionSnapshot>>>,
    /// Figures for the list of sessions, each with the position it was computed at. Not every store can hold
    /// them.
    pub(crate) figures: Mutex<BTreeMap<SourceId, (SourceCursor, SessionFigures)>>,
    pub(crate) glances: LruCache<LogFileState, GlanceAnswer>,
    pub(crate) held_answers: HeldAnswers,
    filling: Arc<AtomicBool>,
}

/// Pushes a slow receiver may lag behind before it misses some and asks again.
const PUSHES_KEPT: usize = 1024;
const GLANCES_KEPT: usize = 64;
const CHUNKS_WAITING: usize = 16;

impl Inspector {
    /// Opens the store and begins to follow logs. Needs a tokio runtime.
    ///
    /// # Errors
    /// If the store cannot be opened or files cannot be watched.
    pub async fn start(config: InspectorConfig) -> Result<Arc<Self>, ApiError> {
        Self::start_with(config, WithoutStore::Fail).await
    }

    /// Like [`Self::start`], but opens even if the store is unusable: logs are then read into memory, and the
    /// command `store` says why.
    ///
    /// # Errors
    /// If files cannot be watched.
    pub async fn start_anyway(config: InspectorConfig) -> Result<Arc<Self>, ApiError> {
        Self::start_with(config, WithoutStore::GoOn).await
    }

    async fn start_with(config: InspectorConfig, without: WithoutStore) -> Result<Arc<Self>, ApiError> {
        let InspectorConfig { data_dir, mut defaults, folders, corpora } = config;
        // Creating a store takes a moment and so does the vocabulary, so both happen at once. The vocabulary
        // needs much memory; a mere list of sessions does without.
        if defaults.target.is_some() || defaults.demo {
            warm_beside(Tokenizer::O200k);
        }
        let dir = data_dir.clone();
        let (pushes, _) = broadcast::channel(PUSHES_KEPT);
        let of_stores = pushes.clone();
        let (stores, tools) =
            run_blocking(move || Ok((Stores::open_folder(&dir, without, of_stores)?, tools_of_user())))
                .await?;
        let demo = if defaults.demo { Some(crate::host::demo::prepare_demo(&data_dir)?) } else { None };
        if let Some(demo) = &demo {
            defaults.target = Some(demo.file_path().display().to_string());
            if defaults.view.budget == ViewSettings::default().budget {
                defaults.view.budget = crate::host::demo::BUDGET.to_owned();
            }
        }
        let catalogue = Catalogue::new(folders.map_or_else(Roots::of_user, Roots::from_folders));
        let (sender, messages) = mpsc::channel(CHUNKS_WAITING);
        let tail = cwl_tail::spawn_tailer(
            TailConfig { folders: catalogue.watched_folders(), ..TailConfig::default() },
            sender,
        )
        .map_err(tail_error)?;
        let host = Arc::new(Self {
            stores,
            tools,
            defaults,
            corpora,
            catalogue,
            tail,
            pushes,
            lives: Mutex::default(),
            underway: ReadsInProgress::default(),
            sweeps: ReadsInProgress::default(),
            exports: ReadsInProgress::default(),
            readers: ReadsInProgress::default(),
            reader_settings: OnceLock::new(),
            page_engine: OnceLock::new(),
            bell: IndexerSignal::new(),
            opened: Mutex::default(),
            figures: Mutex::default(),
            glances: LruCache::new(GLANCES_KEPT),
            held_answers: HeldAnswers::default(),
            filling: Arc::default(),
        });
        drop(tokio::spawn(run::follow_logs(messages, Arc::downgrade(&host))));
        drop(tokio::spawn(keep_indexed(Arc::downgrade(&host), host.bell.new_listener())));
        host.bell.ring();
        if let Some(demo) = demo {
            drop(tokio::spawn(demo.play_lines(Arc::downgrade(&host), tokio::time::sleep)));
        }
        Ok(host)
    }

    pub fn subscribe(&self) -> broadcast::Receiver<Push> {
        self.pushes.subscribe()
    }

    pub fn defaults(&self, _: EmptyRequest) -> Result<DefaultsAnswer, ApiError> {
        Ok(self.defaults.clone())
    }

    /// Cancels the read behind [`Self::open_target`], and the session's sweeps, exports and reader.
    pub fn cancel(&self, request: SessionRequest) -> Result<CancelAnswer, ApiError> {
        let stopped = [&self.underway, &self.sweeps, &self.exports, &self.readers]
            .map(|underway| underway.stop_reading(request.session));
        Ok(CancelAnswer { stopped: stopped.contains(&true) })
    }

    /// Runs long work on `session`, which is opened if needed. `kind` is the list of running work that
    /// `cancel` searches.
    pub(crate) fn run_watched<T>(
        &self,
        session: u32,
        kind: &ReadsInProgress,
        work: impl FnOnce(&SessionSnapshot, &ProgressWatch<'_>) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let opened = self.snapshot_or_open(session)?;
        let part = kind.join_reading(Path::new(&opened.about.path));
        part.reading.set_session(session);
        let say = |session, done, total| self.send_push(Push::Progress { session, done, total });
        part.reading.run_watched(say, |watch| work(&opened, watch))
    }

    pub async fn open_target(
        self: &Arc<Self>,
        target: String,
        format: Option<String>,
    ) -> Result<Arc<SessionSnapshot>, ApiError> {
        self.run_blocking(move |host| host.open_named(&target, format.as_deref())).await
    }

    pub(crate) fn open_named(
        &self,
        target: &str,
        format: Option<&str>,
    ) -> Result<Arc<SessionSnapshot>, ApiError> {
        let format = format.map(read_format).transpose()?;
        self.open_path(&named::path_of(self, target)?, format)
    }

    /// Returns the session's snapshot. Opens the session first if this process has not, since a link may name
    /// any session.
    pub(crate) fn snapshot_or_open(&self, session: u32) -> Result<Arc<SessionSnapshot>, ApiError> {
        self.find_snapshot(session).or_else(|_| self.open_named(&session.to_string(), None))
    }

    fn open_path(
        &self,
        path: &Path,
        format: Option<cwl_formats::Format>,
    ) -> Result<Arc<SessionSnapshot>, ApiError> {
        let path = present_name(self, path);
        let path = path.as_path();
        let part = self.underway.join_reading(path);
        let reading = &*part.reading;
        let slot = Arc::clone(lock_unpoisoned(&self.lives).entry(path.to_owned()).or_default());
        let mut live = lock_unpoisoned(&slot);
        if let Some(known) = &mut *live
            && (known.is_kept() || self.stores.current_trouble().is_some())
        {
            if let Some(format) = format.filter(|format| *format != known.format()) {
                known.read_as(format)?;
                self.send_push(run::publish_one(self, known));
            }
            return self.find_snapshot(known.session());
        }
        if reading.is_stopped() {
            return Err(cancelled_error(path));
        }
        let progress = reading.throttled_progress(|session, done, total| {
            self.send_push(Push::Progress { session, done, total })
        });
        let opening = FollowRequest {
            format,
            on_session: &|session| reading.set_session(session),
            progress: &progress,
            stopped: &reading.stopped,
            ..FollowRequest::default()
        };
        warm_beside(Tokenizer::O200k);
        let open_in = |library| LogFollower::open_log(library, path, self.tools.clone(), &opening);
        let made = open_in(self.stores.main());
        let made = match made {
            Err(error) if error.code == ErrorCode::Store => {
                self.stores.spare_library().map_or(Err(error), open_in)
            }
            made => made,
        };
        let mut made = match made {
            Ok(made) => made,
            Err(error) => {
                lock_unpoisoned(&self.lives).remove(path);
                return Err(error);
            }
        };
        if made.gone
            && let Err(error) = go_on(self, &mut made)
        {
            lock_unpoisoned(&self.lives).remove(path);
            return Err(error);
        }
        // First, so the file is known before it can be renamed.
        let name = made.path.clone();
        self.tail.follow_file(name.clone(), Some(made.follow_cursor()));
        let (opened, _) = made.publish_revision();
        lock_unpoisoned(&self.opened).insert(made.session(), Arc::clone(&opened));
        *live = Some(made);
        drop(live);
        let mut lives = lock_unpoisoned(&self.lives);
        if name != path {
            lives.remove(path);
        }
        // Another request's failed attempt may have removed it.
        lives.insert(name, slot);
        drop(lives);
        self.bell.ring();
        self.send_push(Push::Sessions);
        Ok(opened)
    }

    pub(crate) fn find_snapshot(&self, session: u32) -> Result<Arc<SessionSnapshot>, ApiError> {
        lock_unpoisoned(&self.opened).get(&session).cloned().ok_or_else(|| {
            ApiError::new(ErrorCode::UnknownSession, format!("no session {session}"))
                .with_hint("open it first, or look at the list of sessions")
        })
    }

    /// Begins to complete the session list. `None` if that is under way.
    pub(crate) fn begin_filling(&self) -> Option<Filling> {
        let is_filling = self.filling.swap(true, Ordering::AcqRel);
        (!is_filling).then(|| Filling(Arc::clone(&self.filling)))
    }

    pub(crate) fn is_reading(&self) -> bool {
        self.underway.is_any()
    }

    pub(crate) fn live_slot(&self, path: &Path) -> Option<LogSlot> {
        lock_unpoisoned(&self.lives).get(path).cloned()
    }

    pub(crate) fn with_live<T>(&self, path: &Path, act: impl FnOnce(&mut LogFollower) -> T) -> Option<T> {
        lock_unpoisoned(&*self.live_slot(path)?).as_mut().map(act)
    }

    pub(crate) async fn run_blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Arc<Self>) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let host = Arc::clone(self);
        run_blocking(move || work(&host)).await
    }

    pub(crate) fn send_push(&self, push: Push) {
        drop(self.pushes.send(push));
    }
}

/// Runs computation or input on the blocking pool, so other requests need not wait.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work).await.map_err(ApiError::from_internal)?
}

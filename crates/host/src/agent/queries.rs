//! Agents' queries: opens the sessions they ask about, and answers as text.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use cwl_inspect::asked::view::check_view;
use cwl_inspect::figures::with_commas;
use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_inspect::recent::{LruCache, lock_unpoisoned};
use tokio::sync::OnceCell;

use crate::agent::allowed_folders::AllowedFolders;
use crate::agent::{DATA, gone, status};
use crate::api::{DefaultsAnswer, SessionListRow, TextPattern, ViewSettings};
use crate::brief::{Brief, GUIDE, harmless_text, one_line};
use crate::export::clean::Cleaner;
use crate::reading::lately::now_ms;
use crate::reading::load::load_path;
use crate::reading::recorded::budget_of;
use crate::{ApiError, ErrorCode, Inspector, InspectorConfig};

#[derive(Debug, Clone)]
pub struct AgentConfig {
    pub data_dir: PathBuf,
    /// Folders that are searched for logs. `None` means the harnesses' default folders.
    pub folders: Option<Vec<PathBuf>>,
    /// Folders open to agents: a session must have been recorded in or below one of these.
    pub roots: Vec<PathBuf>,
}

#[derive(Debug, Clone, Default)]
pub struct GoneAsked {
    /// Token budget, such as `80k`. `None` means the harness's own budget, else the default.
    pub budget: Option<String>,
    pub query: Option<String>,
    pub offset: u32,
}

#[derive(Debug, Clone, Default)]
pub struct RecallAsked {
    pub budget: Option<String>,
    /// Name from [`AgentQueries::list_evicted`].
    pub block: Option<String>,
    pub query: Option<String>,
    /// First character to return, for a block in several pieces.
    pub offset: u32,
}

const LISTED: usize = 20;
const LEAST_OF_ID: usize = 4;
/// Largest log used to redact a title, in bytes.
const LEARNED_BYTES: u64 = 64 << 20;
const TITLE_CHARS: usize = 100;

pub struct AgentQueries {
    config: AgentConfig,
    reach: AllowedFolders,
    /// Started by the first query that opens a session; marks do not need it.
    host: OnceCell<Arc<Inspector>>,
    of_titles: LruCache<(String, Option<i64>), Mutex<Cleaner>>,
    cleaners: LruCache<(u32, u32), Mutex<Cleaner>>,
    briefs: LruCache<(u32, u32), Brief>,
}

impl AgentQueries {
    pub fn new(config: AgentConfig) -> Arc<Self> {
        let reach = AllowedFolders::from_roots(&config.roots);
        Arc::new(Self {
            config,
            reach,
            host: OnceCell::new(),
            of_titles: LruCache::new(2 * LISTED),
            cleaners: LruCache::new(4),
            briefs: LruCache::new(4),
        })
    }

    /// Lists the allowed sessions, last changed first, filtered by title, folder or program.
    ///
    /// # Errors
    /// If a folder or the store cannot be read.
    pub async fn list_sessions(self: &Arc<Self>, query: Option<&str>) -> Result<String, ApiError> {
        let rows = self.session_rows().await?;
        let desk = Arc::clone(self);
        let query = query.map(str::to_lowercase).filter(|query| !query.is_empty());
        let list = move |host: &Arc<Inspector>| desk.write_list(host, &rows, query.as_deref());
        self.get_host().await?.run_blocking(list).await
    }

    /// Formats the session list. Filter and display use redacted texts, so no secret in a log can be read or
    /// guessed here.
    fn write_list(
        &self,
        host: &Arc<Inspector>,
        rows: &[SessionListRow],
        query: Option<&str>,
    ) -> Result<String, ApiError> {
        let mut of_machine = Cleaner::of_machine()?;
        let (mut shown_rows, mut n_listed, mut is_more) = (String::new(), 0, false);
        for row in rows {
            let is_named = query.is_none_or(|query| row.harness.contains(query));
            let may_hold = |text: &str| query.is_none_or(|query| text.to_lowercase().contains(query));
            let cwd = row.cwd.as_deref().unwrap_or_default();
            // Most rows fail the filter here, so their logs need not be learned.
            if !is_named
                && !may_hold(&of_machine.clean_text(&row.title))
                && !may_hold(&of_machine.clean_text(cwd))
            {
                continue;
            }
            if n_listed == LISTED {
                is_more = true;
                break;
            }
            let clean = self.clean_row(host, row);
            let holds = |text: &str| without_marks(text).any(may_hold);
            if is_named || holds(&clean.title) || clean.cwd.as_deref().is_some_and(holds) {
                shown_rows.push_str(&redacted_row(&clean));
                n_listed += 1;
            }
        }
        if n_listed == 0 {
            return Ok(format!("no session is within reach; {}\n", self.page_hint()));
        }
        let more = match query {
            None if is_more => {
                format!("and {} more; `query` narrows the list\n", with_commas((rows.len() - LISTED) as u64))
            }
            Some(_) if is_more => "and maybe more; a longer `query` narrows the list\n".to_owned(),
            _ => String::new(),
        };
        Ok(format!("{DATA}\nsessions, the last changed first:\n{shown_rows}{more}"))
    }

    /// Redacts a row with the secrets of its log. If the log cannot be read, the title is left out.
    fn clean_row(&self, host: &Arc<Inspector>, row: &SessionListRow) -> SessionListRow {
        let key = (row.path.clone(), row.changed_at_ms);
        let cleaner = self.of_titles.get_or_make(&key, || row_cleaner(host, row).map(Mutex::new));
        let mut clean = row.clone();
        match cleaner {
            Ok(cleaner) => {
                let mut cleaner = lock_unpoisoned(&cleaner);
                clean.title = cleaner.clean_text(&row.title);
                clean.cwd = row.cwd.as_deref().map(|cwd| cleaner.clean_text(cwd));
            }
            Err(why) => {
                clean.title = format!("(the title is left out: {})", why.message);
                clean.cwd = None;
            }
        }
        clean
    }

    /// Returns a page from the brief on `session`, or candidates if no session is given. The guide for marks stands
    /// before the first page.
    ///
    /// # Errors
    /// If no allowed session has that name, or the page does not exist.
    pub async fn read_transcript(
        self: &Arc<Self>,
        session: Option<&str>,
        page: usize,
    ) -> Result<String, ApiError> {
        let Some(session) = session else { return self.list_candidates().await };
        self.with_session(session, move |desk, opened, cleaner| {
            let key = (opened.session(), opened.revision());
            let brief = desk.briefs.get_or_make(&key, || Brief::condense_cleaned(opened, cleaner))?;
            let text = brief.read_page(page)?;
            Ok(if page == 1 { format!("{GUIDE}\n{text}") } else { text })
        })
        .await
    }

    /// Returns a session's size, its `budget`, and what would be evicted next; candidates if no session is
    /// given.
    ///
    /// # Errors
    /// If no allowed session has that name, or the budget is invalid.
    pub async fn context_status(
        self: &Arc<Self>,
        session: Option<&str>,
        budget: Option<&str>,
    ) -> Result<String, ApiError> {
        let Some(session) = session else { return self.list_candidates().await };
        let budget = budget.map(str::to_owned);
        self.with_session(session, move |_, opened, cleaner| {
            status::describe_status(opened, cleaner, &view_of(opened, budget.as_deref())?)
        })
        .await
    }

    /// Lists the evicted blocks of `session`; candidates if no session is given.
    ///
    /// # Errors
    /// If no allowed session has that name, or the budget is invalid.
    pub async fn list_evicted(
        self: &Arc<Self>,
        session: Option<&str>,
        asked: GoneAsked,
    ) -> Result<String, ApiError> {
        let Some(session) = session else { return self.list_candidates().await };
        self.with_session(session, move |_, opened, cleaner| {
            let view = view_of(opened, asked.budget.as_deref())?;
            gone::list_gone(opened, cleaner, &view, parse_wanted(asked.query).as_ref(), asked.offset)
        })
        .await
    }

    /// Returns the content of an evicted block; candidates if no session is given.
    ///
    /// # Errors
    /// If no allowed session has that name, the block does not exist, or neither a block nor a text is given.
    pub async fn recall_block(
        self: &Arc<Self>,
        session: Option<&str>,
        asked: RecallAsked,
    ) -> Result<String, ApiError> {
        let Some(session) = session else { return self.list_candidates().await };
        self.with_session(session, move |_, opened, cleaner| {
            let view = view_of(opened, asked.budget.as_deref())?;
            match (asked.block.filter(|block| !block.is_empty()), parse_wanted(asked.query)) {
                (Some(block), _) => gone::recall_named(opened, cleaner, &view, &block, asked.offset as usize),
                (None, Some(query)) => gone::recall_only(opened, cleaner, &view, &query),
                (None, None) => {
                    Err(ApiError::new(ErrorCode::BadRequest, "neither `block` nor `query` is given")
                        .with_hint("name a block as cwl_evicted lists it, or a text that it holds"))
                }
            }
        })
        .await
    }

    pub(super) async fn list_candidates(self: &Arc<Self>) -> Result<String, ApiError> {
        let list = self.list_sessions(None).await?;
        Ok(format!(
            "say which one as `session`: the first word of its line. Your own is most likely the one that changed last and whose title is your task.\n{list}"
        ))
    }

    fn page_hint(&self) -> String {
        format!(
            "only sessions that were recorded below {} are answered about; `cwl mcp --root DIR` adds a folder",
            self.reach.describe_roots()
        )
    }

    async fn get_host(&self) -> Result<&Arc<Inspector>, ApiError> {
        let start = || {
            let AgentConfig { data_dir, folders, .. } = self.config.clone();
            Inspector::start_anyway(InspectorConfig {
                data_dir,
                defaults: DefaultsAnswer::default(),
                folders,
                corpora: None,
            })
        };
        self.host.get_or_try_init(start).await
    }

    async fn session_rows(&self) -> Result<Vec<SessionListRow>, ApiError> {
        let mut open = self.get_host().await?.all_sessions().await?.rows;
        let mut rows = Vec::new();
        while let Some(mut row) = open.pop() {
            open.append(&mut row.children);
            if !row.name.is_empty() && self.reach.allows_session(row.cwd.as_deref(), &row.path) {
                rows.push(row);
            }
        }
        rows.sort_by(|a, b| b.changed_at_ms.cmp(&a.changed_at_ms).then_with(|| a.path.cmp(&b.path)));
        Ok(rows)
    }

    /// Finds an allowed session by a name from the list, or by the path of a log below an allowed folder, wherever it
    /// was recorded: an agent that may read the folder may read the log.
    async fn find_target(&self, session: &str) -> Result<AllowedLog, ApiError> {
        let listed = |row: &SessionListRow| AllowedLog { path: row.path.clone(), is_in_folder: false };
        let rows = self.session_rows().await?;
        let exactly = |row: &&SessionListRow| {
            let number = row.session.map(|number| number.to_string());
            [Some(&row.name), Some(&row.path), row.id.as_ref(), number.as_ref()]
                .contains(&Some(&session.to_owned()))
        };
        if let Some(row) = rows.iter().find(exactly) {
            return Ok(listed(row));
        }
        let begins = |row: &&SessionListRow| row.id.as_ref().is_some_and(|id| id.starts_with(session));
        let is_long = session.chars().count() >= LEAST_OF_ID;
        let found: Vec<&SessionListRow> = rows.iter().filter(begins).filter(|_| is_long).collect();
        match found.as_slice() {
            [row] => return Ok(listed(row)),
            [] => {}
            several => {
                let names: Vec<&str> = several.iter().take(4).map(|row| row.name.as_str()).collect();
                return Err(ApiError::new(
                    ErrorCode::Ambiguous,
                    format!("{} sessions begin with that", several.len()),
                )
                .with_hint(format!("name one of {}", names.join(", "))));
            }
        }
        match self.reach.find_file(Path::new(session)) {
            Some(real) => Ok(AllowedLog { path: real.display().to_string(), is_in_folder: true }),
            // The answer does not tell whether such a session exists elsewhere.
            None => Err(ApiError::new(ErrorCode::UnknownSession, "no session of that name is within reach")
                .with_hint(format!("cwl_sessions lists them; {}", self.page_hint()))),
        }
    }

    /// Runs work on an allowed session; the answer begins with a line about the session.
    pub(super) async fn with_session(
        self: &Arc<Self>,
        session: &str,
        work: impl FnOnce(&Self, &SessionSnapshot, &mut Cleaner) -> Result<String, ApiError> + Send + 'static,
    ) -> Result<String, ApiError> {
        let target = self.find_target(session).await?;
        let desk = Arc::clone(self);
        let host = self.get_host().await?;
        host.run_blocking(move |host| {
            let opened = host.open_named(&target.path, None)?;
            let cwd = opened.log.header().cwd;
            if !target.is_in_folder && !desk.reach.allows_session(cwd.as_deref(), &opened.about.path) {
                return Err(ApiError::new(
                    ErrorCode::UnknownSession,
                    "no session of that name is within reach",
                )
                .with_hint(desk.page_hint()));
            }
            let key = (opened.session(), opened.revision());
            let cleaner = desk
                .cleaners
                .get_or_make(&key, || Cleaner::learn_from(&opened, std::iter::empty()).map(Mutex::new))?;
            let answer = work(&desk, &opened, &mut lock_unpoisoned(&cleaner))?;
            Ok(format!("{DATA}\n{answer}"))
        })
        .await
    }
}

struct AllowedLog {
    path: String,
    /// The log itself is below an allowed folder.
    is_in_folder: bool,
}

fn view_of(opened: &SessionSnapshot, budget: Option<&str>) -> Result<ViewSettings, ApiError> {
    let (budget, _) = budget_of(opened, budget.filter(|budget| !budget.is_empty()));
    let view = ViewSettings { budget, ..ViewSettings::default() };
    check_view(&view)?;
    Ok(view)
}

/// A search ignores case unless the query has upper case.
fn parse_wanted(query: Option<String>) -> Option<TextPattern> {
    let query = query.filter(|query| !query.trim().is_empty())?;
    let case = query.chars().any(char::is_uppercase);
    Some(TextPattern { query, regex: false, case })
}

/// Learns secrets from a row's log, without following it: a list has many rows.
fn row_cleaner(host: &Arc<Inspector>, row: &SessionListRow) -> Result<Cleaner, ApiError> {
    let path = Path::new(&row.path);
    match path.metadata() {
        Ok(file) if file.is_file() && file.len() > LEARNED_BYTES => {
            Err(ApiError::new(ErrorCode::Refused, "the log is large; cwl_transcript shows it"))
        }
        Ok(file) if file.is_file() => Cleaner::of_log(&load_path(path, None, &host.tools, &|_, _| {})?),
        _ => {
            let opened = host.open_named(&row.path, None)?;
            Cleaner::of_log(&opened)
        }
    }
}

fn without_marks(text: &str) -> impl Iterator<Item = &str> {
    let mut parts = text.split("[redacted:");
    let first = parts.next();
    first.into_iter().chain(parts.map(|part| part.split_once(']').map_or("", |(_, behind)| behind)))
}

fn redacted_row(row: &SessionListRow) -> String {
    let clean = |text: &str| one_line(&harmless_text(text), TITLE_CHARS);
    let minutes = row.changed_at_ms.map(|at| now_ms().saturating_sub(at) / 60_000);
    let changed = match minutes {
        None => "changed at an unknown time".to_owned(),
        Some(..1) => "changed just now".to_owned(),
        Some(minutes @ 1..120) => format!("changed {minutes} minutes ago"),
        Some(minutes @ 120..2880) => format!("changed {} hours ago", minutes / 60),
        Some(minutes) => format!("changed {} days ago", minutes / 1440),
    };
    let turns = row.n_turns.map(|n| format!(", {n} turns")).unwrap_or_default();
    let tokens = row.tokens.map(|n| format!(", {} tokens", with_commas(n))).unwrap_or_default();
    let live = if row.live { ", live" } else { "" };
    let subagent = if row.parent.is_some() { ", a subagent" } else { "" };
    let cwd = row.cwd.as_deref().map(|cwd| format!(", in {}", clean(cwd))).unwrap_or_default();
    let title = clean(&row.title);
    let name = one_line(&harmless_text(&row.name), TITLE_CHARS);
    format!("{name} {}{subagent}, {changed}{live}{turns}{tokens}{cwd}\n    {title}\n", row.harness)
}

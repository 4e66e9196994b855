//! An opened log at one moment, and everything computed from it on demand.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use cwl_engine::{
    Absences, Annotation, BlockIdx, BlockKind, BlockPlace, Content, Cut, DelimiterRule, DetailNeeds,
    EpisodeIdx, EventBody, EventIdx, EventLog, Facts, GraphTimeline, GrowingBranch, Material, Message,
    Policy, Problem, Replay, ReplayInput, Role, Session, SessionEvent, StateAt, Todo, Verification,
    find_absences, render,
};
use cwl_formats::layout::is_copy;
use cwl_formats::title::session_title;
use cwl_formats::{Format, PiCwlTrace};
use cwl_tokens::Tokenizer;

use crate::access::HostAccess;
use crate::api::{OverheadSource, ReasoningRetention, TextPattern, ViewCut, ViewSettings};
use crate::asked::budget::AskedOverhead;
use crate::asked::effort::Effort;
use crate::asked::needle::Needle;
use crate::asked::unit::TokenUnit;
use crate::asked::view::{AskedMarks, BranchKey, MarksKey, ViewSelection, read_amounts};
use crate::asked::watch::{Pattern, read_block};
use crate::figures::saturate_u32;
use crate::marks::{NamedMarks, parse_marks, spans_of};
use crate::measure::branch::Branch;
use crate::measure::causes::{ReacquisitionCauses, SharedContents};
use crate::measure::findings;
use crate::measure::harness_window::harness_window;
use crate::measure::hidden_reply::hidden_blocks;
use crate::measure::inferred::{fill_annotation, infer_annotation};
use crate::measure::material::{BranchTexts, ScanDepth};
use crate::measure::moment::CutContext;
use crate::measure::run::{ReplayKey, ReplayRun};
use crate::measure::sizes::BranchSizes;
use crate::recent::{LruCache, lock_unpoisoned};
use crate::tables::models::WindowTable;
use crate::tables::tools::Tools;
use crate::texts::counts::Counts;
use crate::texts::log_texts::Texts;
use crate::{ApiError, ErrorCode};

mod counted;

/// The metadata of a log that its bytes do not hold: its name, format and place.
#[derive(Debug, Clone)]
pub struct LogMetadata {
    /// The session's number; 0 without a store.
    pub session: u32,
    pub revision: u32,
    pub path: String,
    pub format: Format,
    /// True while the log is followed.
    pub live: bool,
    pub gone: bool,
    pub opening: Option<String>,
    pub recorded: Option<Arc<PiCwlTrace>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BranchSize {
    /// All requests, with `now`.
    pub n_turns: u32,
    pub n_episodes: u32,
}

impl BranchSize {
    fn from_parts(session: &Session, growth: &GraphTimeline) -> Self {
        Self {
            n_turns: saturate_u32(session.turns.len()),
            n_episodes: saturate_u32(growth.graph.episodes().count()),
        }
    }
}

/// An immutable snapshot of one log. A growing log gets a new snapshot.
pub struct SessionSnapshot {
    pub about: LogMetadata,
    pub log: Arc<EventLog>,
    pub log_problems: Vec<Problem>,
    pub texts: Texts,
    pub tools: Tools,
    counts: Arc<Counts>,
    pub access: Arc<dyn HostAccess>,
    places: OnceLock<LogPlaces>,
    growing: Mutex<Option<Arc<GrowingBranch>>>,
    branches: LruCache<BranchKey, Branch>,
    sizes: LruCache<(BranchKey, TokenUnit), BranchSizes>,
    replays: LruCache<ReplayKey, Replay>,
    moments: LruCache<(ReplayKey, Cut), CutContext>,
    scanned: LruCache<(BranchKey, Tokenizer, ScanDepth), BranchTexts>,
    /// Material with its sizes in the provider's tokens.
    scaled: LruCache<(BranchKey, ScanDepth), Material>,
    todos: LruCache<BranchKey, Vec<Todo>>,
    verifications: LruCache<ReplayKey, Verification>,
    tallies: LruCache<TextPattern, Vec<(BlockPlace, u32)>>,
    needs: LruCache<BranchKey, DetailNeeds>,
    absent: LruCache<ReplayKey, Absences>,
    pub(super) causes: LruCache<ReplayKey, ReacquisitionCauses>,
    pub(super) shared: LruCache<BranchKey, SharedContents>,
}

impl SessionSnapshot {
    pub fn new(
        about: LogMetadata,
        log: Arc<EventLog>,
        log_problems: Vec<Problem>,
        texts: Texts,
        tools: &Tools,
        counts: Arc<Counts>,
        access: Arc<dyn HostAccess>,
    ) -> Self {
        let log = if is_copy(Path::new(&about.path)) { Arc::new(own_requests(&log)) } else { log };
        Self {
            about,
            log,
            log_problems,
            texts,
            tools: tools.clone(),
            counts,
            access,
            places: OnceLock::new(),
            growing: Mutex::default(),
            branches: LruCache::new(6),
            sizes: LruCache::new(12),
            replays: LruCache::new(64),
            moments: LruCache::new(3),
            scanned: LruCache::new(3),
            scaled: LruCache::new(2),
            todos: LruCache::new(2),
            verifications: LruCache::new(8),
            tallies: LruCache::new(4),
            needs: LruCache::new(3),
            absent: LruCache::new(2),
            causes: LruCache::new(2),
            shared: LruCache::new(3),
        }
    }

    pub(crate) fn places(&self) -> &[BlockPlace] {
        &self.log_places().places
    }

    fn log_places(&self) -> &LogPlaces {
        self.places.get_or_init(|| LogPlaces::from_log(&self.log))
    }

    pub fn session(&self) -> u32 {
        self.about.session
    }

    pub fn revision(&self) -> u32 {
        self.about.revision
    }

    pub fn session_id(&self) -> Option<String> {
        self.log.header().session.map(|id| id.as_str().to_owned())
    }

    /// Returns the session's name, else the beginning of the first human message, else the file name.
    pub fn display_title(&self) -> String {
        session_title(self.log.title(), self.about.opening.as_deref(), Path::new(&self.about.path))
    }

    pub(crate) fn context_window(&self) -> Option<u64> {
        self.log.context_window().or_else(|| self.about.recorded.as_ref()?.window)
    }

    /// Returns [`Self::context_window`], else the window of the last model in the table of windows.
    pub(crate) fn model_window(&self) -> Option<u64> {
        self.context_window()
            .or_else(|| WindowTable::of_user(&*self.access).window_of(self.last_model().as_deref()))
    }

    pub(crate) fn last_model(&self) -> Option<String> {
        self.log.events().iter().rev().find_map(|event| match &event.body {
            EventBody::ModelChange { model } => Some(model.to_string()),
            EventBody::Message(message) => message.model.as_deref().map(str::to_owned),
            EventBody::Header(header) => header.model.as_deref().map(str::to_owned),
            _ => None,
        })
    }

    pub fn branch(&self, key: &BranchKey) -> Result<Arc<Branch>, ApiError> {
        if key.marks == MarksKey::Declared {
            return Ok(self.declared_branch(key));
        }
        self.branches.get_or_make(key, || {
            let declared = self.declared_branch(&key.with_declared_marks());
            match &key.marks {
                MarksKey::Declared => Ok(declared.annotate_anew(Annotation::Declared)),
                MarksKey::Inferred => Ok(declared.annotate_anew(infer_annotation(
                    &declared.session,
                    &self.texts,
                    &self.counts,
                )?)),
                MarksKey::Filled => {
                    Ok(declared.annotate_anew(fill_annotation(&declared, &self.texts, &self.counts)?))
                }
                MarksKey::Written(written) => {
                    let (annotation, mark_problems) = spans_of(&written.marks, &self.log, &declared.session);
                    let mut branch = declared.annotate_anew(annotation);
                    branch.mark_problems = mark_problems;
                    Ok(branch)
                }
            }
        })
    }

    fn declared_branch(&self, key: &BranchKey) -> Arc<Branch> {
        let key = key.with_declared_marks();
        let build = || {
            let lapsing = |session: &Session| self.lapsing_reasoning(session);
            let growing = if key == BranchKey::CURRENT { self.withdraw_branch() } else { None };
            Ok::<_, Infallible>(match growing {
                Some(growing) => Branch::from_growing(&growing.extended(&self.log), lapsing),
                None => Branch::with_lapses(&self.log, &key, &self.tools.table, lapsing),
            })
        };
        let Ok(branch) = self.branches.get_or_make(&key, build);
        branch
    }

    /// Lends the current branch of a reader that follows the log; the log may have more records. A copied log has a branch
    /// of its own, because requests before its last prompt count as copied.
    pub fn lend_branch(&self, growing: Arc<GrowingBranch>) {
        if !is_copy(Path::new(&self.about.path)) {
            *lock_unpoisoned(&self.growing) = Some(growing);
        }
    }

    /// Takes a lent branch back, so that the reader can go on without a copy. A later question about the current branch
    /// builds the branch from the log.
    pub fn withdraw_branch(&self) -> Option<Arc<GrowingBranch>> {
        lock_unpoisoned(&self.growing).take()
    }

    /// Counts the turns and episodes of the current branch. A lent branch is not copied for this.
    pub fn current_size(&self) -> BranchSize {
        let lent = lock_unpoisoned(&self.growing).clone();
        match lent.filter(|growing| growing.n_events() == self.log.events().len()) {
            Some(growing) => BranchSize::from_parts(growing.session(), growing.timeline()),
            None => {
                let branch = self.current_branch();
                BranchSize::from_parts(&branch.session, &branch.growth)
            }
        }
    }

    fn find_marks(
        &self,
        asked: AskedMarks<'_>,
        policy: &Policy,
        branch: &BranchKey,
    ) -> Result<MarksKey, ApiError> {
        Ok(match asked {
            AskedMarks::Auto if policy.own_marks || self.declared_branch(branch).has_episodes() => {
                MarksKey::Declared
            }
            AskedMarks::Auto | AskedMarks::Inferred => MarksKey::Inferred,
            AskedMarks::Filled if self.declared_branch(branch).has_episodes() => MarksKey::Filled,
            AskedMarks::Filled => MarksKey::Inferred,
            AskedMarks::Declared => MarksKey::Declared,
            AskedMarks::Named(name) => MarksKey::Written(Arc::new(self.written_marks(name)?)),
            AskedMarks::Told(json) => MarksKey::Written(Arc::new(parse_marks(json)?)),
        })
    }

    /// Finds the marks that an annotation names or holds; `None` if it does neither.
    pub(crate) fn marks_in(&self, annotation: &str) -> Result<Option<NamedMarks>, ApiError> {
        match AskedMarks::parse_selection(annotation)? {
            AskedMarks::Named(name) => self.written_marks(name).map(Some),
            AskedMarks::Told(json) => parse_marks(json).map(Some),
            AskedMarks::Auto | AskedMarks::Declared | AskedMarks::Inferred | AskedMarks::Filled => Ok(None),
        }
    }

    fn written_marks(&self, name: &str) -> Result<NamedMarks, ApiError> {
        self.access.find_marks(self.texts.stored.as_deref(), &self.about.path, name)
    }

    /// Returns hidden reasoning that is sent back only until the next human message, in log order.
    fn lapsing_reasoning(&self, session: &Session) -> Vec<BlockIdx> {
        let format = self.about.format;
        if !self.tools.carried.may_lapse(format) {
            return Vec::new();
        }
        let mut by_model = BTreeMap::new();
        let mut replies = Vec::new();
        for message in session.messages.iter().filter(|message| message.usage.is_some()) {
            let model = message.model.as_deref();
            let lapses = by_model.entry(model).or_insert_with(|| {
                self.tools.carried.of_model(format, model).carried == ReasoningRetention::UntilHuman
            });
            if *lapses {
                replies.push(message);
            }
        }
        if replies.is_empty() {
            return Vec::new();
        }
        // If the texts cannot be read, `sizes` reports it.
        let Ok(units) = self.counts.units_of_blocks(Tokenizer::default(), &self.texts, self.places()) else {
            return Vec::new();
        };
        let units = |block: BlockIdx| {
            let row = &session.blocks[block.at()];
            units.get(self.flat_place(row.event, row.part)).map_or(0, |units| u64::from(*units))
        };
        let divisor = Tokenizer::default().divisor();
        replies.into_iter().flat_map(|said| hidden_blocks(session, said, units, divisor)).collect()
    }

    pub fn current_branch(&self) -> Arc<Branch> {
        self.declared_branch(&BranchKey::CURRENT)
    }

    pub(crate) fn openings_of_blocks(&self, places: &[BlockPlace]) -> Result<Vec<String>, ApiError> {
        self.counts.openings.of_blocks(places, &self.texts)
    }

    pub(crate) fn inference_facts(&self, session: &Session) -> Result<Facts, ApiError> {
        self.counts.facts.facts_of_session(session, &self.texts)
    }

    fn flat_place(&self, event: EventIdx, part: u32) -> usize {
        self.log_places()
            .first_blocks
            .get(event.at())
            .copied()
            .unwrap_or(usize::MAX)
            .saturating_add(part as usize)
    }

    /// Returns the window for a percentage `budget`: stated in the log, else the harness's own, else from the table of
    /// windows. `None` for other budgets, unless the log states it.
    pub fn window_of_shares(&self, budget: &str) -> Result<Option<u64>, ApiError> {
        let stated = self.context_window();
        // Records and table are read only if needed.
        if stated.is_some() || !budget.contains('%') {
            return Ok(stated);
        }
        let of_model = || WindowTable::of_user(&*self.access).window_of(self.last_model().as_deref());
        Ok(harness_window(self)?.or_else(of_model))
    }

    pub fn parse_view(&self, view: &ViewSettings) -> Result<ViewSelection, ApiError> {
        let mut chosen = ViewSelection::parse_view(view, &self.log, |asked, policy, branch| {
            self.find_marks(asked, policy, branch)
        })?;
        if chosen.options.delimiter == DelimiterRule::Auto {
            chosen.options.delimiter = match self.about.format {
                Format::Pi => DelimiterRule::Exact,
                _ => DelimiterRule::Table,
            };
        }
        Ok(chosen)
    }

    pub fn replay_view(&self, view: &ViewSettings) -> Result<ReplayRun, ApiError> {
        let chosen = self.parse_view(view)?;
        let (budget, overhead) = read_amounts(view, self.window_of_shares(&view.budget)?)?;
        let branch = self.branch(&chosen.branch)?;
        let sizes = self.sizes(&chosen.branch, chosen.unit)?;
        let (overhead, overhead_source) = match overhead {
            AskedOverhead::Given(tokens) => (tokens.into(), OverheadSource::Given),
            AskedOverhead::Auto => (sizes.unlogged_overhead(), sizes.overhead_source()),
        };
        let policy = chosen.policy_row()?;
        let unit = chosen.unit;
        let own_table = match policy.adjust_table(&branch.session, sizes.visible_table()) {
            Cow::Borrowed(_) => None,
            Cow::Owned(own) => Some(own),
        };
        let material = if policy.needs_material { self.material(&chosen)? } else { Arc::default() };
        let (pins, missing_pins) = chosen.pins_and_probes()?.pinned_blocks(&branch.session);
        let pins: Arc<[BlockIdx]> = pins.into();
        let key = ReplayKey { chosen, budget, overhead };
        let replay = self.replays.get_or_make(&key, || {
            Ok::<_, ApiError>(Replay::run(&ReplayInput {
                session: &branch.session,
                growth: &branch.growth,
                table: own_table.as_ref().unwrap_or(&sizes.table),
                material: &material,
                pins: &pins,
                overhead: &key.overhead,
                budget,
                policy,
                options: &key.chosen.options,
            }))
        })?;
        Ok(ReplayRun {
            key,
            branch,
            sizes,
            own_table,
            material,
            pins,
            missing_pins,
            policy,
            replay,
            unit,
            overhead_source,
        })
    }

    pub fn begin_search(&self) -> Effort {
        Effort::begin_search(&*self.access)
    }

    pub(crate) fn find_matches(&self, patterns: &[&Pattern]) -> Result<Vec<Vec<BlockPlace>>, ApiError> {
        self.counts.matches.find_places(patterns, &self.texts, self.places(), &self.begin_search())
    }

    pub fn find_absences(&self, run: &ReplayRun) -> Result<Arc<Absences>, ApiError> {
        let chosen = &run.key.chosen;
        self.absent.get_or_make(&run.key, || {
            let material = self.material(chosen)?;
            Ok(find_absences(&run.replay_input(), &run.replay, &material))
        })
    }

    /// Returns the blocks whose text matches, with the number of matches, in log order. Counted once.
    pub(crate) fn tally_matches(
        &self,
        wanted: &TextPattern,
    ) -> Result<Arc<Vec<(BlockPlace, u32)>>, ApiError> {
        let needle = Needle::parse_needle(wanted, self.begin_search())?;
        self.tallies.get_or_make(wanted, || {
            let found = self.texts.tally_texts(|text| needle.count_matches(text))?;
            needle.end_search().map(|()| found)
        })
    }

    /// Finds a block and its content by name. `branch` is as in [`ViewSettings::branch`].
    pub fn block_named(
        &self,
        branch: Option<&str>,
        name: &str,
    ) -> Result<(Arc<Branch>, BlockIdx, Content), ApiError> {
        let chosen =
            self.parse_view(&ViewSettings { branch: branch.map(str::to_owned), ..ViewSettings::default() })?;
        let branch = self.declared_branch(&BranchKey { leaf: chosen.branch.leaf, ..BranchKey::CURRENT });
        let block = find_named(&branch.session, name)
            .ok_or_else(|| ApiError::new(ErrorCode::UnknownBlock, format!("no block `{name}`")))?;
        let content = self.block_content(&branch.session, block)?;
        Ok((branch, block, content))
    }

    pub(crate) fn block_content(&self, session: &Session, block: BlockIdx) -> Result<Content, ApiError> {
        Ok(self.texts.block_contents(&[Self::place_of(session, block)])?.pop().unwrap_or_default())
    }

    pub fn verify_run(&self, run: &ReplayRun) -> Result<Arc<Verification>, ApiError> {
        self.verifications.get_or_make(&run.key, || {
            findings::Watching::find(self, run)?.verify_replay(&run.replay_input(), &run.replay)
        })
    }

    pub(crate) fn todo_items(&self, run: &ReplayRun) -> Result<Arc<Vec<Todo>>, ApiError> {
        let key = run.key.chosen.branch.with_declared_marks();
        self.todos.get_or_make(&key, || findings::todos_of(self, &run.branch.session))
    }

    pub(crate) fn context_at_cut(&self, run: &ReplayRun, cut: ViewCut) -> Result<Arc<CutContext>, ApiError> {
        let cut = run.clamp_cut(cut);
        self.moments.get_or_make(&(run.key.clone(), cut), || {
            let state = StateAt::fold_to(&run.replay_input(), &run.replay, cut);
            let context = render(&run.replay_input(), &run.replay, &state);
            Ok(CutContext::new(state, context))
        })
    }

    pub fn replay_to_cut(
        &self,
        view: &ViewSettings,
        cut: ViewCut,
    ) -> Result<(ReplayRun, Arc<CutContext>), ApiError> {
        let run = self.replay_view(view)?;
        let moment = self.context_at_cut(&run, cut)?;
        Ok((run, moment))
    }

    pub(crate) fn find_episode(branch: &Branch, place: u32) -> Result<EpisodeIdx, ApiError> {
        branch
            .growth
            .graph
            .episodes()
            .nth(place as usize)
            .map(|(idx, _)| idx)
            .ok_or_else(|| ApiError::new(ErrorCode::UnknownEpisode, format!("no episode {place}")))
    }

    pub fn place_of(session: &Session, block: BlockIdx) -> BlockPlace {
        let row = &session.blocks[block.at()];
        BlockPlace { seq: saturate_u32(row.event.at()), part: row.part }
    }

    pub fn line_of(&self, session: &Session, block: BlockIdx) -> u64 {
        self.log.record(session.blocks[block.at()].event).line
    }
}

pub(crate) fn find_named(session: &Session, name: &str) -> Option<BlockIdx> {
    session.find_block(&read_block(name)?)
}

/// Marks requests in a copied log that precede the last prompt as copied, because they were paid for in the original
/// session.
fn own_requests(log: &EventLog) -> EventLog {
    let is_prompt = |message: &Message| {
        message.role == Role::User
            && !message.blocks.iter().any(|block| matches!(block.kind, BlockKind::Result(_)))
    };
    let says =
        |event: &SessionEvent| matches!(&event.body, EventBody::Message(message) if is_prompt(message));
    let prompt = log.events().iter().rposition(says).map_or(EventIdx::new(0), EventIdx::new);
    let mut own = log.clone();
    own.mark_copied_before(prompt);
    own
}

struct LogPlaces {
    places: Vec<BlockPlace>,
    /// For each record, the index in `places` of its first block.
    first_blocks: Vec<usize>,
}

impl LogPlaces {
    fn from_log(log: &EventLog) -> Self {
        let mut places = Vec::new();
        let mut first_blocks = Vec::with_capacity(log.events().len());
        for (seq, event) in (0..).zip(log.events()) {
            first_blocks.push(places.len());
            places.extend((0..).zip(event.body.all_blocks()).map(|(part, _)| BlockPlace { seq, part }));
        }
        Self { places, first_blocks }
    }
}

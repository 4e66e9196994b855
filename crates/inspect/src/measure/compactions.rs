//! Audits of a branch's recorded compactions, including the harness's replacements.

use std::borrow::Cow;
use std::sync::Arc;

use cwl_engine::{
    BlockIdx, BlockKind, CompactionAudit, CounterfactualCompaction, DetailAtCut, DetailFate, DetailKind,
    FateCounts, Material, Mentions, MessageClass, Name, NeededName, Overhead, Policy, PolicyOptions,
    Replacement, ReplayInput, audit_compactions, details_at_cuts,
};

use crate::ApiError;
use crate::api::{NeededNameFate, SummaryForm, ViewSettings};
use crate::measure::material::ScanDepth;
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;
use crate::measure::survival::scan_details;

pub struct Compactions {
    pub run: ReplayRun,
    pub material: Arc<Material>,
    pub audits: Vec<CompactionAudit>,
    cwd: Option<String>,
}

pub(crate) struct CompactionAlternative {
    pub policy: &'static Policy,
    pub left: CounterfactualCompaction,
    pub(crate) n_kept: usize,
    pub(crate) n_named: usize,
    pub(crate) kinds: KindCounts,
}

pub(crate) type KindCounts = [FateCounts; DetailKind::ALL.len()];

pub struct ReplacementTexts {
    pub said: Mentions,
    pub form: SummaryForm,
}

impl Compactions {
    /// Audits the compactions on a view's branch; policy and budget are ignored.
    pub fn audit(opened: &SessionSnapshot, view: &ViewSettings) -> Result<Self, ApiError> {
        let run = opened.replay_view(&view.as_recorded())?;
        // The audit lists decisions removed by a compaction, which needs a digest. A log without compactions needs
        // none.
        let has_some = !run.branch.session.replacements.is_empty();
        let depth = if has_some { ScanDepth::Digest } else { ScanDepth::Names };
        let material = opened.material_of(&run.selection().branch, run.selection().unit, depth)?;
        let audits = audit_compactions(&run.branch.session, &material);
        Ok(Self { run, material, audits, cwd: opened.log.header().cwd.map(|cwd| cwd.to_string()) })
    }

    pub(crate) fn replacement_of(&self, audit: &CompactionAudit) -> &Replacement {
        &self.run.branch.session.replacements[audit.replacement]
    }

    pub(crate) fn needed_name(&self, needed: &NeededName) -> Option<&Name> {
        self.material.names.get(needed.name as usize)
    }

    pub(crate) fn blocks_put_in(&self, audit: &CompactionAudit) -> Vec<BlockIdx> {
        let session = &self.run.branch.session;
        let replacement = self.replacement_of(audit);
        let messages = session.messages.iter().skip(replacement.at);
        let own = messages.take_while(|message| message.added && message.entry == replacement.entry);
        own.flat_map(|message| message.blocks.clone()).map(BlockIdx::new).collect()
    }

    /// Returns what the harness added by itself between the compaction and the next request: files, reminders.
    fn put_beside(&self, audit: &CompactionAudit) -> Vec<BlockIdx> {
        let session = &self.run.branch.session;
        let from = self.replacement_of(audit).at;
        let came_in = session.messages.range(from..session.turn_at(audit.turn).end);
        let own = came_in.filter(|message| !message.added && message.class == MessageClass::Injected);
        own.flat_map(|message| message.blocks.clone()).map(BlockIdx::new).collect()
    }

    pub fn replacement_texts(
        &self,
        opened: &SessionSnapshot,
        audit: &CompactionAudit,
    ) -> Result<ReplacementTexts, ApiError> {
        let session = &self.run.branch.session;
        let place = |block: &BlockIdx| SessionSnapshot::place_of(session, *block);
        let places: Vec<_> = self.blocks_put_in(audit).iter().map(place).collect();
        let brought = opened.texts.block_contents(&places)?;
        let put_in = self.blocks_put_in(audit);
        let has_text = put_in.iter().zip(&brought).any(|(block, content)| {
            session.message_of(*block).class == MessageClass::Summary && !content.text.trim().is_empty()
        });
        let is_opaque = |block: &BlockIdx| matches!(session.blocks[block.at()].kind, BlockKind::Opaque);
        let form = match has_text {
            true => SummaryForm::Text,
            false if put_in.iter().any(is_opaque) => SummaryForm::Encrypted,
            false => SummaryForm::Unlogged,
        };
        let beside: Vec<_> = self.put_beside(audit).iter().map(place).collect();
        let mut said = Mentions::new(self.cwd.as_deref());
        for content in brought.iter().chain(&opened.texts.block_contents(&beside)?) {
            said.add_text(&content.text);
        }
        Ok(ReplacementTexts { said, form })
    }

    pub fn fate_of_name(&self, needed: &NeededName, texts: &ReplacementTexts) -> NeededNameFate {
        if !needed.is_taken {
            return NeededNameFate::Kept;
        }
        match self.needed_name(needed).is_some_and(|name| texts.said.mentions_name(name)) {
            true => NeededNameFate::Named,
            false if texts.form == SummaryForm::Text => NeededNameFate::Lost,
            false => NeededNameFate::Untold,
        }
    }

    pub(crate) fn find_details(&self, opened: &SessionSnapshot) -> Result<Vec<Vec<DetailAtCut>>, ApiError> {
        if self.audits.is_empty() {
            return Ok(Vec::new());
        }
        let session = &self.run.branch.session;
        let details = scan_details(session, &opened.texts, self.cwd.as_deref())?;
        Ok(details_at_cuts(session, &self.material, &details, &self.audits))
    }

    pub(crate) fn fates_after(
        &self,
        audit: &CompactionAudit,
        details: &[DetailAtCut],
        texts: &ReplacementTexts,
    ) -> Vec<DetailFate> {
        let drops = &self.replacement_of(audit).drops;
        let fate = |detail: &DetailAtCut| match detail.brought_by.is_empty() {
            true => detail.fate(|block| drops.binary_search(&block).is_err(), &texts.said),
            false => DetailFate::Literal,
        };
        details.iter().map(fate).collect()
    }

    /// Applies the policies suitable for this log in the room the compaction left.
    pub(crate) fn alternatives(
        &self,
        audit: &CompactionAudit,
        details: &[DetailAtCut],
        room: u64,
    ) -> Result<Vec<CompactionAlternative>, ApiError> {
        let (has_episodes, is_declared) = (self.run.branch.has_episodes(), self.run.branch.is_declared());
        let takes_part = |policy: &&Policy| {
            let can_work = has_episodes && (is_declared || !policy.own_marks) || !policy.needs_episodes;
            policy.name != "none" && can_work
        };
        let mut answers = Vec::new();
        for policy in Policy::ALL.iter().filter(takes_part) {
            let options = PolicyOptions::defaults(policy).map_err(ApiError::from_internal)?;
            answers.extend(self.ask_policy(audit, details, policy, &options, room));
        }
        // A policy that needs more room answers another question and comes last.
        answers.sort_by_key(|one| {
            (one.left.is_over, std::cmp::Reverse((one.n_kept, one.n_named)), one.left.after)
        });
        Ok(answers)
    }

    pub(crate) fn size_before(&self, audit: &CompactionAudit) -> Option<u64> {
        let overhead = Overhead::default();
        let input = ReplayInput { overhead: &overhead, ..self.run.replay_input() };
        CounterfactualCompaction::replay_once(&input, audit.replacement).map(|whole| whole.before)
    }

    pub(crate) fn size_after(&self, audit: &CompactionAudit) -> u64 {
        self.run.sizes.full.get(audit.turn.at()).copied().unwrap_or(0)
    }

    fn ask_policy(
        &self,
        audit: &CompactionAudit,
        details: &[DetailAtCut],
        policy: &'static Policy,
        options: &PolicyOptions,
        room: u64,
    ) -> Option<CompactionAlternative> {
        let (branch, sizes) = (&self.run.branch, &self.run.sizes);
        let table: Cow<'_, _> = match policy.adjust_table(&branch.session, sizes.visible_table()) {
            Cow::Borrowed(_) => Cow::Borrowed(&sizes.table),
            own => own,
        };
        // The room is for logged content, so it includes no overhead.
        let overhead = Overhead::default();
        let input = ReplayInput {
            table: &table,
            material: &self.material,
            overhead: &overhead,
            budget: room,
            policy,
            options,
            ..self.run.replay_input()
        };
        let left = CounterfactualCompaction::replay_once(&input, audit.replacement)?;
        let mut said = Mentions::new(self.cwd.as_deref());
        left.summaries.iter().for_each(|summary| said.add_text(&summary.write_text(&self.material)));
        let residues =
            left.residues.iter().filter_map(|one| branch.growth.graph.episode(*one).residue_text());
        residues.for_each(|residue| said.add_text(&residue));
        let (mut n_kept, mut n_named) = (0, 0);
        for needed in &audit.needed {
            if left.contains(needed.held) {
                n_kept += 1;
            } else if self.needed_name(needed).is_some_and(|name| said.mentions_name(name)) {
                n_named += 1;
            }
        }
        let fates = details.iter().map(|detail| detail.fate(|block| left.contains(block), &said));
        let kinds = count_kinds(details, fates);
        Some(CompactionAlternative { policy, left, n_kept, n_named, kinds })
    }
}

pub(crate) fn count_kinds(
    details: &[DetailAtCut],
    fates: impl IntoIterator<Item = DetailFate>,
) -> KindCounts {
    let mut counts = KindCounts::default();
    for (detail, fate) in details.iter().zip(fates) {
        counts[detail.kind as usize].add_detail(fate, detail.needed_by.is_some());
    }
    counts
}

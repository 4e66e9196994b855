//! An opened log counted: the sizes and the material of its branches, in the unit that a view asks for.

use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{
    BlockIdx, BlockKind, BlockPlace, DetailNeeds, Episode, EpisodeIdx, Facts, GraphTimeline, Material,
    Placeholder, Session, TokenTable,
};
use cwl_formats::{Format, REDACTED_REASONING};
use cwl_tokens::Tokenizer;

use super::SessionSnapshot;
use crate::ApiError;
use crate::asked::unit::TokenUnit;
use crate::asked::view::{BranchKey, MarksKey, ViewSelection};
use crate::measure::material::{self, BranchTexts, ScanDepth};
use crate::measure::media::{count_log, media_places, media_units};
use crate::measure::provider_unit::SizeScale;
use crate::measure::sizes::{BranchSizes, Reports};
use crate::measure::survival::scan_details;
use crate::tables::models::WindowTable;
use crate::texts::media::BlockMedia;

impl SessionSnapshot {
    pub fn sizes(&self, key: &BranchKey, unit: TokenUnit) -> Result<Arc<BranchSizes>, ApiError> {
        self.sizes.get_or_make(&(key.clone(), unit), || {
            let branch = self.branch(key)?;
            let scale = self.size_scale(key, unit)?;
            if key.marks != MarksKey::Declared {
                // Only the descriptions that stay are of the annotation.
                let residues = self.residue_sizes(&branch.growth, scale)?;
                return Ok(self.sizes(&key.with_declared_marks(), unit)?.with_residues(&residues));
            }
            let tokenizer = scale.tokenizer;
            let texts = self.counts.units_of_blocks(tokenizer, &self.texts, self.places())?;
            let session = &branch.session;
            let mut units: Vec<u32> = session
                .blocks
                .iter()
                .map(|row| texts.get(self.flat_place(row.event, row.part)).copied().unwrap_or(0))
                .map(|units| scale.text_units(units))
                .collect();
            for (block, media) in media_units(session, tokenizer, &self.counts, &self.texts)? {
                units[block.at()] = units[block.at()].saturating_add(scale.media_units(media));
            }
            let unsent = self.unsent_blocks(session, &units, scale)?;
            unsent.keys().for_each(|block| units[block.at()] = 0);
            let residues = self.residue_sizes(&branch.growth, scale)?;
            let mut placeholders = Placeholder::ALL.map(|_| 0);
            for (size, placeholder) in placeholders.iter_mut().zip(Placeholder::ALL) {
                *size = self.count_short(scale, placeholder.text())?;
            }
            let table = TokenTable::new(scale.divisor(), units, residues)
                .with_placeholders(placeholders)
                .with_unsent(unsent);
            // A report is of the history as it was, not as it might have been.
            let recorded = key.with_recorded_history();
            let known = if *key == recorded { None } else { Some(self.sizes(&recorded, unit)?) };
            let counted = match unit {
                TokenUnit::Provider => Some(self.sizes(&recorded, TokenUnit::Tokenizer(tokenizer))?),
                TokenUnit::Tokenizer(_) => None,
            };
            let carriers = |model: Option<&str>| self.tools.carried.of_model(self.about.format, model);
            let reports = Reports { known: known.as_deref(), counted: counted.as_deref() };
            let fits = &self.counts.fits;
            let mut sizes = BranchSizes::compute(session, &branch.growth, table, &carriers, reports, fits);
            if self.about.format == Format::QwenCode {
                sizes.calibration.begin_unlogged();
            }
            Ok(sizes)
        })
    }

    pub(crate) fn block_units(&self, tokenizer: Tokenizer) -> Result<Vec<u32>, ApiError> {
        self.counts.units_of_blocks(tokenizer, &self.texts, self.places())
    }

    pub(crate) fn media_of_blocks(&self) -> Result<Vec<(BlockPlace, BlockMedia)>, ApiError> {
        let places = media_places(&self.log);
        let media = self.counts.media.of_blocks(&places, &self.texts)?;
        Ok(places.into_iter().zip(media).map(|(place, media)| (place, media.as_ref().clone())).collect())
    }

    /// Returns how counts become sizes on a branch; the provider's factor is what the reports of its recorded history tell.
    pub(crate) fn size_scale(&self, key: &BranchKey, unit: TokenUnit) -> Result<SizeScale, ApiError> {
        let tokenizer = unit.tokenizer();
        let factor = match unit {
            TokenUnit::Provider => {
                let recorded = key.with_declared_marks().with_recorded_history();
                Some(self.sizes(&recorded, TokenUnit::Tokenizer(tokenizer))?.provider.factor())
            }
            TokenUnit::Tokenizer(_) => None,
        };
        Ok(SizeScale { tokenizer, factor })
    }

    fn count_short(&self, scale: SizeScale, text: &str) -> Result<u32, ApiError> {
        Ok(scale.text_units(self.counts.count_short(scale.tokenizer, text)?))
    }

    pub(crate) fn residue_sizes(
        &self,
        growth: &GraphTimeline,
        scale: SizeScale,
    ) -> Result<BTreeMap<EpisodeIdx, u32>, ApiError> {
        let sized = |(idx, episode): (EpisodeIdx, &Episode)| {
            let size = self.count_short(scale, &episode.residue_text()?);
            Some(size.map(|size| (idx, size)))
        };
        growth.graph.episodes().filter_map(sized).collect()
    }

    /// Finds the blocks that are in the log and are not sent, with their sizes: what the log keeps out of the context, and the words
    /// pi writes in place of reasoning that was withheld.
    fn unsent_blocks(
        &self,
        session: &Session,
        units: &[u32],
        scale: SizeScale,
    ) -> Result<BTreeMap<BlockIdx, u32>, ApiError> {
        let all = || (0..session.blocks.len()).map(BlockIdx::new);
        let mut unsent: BTreeMap<BlockIdx, u32> = all()
            .filter(|block| session.is_excluded(*block))
            .map(|block| (block, units[block.at()]))
            .collect();
        if self.about.format == Format::Pi {
            let size = self.count_short(scale, REDACTED_REASONING)?;
            let may_be = |block: &BlockIdx| {
                units[block.at()] == size && session.blocks[block.at()].kind == BlockKind::Reasoning
            };
            for block in all().filter(may_be) {
                if self.block_content(session, block)?.text == REDACTED_REASONING {
                    unsent.insert(block, size);
                }
            }
        }
        Ok(unsent)
    }

    /// Returns the tokens of all texts, pictures and documents of the log, all branches together.
    pub(crate) fn n_tokens(&self, unit: TokenUnit) -> Result<u64, ApiError> {
        let scale = self.size_scale(&BranchKey::CURRENT, unit)?;
        count_log(&self.log, scale, &self.counts, &self.texts, self.places())
    }

    /// Returns the size of the next request with nothing evicted, tokens, and the name of their unit: the provider's where a
    /// factor is known.
    pub fn next_request_size(&self) -> Result<(u64, &'static str), ApiError> {
        let sizes = self.sizes(&BranchKey::CURRENT, TokenUnit::Provider)?;
        let history = sizes.full.last().copied().unwrap_or(0);
        let unlogged = sizes.unlogged_overhead().tokens_at(self.current_branch().session.last_turn());
        let unit = match sizes.provider.fitted.since {
            Some(_) => TokenUnit::Provider,
            None => TokenUnit::Tokenizer(TokenUnit::Provider.tokenizer()),
        };
        Ok((history.saturating_add(unlogged), unit.name()))
    }

    /// Returns what the texts of a branch say, as deep as the policy of a view needs it, worked out once per tokenizer.
    pub fn material(&self, chosen: &ViewSelection) -> Result<Arc<Material>, ApiError> {
        let depth = if chosen.policy_row()?.needs_material { ScanDepth::Digest } else { ScanDepth::Names };
        self.material_of(&chosen.branch, chosen.unit, depth)
    }

    pub(crate) fn material_of(
        &self,
        key: &BranchKey,
        unit: TokenUnit,
        depth: ScanDepth,
    ) -> Result<Arc<Material>, ApiError> {
        let scanned = self.scan_branch(key, unit.tokenizer(), depth)?;
        match unit {
            TokenUnit::Tokenizer(_) => Ok(Arc::clone(&scanned.material)),
            TokenUnit::Provider => self.scaled.get_or_make(&(key.clone(), depth), || {
                Ok(self.size_scale(key, unit)?.scale_material(&scanned.material))
            }),
        }
    }

    pub(crate) fn detail_needs(&self, chosen: &ViewSelection) -> Result<Arc<DetailNeeds>, ApiError> {
        self.needs.get_or_make(&chosen.branch, || {
            let branch = self.branch(&chosen.branch)?;
            let material = self.material_of(&chosen.branch, chosen.unit, ScanDepth::Digest)?;
            let details = scan_details(&branch.session, &self.texts, self.log.header().cwd.as_deref())?;
            Ok(DetailNeeds::find(&branch.session, &material, &details))
        })
    }

    /// Returns the part of the facts that rules of quality read, without the work for the rest: effects and files of calls, and
    /// what the human's words do.
    pub(crate) fn quality_facts(
        &self,
        key: &BranchKey,
        tokenizer: Tokenizer,
    ) -> Result<Arc<Facts>, ApiError> {
        Ok(Arc::clone(&self.scan_branch(key, tokenizer, ScanDepth::Names)?.deeds))
    }

    fn scan_branch(
        &self,
        key: &BranchKey,
        tokenizer: Tokenizer,
        depth: ScanDepth,
    ) -> Result<Arc<BranchTexts>, ApiError> {
        let deepest = self.scanned.get_known(&(key.clone(), tokenizer, ScanDepth::Digest));
        if let Some(known) = deepest {
            return Ok(known);
        }
        self.scanned.get_or_make(&(key.clone(), tokenizer, depth), || {
            let cwd = self.log.header().cwd;
            let branch = self.branch(key)?;
            let windows = WindowTable::of_user(&*self.access);
            material::build_material(
                &branch,
                (&self.texts, &self.counts),
                cwd.as_deref(),
                tokenizer,
                depth,
                &windows,
            )
        })
    }
}

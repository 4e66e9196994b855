//! Annotations: where the episodes of a session come from.
//!
//! The agent's own delimiter calls are one annotation of a session. A list of [`Span`]s is another one: this program
//! infers it, or a reader writes it down afterwards. Graph, replay and policies are the same for all of them; a span
//! begins with its first block and ends with its last one, as a call would at its own place.

use alloc::sync::Arc;
use alloc::vec::Vec;

use strum::{EnumString, IntoStaticStr};

use crate::{BlockIdx, DeclaredKind, EpisodeName};

/// The sources of annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum AnnotationSource {
    /// The agent's own delimiter calls.
    #[default]
    Declared,
    /// This program worked the episodes out of what the agent did.
    Inferred,
    /// The agent's own delimiter calls, and between them what this program worked out.
    Filled,
    /// A person or an agent marked the session afterwards.
    Written,
}

impl AnnotationSource {
    /// Returns the name on the wire: `declared`, `from_inferred`, `from_filled`, `from_written`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One episode of an annotation that is not the agent's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The name; a second one of a name becomes `name#2`.
    pub name: EpisodeName,
    /// The kind.
    pub kind: DeclaredKind,
    /// The first block.
    pub first: BlockIdx,
    /// The last block; `None` while it goes on.
    pub last: Option<BlockIdx>,
    /// The names an act draws on.
    pub dependencies: Vec<EpisodeName>,
    /// The text that says what an exploration found.
    pub description: Option<Arc<str>>,
    /// Why it begins where it does, and how sure that is; of spans this program inferred.
    pub evidence: Option<Arc<Evidence>>,
}

/// The reasons for the start of an inferred episode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// How sure the start is, per mille.
    pub confidence: u16,
    /// The features that speak for it, the strongest first, by their names.
    pub cues: Vec<&'static str>,
}

/// An annotation of one branch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Annotation {
    /// The agent's own delimiter calls.
    #[default]
    Declared,
    /// Episodes that this program inferred.
    Inferred(Arc<[Span]>),
    /// The agent's own episodes as spans, and inferred ones where it marked nothing.
    Filled(Arc<[Span]>),
    /// Episodes that a person or an agent wrote down afterwards.
    Written(Arc<[Span]>),
}

impl Annotation {
    /// Makes an annotation this program inferred; see [`Annotation::from_written`].
    pub fn from_inferred(spans: Vec<Span>) -> Self {
        Self::Inferred(in_order(spans))
    }

    /// Makes an annotation of the agent's own episodes and inferred ones, which have evidence; see [`Annotation::from_written`].
    pub fn from_filled(spans: Vec<Span>) -> Self {
        Self::Filled(in_order(spans))
    }

    /// Makes an annotation that was written afterwards.
    ///
    /// Spans are put in log order; one that begins inside the one before cuts it off there, and a second one with the
    /// same first block is left out.
    pub fn from_written(spans: Vec<Span>) -> Self {
        Self::Written(in_order(spans))
    }

    /// Returns its source.
    pub fn source(&self) -> AnnotationSource {
        match self {
            Self::Declared => AnnotationSource::Declared,
            Self::Inferred(_) => AnnotationSource::Inferred,
            Self::Filled(_) => AnnotationSource::Filled,
            Self::Written(_) => AnnotationSource::Written,
        }
    }

    /// Returns its spans; none for the agent's own delimiter calls.
    pub fn spans(&self) -> Option<&[Span]> {
        match self {
            Self::Declared => None,
            Self::Inferred(spans) | Self::Filled(spans) | Self::Written(spans) => Some(spans),
        }
    }
}

/// Puts spans in log order without overlaps.
fn in_order(mut spans: Vec<Span>) -> Arc<[Span]> {
    spans.retain(|span| span.last.is_none_or(|last| last >= span.first));
    spans.sort_by_key(|span| span.first);
    spans.dedup_by_key(|span| span.first);
    for at in 1..spans.len() {
        let next = spans[at].first;
        // Only the last span may go on for ever.
        if spans[at - 1].last.is_none_or(|last| last >= next) {
            spans[at - 1].last = Some(BlockIdx::new(next.at().saturating_sub(1)));
        }
    }
    spans.into()
}

//! Annotations: the sources of episodes.
//!
//! A session's own annotation is the agent's delimiter calls. Any other annotation is a list of
//! [`Span`]s, inferred by this program or written by a reader. Graph, replay and policies treat
//! all annotations alike: a span begins with its first block and ends with its last, as if a
//! delimiter call stood there.

use alloc::sync::Arc;
use alloc::vec::Vec;

use strum::{EnumString, IntoStaticStr};

use crate::{BlockIdx, DeclaredKind, EpisodeName};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum AnnotationSource {
    /// Delimiter calls by the agent itself.
    #[default]
    Declared,
    /// Inferred by this program from the agent's behaviour.
    Inferred,
    /// The agent's own delimiter calls, with inferred episodes in between.
    Filled,
    /// Written by a person or an agent afterwards.
    Written,
}

impl AnnotationSource {
    /// Returns `declared`, `inferred`, `filled` or `written`, the name on the wire.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One episode of an inferred, filled or written [`Annotation`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// If the name is taken, the episode is called `name#2`.
    pub name: EpisodeName,
    pub kind: DeclaredKind,
    pub first: BlockIdx,
    /// `None` if the span is still open.
    pub last: Option<BlockIdx>,
    /// Names of the explorations an act draws on.
    pub dependencies: Vec<EpisodeName>,
    /// An exploration's findings.
    pub description: Option<Arc<str>>,
    /// Present only if the start was inferred.
    pub evidence: Option<Arc<Evidence>>,
}

/// Reasons for the start of an inferred episode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Confidence in the start, per mille.
    pub confidence: u16,
    /// Names of the supporting features, strongest first.
    pub cues: Vec<&'static str>,
}

/// An annotation of one branch; see [`AnnotationSource`] for the variants.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Annotation {
    #[default]
    Declared,
    Inferred(Arc<[Span]>),
    /// The agent's own episodes as spans, and inferred spans between them.
    Filled(Arc<[Span]>),
    Written(Arc<[Span]>),
}

impl Annotation {
    pub fn from_inferred(spans: Vec<Span>) -> Self {
        Self::Inferred(in_order(spans))
    }

    /// Takes the agent's own episodes and inferred ones together; inferred spans carry evidence.
    pub fn from_filled(spans: Vec<Span>) -> Self {
        Self::Filled(in_order(spans))
    }

    /// Sorts the spans into log order. A span that begins inside the previous one cuts it off
    /// there. A second span with the same first block is dropped.
    pub fn from_written(spans: Vec<Span>) -> Self {
        Self::Written(in_order(spans))
    }

    pub fn source(&self) -> AnnotationSource {
        match self {
            Self::Declared => AnnotationSource::Declared,
            Self::Inferred(_) => AnnotationSource::Inferred,
            Self::Filled(_) => AnnotationSource::Filled,
            Self::Written(_) => AnnotationSource::Written,
        }
    }

    /// Returns `None` for [`Annotation::Declared`].
    pub fn spans(&self) -> Option<&[Span]> {
        match self {
            Self::Declared => None,
            Self::Inferred(spans) | Self::Filled(spans) | Self::Written(spans) => Some(spans),
        }
    }
}

fn in_order(mut spans: Vec<Span>) -> Arc<[Span]> {
    spans.retain(|span| span.last.is_none_or(|last| last >= span.first));
    spans.sort_by_key(|span| span.first);
    spans.dedup_by_key(|span| span.first);
    for at in 1..spans.len() {
        let next = spans[at].first;
        // Only the last span may stay open.
        if spans[at - 1].last.is_none_or(|last| last >= next) {
            spans[at - 1].last = Some(BlockIdx::new(next.at().saturating_sub(1)));
        }
    }
    spans.into()
}

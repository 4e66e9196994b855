//! Annotations: the sources of episodes.
//!
//! A session's own annotation is the agent's delimiter calls. Any other annotation is a list of
//! [`Span`]s, inferred by this program or written by a reader. Graph, replay and policies treat
//! all annotations alike: a span begins with its first block and ends with its last, as if a
//! delimiter call stood there.

use alloc::sync::Arc;
use alloc::vec::Vec;

use strum::{Display, EnumString, IntoStaticStr};

use crate::{BlockIdx, DeclaredKind, EpisodeName};

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, EnumString, IntoStaticStr, Display,
)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema, ts_rs::TS))]
#[strum(serialize_all = "snake_case")]
pub enum AnnotationSource {
    #[default]
    Declared,
    Inferred,
    /// The agent's own delimiter calls, with inferred episodes in between.
    Filled,
    Written,
}

impl AnnotationSource {
    /// Returns `declared`, `inferred`, `filled` or `written`, the name on the wire.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One episode of an [`Annotation`] other than [`Annotation::Declared`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Becomes `name#2` if the name is taken.
    pub name: EpisodeName,
    pub kind: DeclaredKind,
    pub first: BlockIdx,
    /// `None` for an open span.
    pub last: Option<BlockIdx>,
    pub dependencies: Vec<EpisodeName>,
    pub description: Option<Arc<str>>,
    /// `None` unless the start was inferred.
    pub evidence: Option<Arc<Evidence>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Per mille.
    pub confidence: u16,
    /// [`StartFeature`](crate::StartFeature) names, strongest first.
    pub cues: Vec<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Annotation {
    #[default]
    Declared,
    Inferred(Arc<[Span]>),
    Filled(Arc<[Span]>),
    Written(Arc<[Span]>),
}

impl Annotation {
    pub fn from_inferred(spans: Vec<Span>) -> Self {
        Self::Inferred(in_order(spans))
    }

    pub fn from_filled(spans: Vec<Span>) -> Self {
        Self::Filled(in_order(spans))
    }

    /// Sorts `spans` into log order. A span inside the previous one cuts it off there; a second span with
    /// the same first block is dropped.
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

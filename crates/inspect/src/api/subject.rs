//! The subject of a document: which log, under which view.

use std::collections::BTreeMap;

use cwl_engine::AnnotationSource;
use schemars::JsonSchema;
use serde::Serialize;

use super::{AnnotationPresence, BudgetOrigin};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DocumentSubject {
    pub log: String,
    pub format: String,
    pub session: Option<String>,
    pub policy: String,
    pub options: BTreeMap<String, String>,
    pub budget: u64,
    pub budget_source: BudgetOrigin,
    pub tokenizer: String,
    pub annotation: AnnotationPresence,
    pub source: AnnotationSource,
}

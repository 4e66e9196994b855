//! Defaults: what the host was started with.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CutDto, ViewDto};

/// Asks what the host was started with.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct DefaultsRequest {}

/// The session and view that the host was started with and a window opens on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct DefaultsDto {
    /// A path, or the number or id of a known session.
    pub target: Option<String>,
    /// The query of the link that it was started with (`session=…&turn=…`); it says more than the other fields.
    pub link: Option<String>,
    /// The view.
    pub view: ViewDto,
    /// True when the user set the view's budget: then it is the one of every session, whatever a trace says.
    pub budget_given: bool,
    /// The cut.
    pub cut: CutDto,
    /// True plays a sample as if it were being written now.
    pub demo: bool,
}

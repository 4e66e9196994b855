//! Host forms of commands that need no store: their sessions are opened first, and long work can be watched.

use crate::ApiError;
use crate::api::{
    FrontierRequest, ParetoFrontier, SideBySideAnswer, SideBySideRequest, SweepAnswer, SweepRequest,
};
use crate::commands::sweep::sweep_watched;
use crate::commands::{frontier, side_by_side};
use crate::host::inspector::Inspector;

impl Inspector {
    /// Sweeps one policy over budgets, with progress if it takes long.
    ///
    /// # Errors
    /// If the view or a budget is invalid, the sweep is cancelled, or the session cannot be opened.
    pub fn sweep(&self, session: u32, request: &SweepRequest) -> Result<SweepAnswer, ApiError> {
        self.run_watched(session, &self.sweeps, |opened, watch| sweep_watched(opened, request, watch))
    }

    /// Host form of [`frontier()`].
    ///
    /// # Errors
    /// Never; host commands have this signature.
    pub fn frontier(&self, request: FrontierRequest) -> Result<ParetoFrontier, ApiError> {
        Ok(frontier(&request))
    }

    /// Compares two sessions, each opened if needed.
    ///
    /// # Errors
    /// If a view is invalid, a session cannot be opened, or a log's texts cannot be read.
    pub fn side_by_side(&self, request: SideBySideRequest) -> Result<SideBySideAnswer, ApiError> {
        let (a, b) = (self.snapshot_or_open(request.session)?, self.snapshot_or_open(request.other)?);
        side_by_side(&a, &b, &request)
    }
}

//! The store's state, retries, and the user's tables.

use crate::api::{EmptyRequest, Push, StoreAnswer, StoreRequest, TablesAnswer};
use crate::{ApiError, Inspector};

impl Inspector {
    /// Returns the tables in force: prices, models and tools.
    ///
    /// # Errors
    /// Never; problems in the user's files are part of the answer.
    pub fn tables(&self, _: EmptyRequest) -> Result<TablesAnswer, ApiError> {
        Ok(crate::force::tables_in_force())
    }

    /// Returns the store's state, after a retry if the request asks for one.
    ///
    /// # Errors
    /// Never; a failure is part of the answer.
    pub fn store(&self, request: StoreRequest) -> Result<StoreAnswer, ApiError> {
        if !request.retry {
            return Ok(StoreAnswer { trouble: self.stores.current_trouble() });
        }
        let trouble = self.stores.retry_store();
        if trouble.is_none() {
            // The list may have changed, and texts may wait for the search index.
            self.bell.ring();
            self.send_push(Push::Sessions);
        }
        Ok(StoreAnswer { trouble })
    }
}

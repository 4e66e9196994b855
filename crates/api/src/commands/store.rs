//! Whether the store can be used, and trying it again.

use crate::dto::{EmptyRequest, PushDto, StoreDto, StoreRequest, TablesDto};
use crate::{ApiError, Inspector};

impl Inspector {
    /// Tells which tables of prices, models and tools are in force.
    ///
    /// # Errors
    /// None; what is odd about a file of the user's is in the answer.
    pub fn tables(&self, _: EmptyRequest) -> Result<TablesDto, ApiError> {
        Ok(crate::tables::force::tables_in_force())
    }

    /// Tells whether the store can be used; tries it again first where that is asked for.
    ///
    /// # Errors
    /// None; what is the matter is the answer.
    pub fn store(&self, request: StoreRequest) -> Result<StoreDto, ApiError> {
        if !request.retry {
            return Ok(StoreDto { trouble: self.stores.current_trouble() });
        }
        let trouble = self.stores.retry_store();
        if trouble.is_none() {
            // Other logs are listed now, and texts wait for the search index.
            self.bell.ring();
            self.send_push(PushDto::Sessions);
        }
        Ok(StoreDto { trouble })
    }
}

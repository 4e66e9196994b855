//! Whether the store can be used, and trying it again.

use crate::dto::{PushDto, StoreDto, StoreRequest};
use crate::{ApiError, Inspector};

impl Inspector {
    /// Tells whether the store can be used; tries it again first where that is asked for.
    ///
    /// # Errors
    /// None; what is the matter is the answer.
    pub fn store(&self, request: StoreRequest) -> Result<StoreDto, ApiError> {
        if !request.retry {
            return Ok(StoreDto { trouble: self.stores.trouble() });
        }
        let trouble = self.stores.retry();
        if trouble.is_none() {
            // Other logs are listed now, and texts wait for the search index.
            self.bell.ring();
            self.push(PushDto::Sessions);
        }
        Ok(StoreDto { trouble })
    }
}

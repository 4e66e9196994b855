//! Whether the store can be used, and trying it again.

use std::sync::Arc;

use crate::dto::{PushDto, StoreDto, StoreRequest};
use crate::{ApiError, Inspector};

impl Inspector {
    /// Tells whether the store can be used; tries it again first where that is asked for.
    ///
    /// # Errors
    /// None; what is the matter is the answer.
    pub async fn store(self: &Arc<Self>, request: StoreRequest) -> Result<StoreDto, ApiError> {
        self.blocking(move |host| {
            if !request.retry {
                return Ok(StoreDto { trouble: host.stores.trouble() });
            }
            let trouble = host.stores.retry();
            if trouble.is_none() {
                // Other logs are listed now, and texts wait for the search index.
                host.bell.ring();
                host.push(PushDto::Sessions);
            }
            Ok(StoreDto { trouble })
        })
        .await
    }
}

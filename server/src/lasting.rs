//! Whether what let somebody in still would: asked by whatever goes on after its request was answered.

use contracts::Answer;
use std::sync::Arc;

/// Of one credential that may end while it is in use; what lasts as long as the process has none. The door that checked it puts it into
/// the request.
#[derive(Clone)]
pub struct Lasting(Arc<dyn Fn() -> Answer<'static, bool> + Send + Sync>);

impl Lasting {
    /// By asking this.
    pub fn new(asked: impl Fn() -> Answer<'static, bool> + Send + Sync + 'static) -> Lasting {
        Lasting(Arc::new(asked))
    }

    /// Whether it has ended. Where that can't be read just now, it has not.
    pub async fn has_ended(&self) -> bool {
        matches!((self.0)().await, Ok(false))
    }
}

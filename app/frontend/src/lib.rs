//! What the browser loads: one function that takes over the page the server rendered, and nothing else.

/// Takes over the page.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    app::hydrate();
}

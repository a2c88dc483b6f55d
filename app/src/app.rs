//! The app: its routes, and what every page finds in its context.

use crate::pages::main::Main;
use crate::pages::missing::Missing;
use crate::{Base, Icons};
use leptos::prelude::*;
use leptos_meta::provide_meta_context;
use leptos_router::SsrMode;
use leptos_router::components::{ParentRoute, Route, Router, Routes};
use leptos_router::path;

/// The whole app, on the server and in the browser.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    #[cfg(feature = "hydrate")]
    {
        let base = crate::browser::base();
        provide_context(crate::Port(std::sync::Arc::new(crate::port::http::HttpBoard::new(&base))));
        provide_context(Icons(crate::browser::icons()));
        provide_context(crate::browser::theme());
        provide_context(Base(base));
    }
    let _ = use_context::<Icons>();
    let base = Base::here().0;
    view! {
        <Router base=base>
            <Routes fallback=|| view! { <Missing/> }>
                <ParentRoute path=path!("") view=Main ssr=SsrMode::Async>
                    <Route path=path!("") view=|| () ssr=SsrMode::Async/>
                    <Route path=path!("t/:id") view=|| () ssr=SsrMode::Async/>
                    <Route path=path!("activity") view=|| () ssr=SsrMode::Async/>
                    <Route path=path!("reports") view=|| () ssr=SsrMode::Async/>
                    <Route path=path!("reports/:label") view=|| () ssr=SsrMode::Async/>
                    <Route path=path!("settings") view=|| () ssr=SsrMode::Async/>
                </ParentRoute>
            </Routes>
        </Router>
    }
}

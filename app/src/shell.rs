//! The document around the app. It starts the app with a module script of its own, because the stock one reads files by paths
//! relative to the working directory, which is the user's repository.

use crate::{App, Assets, Base, Here, Icons, Theme};
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use leptos_meta::MetaTags;

/// The document. Wants [`Theme`] in context where the request had its cookie; provides [`Base`] and [`Icons`].
pub fn shell(assets: Assets) -> impl IntoView {
    let theme = use_context::<Theme>().unwrap_or_default();
    let here = use_context::<Here>().map(|here| here.0);
    let icons = Assets::address(&assets.icons);
    provide_context(Base(assets.base.clone()));
    provide_context(Icons(icons.clone()));
    let (js, wasm) = (Assets::address(&assets.js), Assets::address(&assets.wasm));
    let start = (!js.is_empty()).then(|| {
        let script = format!("import init,{{hydrate}} from '{js}';await init({{module_or_path:'{wasm}'}});hydrate();");
        view! {
            <link rel="modulepreload" href=js.clone()/>
            <link rel="preload" href=wasm.clone() r#as="fetch" r#type="application/wasm" crossorigin="anonymous"/>
            <script type="module" nonce=use_nonce() inner_html=script></script>
        }
    });
    view! {
        <!DOCTYPE html>
        <html lang="en" data-base=assets.base.clone() data-icons=icons data-theme=theme.as_str() data-here=here>
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <link rel="stylesheet" href=Assets::address(&assets.css)/>
                <link rel="icon" type="image/svg+xml" href=Assets::address(&assets.favicon)/>
                {start}
                <MetaTags/>
            </head>
            <body>
                <App/>
            </body>
        </html>
    }
}

//! What pages find in their context: where things are, how the page looks, and what a server does for them.

use leptos::prelude::*;
use std::sync::Arc;

/// Names of the browser's files, each the last part of `/pkg/<name>` (or a whole path), and the path the pages live under.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assets {
    /// The module that starts the app; empty in a binary without its UI.
    pub js: String,
    /// The app itself.
    pub wasm: String,
    /// All styles.
    pub css: String,
    /// The sprite of icons and states.
    pub icons: String,
    /// The page's icon.
    pub favicon: String,
    /// What every in-app path starts with: empty, or `/p/<slug>`.
    pub base: String,
}

impl Assets {
    /// The address of a file.
    pub fn address(name: &str) -> String {
        if name.is_empty() || name.starts_with('/') { name.to_owned() } else { format!("/pkg/{name}") }
    }
}

/// What every in-app path starts with: empty, or `/p/<slug>`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Base(pub String);

impl Base {
    /// The one of this page.
    pub fn here() -> Base {
        use_context().unwrap_or_default()
    }

    /// An in-app path below it.
    pub fn path(&self, rest: &str) -> String {
        format!("{}{rest}", self.0)
    }

    /// The page of a task, with the look at the board behind it (see [`crate::look::Look::query`]).
    pub fn task(&self, id: &str, query: &str) -> String {
        format!("{}/t/{id}{}", self.0, Base::query(query))
    }

    /// A part of the page of a task, by its word; the first needs none.
    pub fn tab(&self, id: &str, query: &str, tab: &str) -> String {
        let task = self.task(id, query);
        if tab == "thread" { task } else { format!("{task}{}tab={tab}", if query.is_empty() { '?' } else { '&' }) }
    }

    /// The page of a task with what was said before a place of its thread.
    pub fn task_before(&self, id: &str, cursor: &str) -> String {
        format!("{}/t/{id}?before={}#tabs", self.0, crate::words::encoded(cursor))
    }

    /// The board, looked at so.
    pub fn board(&self, query: &str) -> String {
        format!("{}/{}", self.0, Base::query(query))
    }

    fn query(query: &str) -> String {
        if query.is_empty() { String::new() } else { format!("?{query}") }
    }
}

/// The address of the sprite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Icons(pub String);

/// How the page looks: as the system, light or dark. Kept in a cookie so that the server renders it right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// The cookie's name.
    pub const COOKIE: &'static str = "callboard-theme";
    /// All three, in the order of the switch.
    pub const ALL: [Theme; 3] = [Theme::System, Theme::Light, Theme::Dark];

    /// The word in the cookie and on `<html data-theme>`.
    pub fn as_str(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// Reads the word; anything else is the system.
    pub fn parse(word: &str) -> Theme {
        Theme::ALL.into_iter().find(|theme| theme.as_str() == word).unwrap_or_default()
    }

    /// The cookie that keeps it for a year.
    pub fn cookie(self) -> String {
        format!("{}={}; Path=/; Max-Age=31536000; SameSite=Lax", Theme::COOKIE, self.as_str())
    }

    /// Reads a `Cookie` header.
    pub fn from_cookies(header: &str) -> Theme {
        let value = header.split(';').find_map(|pair| pair.trim().strip_prefix(Theme::COOKIE)?.strip_prefix('='));
        Theme::parse(value.unwrap_or_default())
    }
}

/// What every form's idempotency key starts with on this rendering of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormKey(pub String);

impl FormKey {
    /// The key of the form at a place of the page; empty when the server gave none.
    pub fn at(place: &str) -> String {
        match use_context::<FormKey>() {
            Some(FormKey(key)) if !key.is_empty() => format!("{key}-{place}"),
            _ => String::new(),
        }
    }
}

/// The address a page is of, where its request went to another one: a refused form is answered by the page it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Here(pub String);

/// Sets the HTTP status of the page that is being rendered.
#[derive(Clone)]
pub struct SetStatus(pub Arc<dyn Fn(u16) + Send + Sync>);

impl SetStatus {
    /// Sets it, where there is a server to do so.
    pub fn to(status: u16) {
        if let Some(SetStatus(set)) = use_context() {
            set(status);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_theme_is_read_from_the_right_cookie_only() {
        for (header, theme) in [
            ("", Theme::System),
            ("callboard-theme=dark", Theme::Dark),
            ("a=b; callboard-theme=light; c=d", Theme::Light),
            ("callboard-theme2=dark", Theme::System),
            ("xcallboard-theme=dark", Theme::System),
            ("callboard-theme=\"><script>", Theme::System),
        ] {
            assert_eq!(Theme::from_cookies(header), theme, "{header}");
        }
    }

    #[test]
    fn a_file_is_named_or_addressed() {
        assert_eq!(Assets::address("app.1.css"), "/pkg/app.1.css");
        assert_eq!(Assets::address("/x/app.css"), "/x/app.css");
        assert_eq!(Assets::address(""), "");
    }
}

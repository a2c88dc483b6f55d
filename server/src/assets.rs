//! The browser's files inside the binary: found by their hashed names, handed out as they were compressed by the build.
//!
//! Invariant: a name carries the hash of its content, so what is under a name never changes and may be kept for ever.

use std::borrow::Cow;

use rust_embed::RustEmbed;

mod built {
    include!(concat!(env!("OUT_DIR"), "/assets.rs"));
}

#[derive(RustEmbed)]
#[folder = "$OUT_DIR/site"]
struct Site;

/// The files a page refers to, each the last part of `/pkg/<name>`. All empty in a binary that was built without its UI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names {
    /// The module that starts the app.
    pub js: &'static str,
    /// The app itself.
    pub wasm: &'static str,
    /// All styles.
    pub css: &'static str,
    /// The sprite of icons and states.
    pub icons: &'static str,
    /// The page's icon.
    pub favicon: &'static str,
    /// Package version and hash of the assets: `hello.version`.
    pub build: &'static str,
}

/// The names this binary was built with.
pub const fn names() -> Names {
    Names { js: built::JS, wasm: built::WASM, css: built::CSS, icons: built::ICONS, favicon: built::FAVICON, build: built::BUILD }
}

/// Whether this binary holds a UI (`CALLBOARD_UI=skip` leaves it out).
pub const fn built_in() -> bool {
    !built::JS.is_empty()
}

/// One file as it goes over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    /// The body, compressed as `content_encoding` says.
    pub bytes: Cow<'static, [u8]>,
    /// The `Content-Type`.
    pub content_type: &'static str,
    /// The `Content-Encoding`; none for the file as it is.
    pub content_encoding: Option<&'static str>,
    /// A strong `ETag`, quoted; each encoding has its own.
    pub etag: String,
}

/// The file of this name, in the smallest stored form the client takes. `accept_encoding` is the request's header, where there is
/// one. The answer depends on it, so it is sent with `Vary: Accept-Encoding`.
pub fn get(name: &str, accept_encoding: Option<&str>) -> Option<Asset> {
    let content_type = content_type(name)?;
    let accepted = accept_encoding.unwrap_or_default();
    let stored = [("br", "br"), ("gzip", "gz")].into_iter().find_map(|(coding, suffix)| {
        let file = accepts(accepted, coding).then(|| Site::get(&format!("{name}.{suffix}")))??;
        Some((file, Some(coding)))
    });
    let (file, content_encoding) = match stored {
        Some(stored) => stored,
        None => (Site::get(name)?, None),
    };
    let etag = format!("\"{name}{}\"", content_encoding.map(|coding| format!("-{coding}")).unwrap_or_default());
    Some(Asset { bytes: file.data, content_type, content_encoding, etag })
}

/// By extension. A name without a known one is not a file of ours, which keeps the compressed forms from being asked for by name.
fn content_type(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "js" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "json" | "webmanifest" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        _ => return None,
    })
}

/// Whether an `Accept-Encoding` header takes this coding: named or covered by `*`, and not with `q=0`.
fn accepts(header: &str, coding: &str) -> bool {
    let mut by_star = false;
    for part in header.split(',') {
        let mut parameters = part.split(';').map(str::trim);
        let name = parameters.next().unwrap_or_default();
        let refused = parameters.any(|parameter| {
            let (key, value) = parameter.split_once('=').unwrap_or_default();
            key.trim().eq_ignore_ascii_case("q") && value.trim().parse::<f32>().is_ok_and(|weight| weight <= 0.0)
        });
        if name.eq_ignore_ascii_case(coding) {
            return !refused;
        }
        by_star |= name == "*" && !refused;
    }
    by_star
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coding_is_taken_when_named_or_covered_and_not_refused() {
        for (header, coding, taken) in [
            ("gzip, deflate, br, zstd", "br", true),
            ("gzip, deflate", "br", false),
            ("BR", "br", true),
            ("br;q=0, gzip", "br", false),
            ("br; q=0.000", "br", false),
            ("br;q=0.5", "br", true),
            ("*", "gzip", true),
            ("*;q=0", "gzip", false),
            ("*, gzip;q=0", "gzip", false),
            ("gzip;q=0, *", "gzip", false),
            ("brr", "br", false),
            ("", "br", false),
        ] {
            assert_eq!(accepts(header, coding), taken, "{header:?} for {coding}");
        }
    }

    #[test]
    fn a_name_that_is_no_file_finds_nothing() {
        for name in ["", ".", "../assets.rs", "/etc/passwd", "app.js", "app.0000000000000000.js", "no-extension"] {
            assert_eq!(get(name, Some("br")), None, "{name:?}");
        }
    }

    #[test]
    fn compressed_forms_are_not_addresses_of_their_own() {
        for name in Site::iter().filter(|name| name.ends_with(".br") || name.ends_with(".gz")) {
            assert_eq!(get(&name, None), None, "{name}");
        }
    }

    #[test]
    fn every_name_is_a_file_in_each_form_the_client_takes() {
        let names = names();
        assert!(names.build.starts_with(env!("CARGO_PKG_VERSION")));
        if !built_in() {
            assert_eq!(Site::iter().count(), 0, "without a UI nothing is embedded");
            return;
        }
        for name in [names.js, names.wasm, names.css, names.icons, names.favicon] {
            let plain = get(name, None).expect(name);
            let packed = get(name, Some("gzip, br")).expect(name);
            assert_eq!(packed.content_encoding, Some("br"), "{name}");
            assert!(packed.bytes.len() < plain.bytes.len(), "{name}");
            assert_ne!(packed.etag, plain.etag, "{name}");
            assert_eq!(get(name, Some("gzip")).expect(name).content_encoding, Some("gzip"), "{name}");
        }
    }
}

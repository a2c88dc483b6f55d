//! Rows that only show something, as text for `inner_html`: a menu of forty labels needs no forty live nodes, and the browser's half
//! stays small. Whatever somebody wrote goes through [`escaped`] here and nowhere else.

use crate::Icons;
use crate::components::icon::Shape;
use crate::words::escaped;
use leptos::prelude::*;

/// Writes rows with the page's icons.
#[derive(Clone, Debug, Default)]
pub struct Markup(String);

impl Markup {
    /// With the icons of this page.
    pub fn here() -> Markup {
        let Icons(sprite) = use_context().unwrap_or_default();
        Markup(escaped(&sprite))
    }

    /// With the icons of a file, by its name or path.
    pub fn with_icons(sprite: &str) -> Markup {
        Markup(escaped(&crate::Assets::address(sprite)))
    }

    /// A small icon that decorates.
    pub fn icon(&self, name: &str) -> String {
        format!("<svg class=\"icon\" data-size=\"sm\" aria-hidden=\"true\"><use href=\"{}#{name}\"></use></svg>", self.0)
    }

    /// A state's glyph.
    pub fn glyph(&self, shape: Shape) -> String {
        format!("<svg class=\"glyph\" data-state=\"{}\" aria-hidden=\"true\"><use href=\"{}#{}\"></use></svg>", shape.state, self.0, shape.symbol)
    }

    /// A row that can be ticked: its id, where it leads, what it says.
    pub fn pick(&self, id: &str, href: &str, name: &str, on: bool, round: bool) -> String {
        let (state, shape) = (if on { " data-ticked" } else { "" }, if round { " data-round" } else { "" });
        let (mark, said) = if on { (self.icon("s-done"), "<span class=\"only-read\">, on</span>") } else { (String::new(), "") };
        let state = if round { "" } else { state };
        format!(
            "<a id=\"{}\" href=\"{}\"{state}><span class=\"tickbox\"{shape} aria-hidden=\"true\">{mark}</span><span dir=\"auto\">{}</span>{said}</a>",
            escaped(id),
            escaped(href),
            escaped(name)
        )
    }
}

/// Which row was pressed, by its `data-at`.
pub fn row_of(event: &web_sys::MouseEvent) -> Option<usize> {
    crate::browser::pressed(event, "data-at")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_wrote_is_text_in_a_row() {
        let row = Markup("icons.svg".into()).pick("p-\"1", "/?q=\"><b>", "<i>x</i>", true, false);
        assert!(!row.contains("<b>") && !row.contains("<i>") && row.contains("&lt;i&gt;x&lt;/i&gt;"), "{row}");
        assert!(row.contains("data-ticked") && row.contains("href=\"/?q=&quot;&gt;&lt;b&gt;\""), "{row}");
    }
}

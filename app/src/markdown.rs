//! Markdown as safe HTML, on the server alone. Text from outside never becomes markup: HTML is shown as text, links lead to http,
//! https, mailto and in-app paths only, pictures become links, headings start at h3, and nothing gets an id.

use crate::words::escaped;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// The attributes of every link, in one piece.
const LINK_REL: &str = "noopener noreferrer nofollow";

/// Renders markdown as HTML that may be put into a page as it is.
pub fn render(text: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut open_links: Vec<bool> = Vec::new();
    html::push_html(&mut out, Parser::new_ext(text, options).flat_map(|event| safe(event, &mut open_links)));
    out
}

fn safe<'a>(event: Event<'a>, open_links: &mut Vec<bool>) -> Vec<Event<'a>> {
    match event {
        Event::Html(raw) | Event::InlineHtml(raw) => vec![Event::Text(raw)],
        Event::Start(Tag::HtmlBlock) => vec![Event::Start(Tag::Paragraph)],
        Event::End(TagEnd::HtmlBlock) => vec![Event::End(TagEnd::Paragraph)],
        Event::Start(Tag::Link { dest_url, .. }) => open_link(&dest_url, open_links, "").into_iter().collect(),
        Event::Start(Tag::Image { dest_url, .. }) => open_link(&dest_url, open_links, "picture: ").into_iter().collect(),
        Event::End(TagEnd::Link | TagEnd::Image) => {
            if open_links.pop().unwrap_or(false) {
                vec![Event::InlineHtml(CowStr::Borrowed("</a>"))]
            } else {
                Vec::new()
            }
        }
        Event::Start(Tag::Heading { level, .. }) => {
            vec![Event::Start(Tag::Heading { level: lowered(level), id: None, classes: Vec::new(), attrs: Vec::new() })]
        }
        Event::End(TagEnd::Heading(level)) => vec![Event::End(TagEnd::Heading(lowered(level)))],
        Event::Start(Tag::CodeBlock(_)) => vec![Event::InlineHtml(CowStr::Borrowed("<pre tabindex=\"0\"><code>"))],
        Event::End(TagEnd::CodeBlock) => vec![Event::InlineHtml(CowStr::Borrowed("</code></pre>\n"))],
        Event::TaskListMarker(done) => vec![Event::Text(CowStr::Borrowed(if done { "☑ " } else { "☐ " }))],
        other => vec![other],
    }
}

fn open_link<'a>(address: &str, open_links: &mut Vec<bool>, before: &str) -> Option<Event<'a>> {
    let good = allowed(address);
    open_links.push(good);
    good.then(|| Event::InlineHtml(format!("<a class=\"link\" href=\"{}\" rel=\"{LINK_REL}\">{before}", escaped(address)).into()))
}

/// Whether a link may lead there. Browsers drop tabs, line ends and leading controls from an address before reading its scheme, so an
/// address with any is refused rather than cleaned.
fn allowed(address: &str) -> bool {
    if address.chars().any(|character| character.is_control() || character.is_whitespace()) || address.contains('\\') {
        return false;
    }
    let lower = address.to_ascii_lowercase();
    ["http://", "https://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme)) || (address.starts_with('/') && !address.starts_with("//"))
}

fn lowered(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H3,
        HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        _ => HeadingLevel::H6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_markdown_is_rendered() {
        assert_eq!(render("# A\n\nb `c` **d**"), "<h3>A</h3>\n<p>b <code>c</code> <strong>d</strong></p>\n");
        assert_eq!(
            render("[x](https://a.b/?q=1&r=2)"),
            "<p><a class=\"link\" href=\"https://a.b/?q=1&amp;r=2\" rel=\"noopener noreferrer nofollow\">x</a></p>\n"
        );
        assert!(render("[t](/t/tk-4f2a9c)").contains("href=\"/t/tk-4f2a9c\""));
        assert!(render("| a | b |\n|---|---|\n| 1 | 2 |").contains("<tbody>"));
        assert!(render("- [x] done").contains('☑'));
    }

    #[test]
    fn html_is_text() {
        for hostile in [
            "<script>alert(1)</script>",
            "hello <img src=x onerror=alert(1)> there",
            "<div onclick=\"x\">\n\nhi\n\n</div>",
            "<!-- --><svg/onload=alert(1)>",
            "<a href=\"javascript:alert(1)\">x</a>",
            "<style>*{}</style>",
            "<iframe src=//evil>",
            "<?php x ?>",
            "<![CDATA[ <b> ]]>",
            "```<script>\n</code></pre><script>alert(1)</script>\n```",
            "``` \"><script>\nx\n```",
        ] {
            let html = render(hostile);
            for tag in ["<script", "<img", "<div", "<svg", "<a ", "<style", "<iframe", "<?", "<!"] {
                assert!(!html.contains(tag), "{hostile} became {html}");
            }
        }
    }

    #[test]
    fn links_lead_only_where_they_may() {
        for hostile in [
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt:alert(1))",
            "[x](java&#115;cript:alert(1))",
            "[x](&#106;avascript:alert(1))",
            "[x](java&Tab;script:alert(1))",
            "[x](<java\tscript:alert(1)>)",
            "[x](<\u{1}javascript:alert(1)>)",
            "[x](data:text/html;base64,PHNjcmlwdD4=)",
            "[x](vbscript:x)",
            "[x](//evil.example)",
            "[x](/\\evil.example)",
            "[x](<\u{a0}javascript:alert(1)>)",
            "[x](javascript&colon;alert(1))",
            "![x](javascript:alert(1))",
            "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
            "<javascript:alert(1)>",
            "[x][1]\n\n[1]: javascript:alert(1)",
            "[x](file:///etc/passwd)",
            "[x](relative)",
            "[x](#anchor)",
        ] {
            let html = render(hostile);
            assert!(!html.contains("href"), "{hostile} became {html}");
            assert!(!html.contains("src="), "{hostile} became {html}");
        }
    }

    #[test]
    fn an_address_cannot_leave_its_attribute() {
        let html = render("[x](<https://a\"onmouseover=alert(1)>)");
        assert!(html.contains("&quot;onmouseover") && !html.contains("\"onmouseover"), "{html}");
        let html = render("![\"><script>](https://a/b.png \"title\\\"><script>\")");
        assert!(!html.contains("<script") && !html.contains("<img") && html.contains("picture: "), "{html}");
    }

    #[test]
    fn headings_have_no_id_and_start_at_three() {
        let html = render("# a {#id .class onclick=x}\n\n###### f");
        assert!(html.contains("<h3>") && html.contains("<h6>") && !html.contains("id="), "{html}");
    }

    #[test]
    fn links_inside_links_stay_balanced() {
        let html = render("[![a](javascript:x)](https://b) [c](https://d) ![e](https://f)");
        assert_eq!(html.matches("<a ").count(), html.matches("</a>").count(), "{html}");
    }
}

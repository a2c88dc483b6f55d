//! The few things a page asks of its browser. Nothing here is called while rendering on a server; it compiles there so that pages
//! need no conditions.

use contracts::Moment;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlFormElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};

/// An attribute of `<html>`: how the server tells the page where things are.
fn of_html(name: &str) -> String {
    document().document_element().and_then(|html| html.get_attribute(name)).unwrap_or_default()
}

/// What every in-app path starts with.
pub fn base() -> String {
    of_html("data-base")
}

/// The address of the sprite.
pub fn icons() -> String {
    of_html("data-icons")
}

/// How the page looks now.
pub fn theme() -> crate::Theme {
    crate::Theme::parse(&of_html("data-theme"))
}

/// Changes how the page looks, here and on the next visit.
pub fn set_theme(theme: crate::Theme) {
    if let Some(html) = document().document_element() {
        let _ = html.set_attribute("data-theme", theme.as_str());
    }
    if let Some(document) = document().dyn_ref::<web_sys::HtmlDocument>() {
        let _ = document.set_cookie(&theme.cookie());
    }
}

/// Milliseconds of this browser's clock: for lengths of time only.
pub fn now_ms() -> i64 {
    js_sys::Date::now() as i64
}

/// This browser's clock as a moment; the store corrects it by the server's.
pub fn now() -> Moment {
    Moment(now_ms())
}

/// A fresh idempotency key.
pub fn key() -> String {
    let part = || (js_sys::Math::random() * 9_007_199_254_740_992.0) as u64;
    format!("w{:x}{:x}", part(), part())
}

/// `ws://host/path` for a path of this page's server.
pub fn socket_address(path: &str) -> String {
    let location = window().location();
    let scheme = if location.protocol().is_ok_and(|protocol| protocol == "https:") { "wss" } else { "ws" };
    format!("{scheme}://{}{path}", location.host().unwrap_or_default())
}

/// Whether the machine's keyboard has a ⌘.
pub fn is_apple() -> bool {
    window().navigator().platform().is_ok_and(|platform| platform.starts_with("Mac") || platform.starts_with("iP"))
}

/// Whether the tab is looked at.
pub fn visible() -> bool {
    document().visibility_state() == web_sys::VisibilityState::Visible
}

/// Hears an event of the window for as long as the page lives.
pub fn listen_window(name: &'static str, heard: impl FnMut(web_sys::Event) + 'static) {
    let closure = leptos::wasm_bindgen::closure::Closure::<dyn FnMut(web_sys::Event)>::new(heard);
    let _ = window().add_event_listener_with_callback(name, closure.as_ref().unchecked_ref());
    closure.forget();
}

/// Hears an event of the document for as long as the page lives.
pub fn listen_document(name: &'static str, heard: impl FnMut(web_sys::Event) + 'static) {
    let closure = leptos::wasm_bindgen::closure::Closure::<dyn FnMut(web_sys::Event)>::new(heard);
    let _ = document().add_event_listener_with_callback(name, closure.as_ref().unchecked_ref());
    closure.forget();
}

/// The element of an id.
pub fn element(id: &str) -> Option<HtmlElement> {
    document().get_element_by_id(id).and_then(|element| element.dyn_into().ok())
}

/// Moves the focus.
pub fn focus(id: &str) {
    if let Some(element) = element(id) {
        let _ = element.focus();
    }
}

/// Moves the focus once the page shows what was just changed.
pub fn focus_soon(id: String) {
    request_animation_frame(move || request_animation_frame(move || focus(&id)));
}

/// The card the focus is in, by its task's id.
pub fn focused_card() -> Option<String> {
    let card = document().active_element()?.closest("[data-card]").ok()??;
    card.get_attribute("data-card")
}

/// Whether the focus is where text is written.
pub fn typing() -> bool {
    let Some(active) = document().active_element() else { return false };
    let pressed =
        active.dyn_ref::<web_sys::HtmlInputElement>().is_some_and(|input| matches!(input.type_().as_str(), "checkbox" | "radio" | "button" | "submit"));
    let name = active.tag_name();
    !pressed && matches!(name.as_str(), "INPUT" | "TEXTAREA" | "SELECT") || active.has_attribute("contenteditable")
}

/// Whether anything written on the page is not sent yet.
pub fn has_unsent() -> bool {
    let Ok(fields) = document().query_selector_all("textarea, input[type=text], input:not([type])") else { return false };
    (0..fields.length()).filter_map(|place| fields.item(place)).any(|field| {
        if let Some(area) = field.dyn_ref::<web_sys::HtmlTextAreaElement>() {
            return area.default_value().is_ok_and(|default| area.value() != default);
        }
        field.dyn_ref::<web_sys::HtmlInputElement>().is_some_and(|input| input.value() != input.default_value())
    })
}

/// What stands before the caret of a field.
pub fn before_caret(area: &HtmlTextAreaElement) -> String {
    let units: Vec<u16> = area.value().encode_utf16().collect();
    let caret = area.selection_start().ok().flatten().and_then(|at| usize::try_from(at).ok()).unwrap_or(units.len()).min(units.len());
    String::from_utf16_lossy(&units[..caret])
}

/// Writes a text at the caret in the place of so many bytes of ASCII before it.
pub fn insert(area: &HtmlTextAreaElement, replaced: usize, text: &str) {
    let caret = area.selection_start().ok().flatten().unwrap_or(0);
    let start = caret.saturating_sub(u32::try_from(replaced).unwrap_or(0));
    let _ = area.set_range_text_with_start_and_end_and_mode(text, start, caret, "end");
    let _ = area.focus();
}

/// Keeps a text in this browser; an empty one is forgotten.
pub fn keep(name: &str, text: &str) {
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = if text.is_empty() { storage.remove_item(name) } else { storage.set_item(name, text) };
    }
}

/// A text kept in this browser.
pub fn kept(name: &str) -> Option<String> {
    window().local_storage().ok().flatten().and_then(|storage| storage.get_item(name).ok().flatten())
}

/// Puts a text on the clipboard.
pub fn copy(text: &str) {
    let _ = window().navigator().clipboard().write_text(text);
}

/// The fields of a form in order, with the button that sent it.
pub fn fields(event: &web_sys::SubmitEvent) -> Vec<(String, String)> {
    let Some(form) = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlFormElement>().ok()) else { return Vec::new() };
    let mut fields = Vec::new();
    if let Ok(data) = web_sys::FormData::new_with_form(&form)
        && let Ok(Some(entries)) = js_sys::try_iter(&data)
    {
        for entry in entries.flatten() {
            let pair = js_sys::Array::from(&entry);
            if let (Some(name), Some(value)) = (pair.get(0).as_string(), pair.get(1).as_string()) {
                fields.push((name, value));
            }
        }
    }
    if let Some(button) = event.submitter()
        && let (Some(name), Some(value)) = (button.get_attribute("name"), button.get_attribute("value"))
    {
        fields.push((name, value));
    }
    fields
}

/// The form that was sent.
pub fn form_of(event: &web_sys::SubmitEvent) -> Option<HtmlFormElement> {
    event.target().and_then(|target| target.dyn_into().ok())
}

/// Empties a form.
pub fn reset(event: &web_sys::SubmitEvent) {
    if let Some(form) = form_of(event) {
        form.reset();
    }
}

/// The first form inside an element.
pub fn form_in(element: &HtmlElement) -> Option<HtmlFormElement> {
    element.query_selector("form").ok().flatten().and_then(|form| form.dyn_into().ok())
}

fn field_of(form: &HtmlFormElement, name: &str) -> Option<web_sys::Element> {
    form.query_selector(&format!("[name='{name}']")).ok().flatten()
}

/// What a field of a form holds.
pub fn value_of(form: &HtmlFormElement, name: &str) -> Option<String> {
    let field = field_of(form, name)?;
    if let Some(area) = field.dyn_ref::<HtmlTextAreaElement>() {
        return Some(area.value());
    }
    if let Some(select) = field.dyn_ref::<HtmlSelectElement>() {
        return Some(select.value());
    }
    field.dyn_ref::<HtmlInputElement>().map(HtmlInputElement::value)
}

/// Writes fields of a form; names it has no field for are passed over.
pub fn fill(form: &HtmlFormElement, values: &[(&'static str, String)]) {
    for (name, value) in values {
        let Some(field) = field_of(form, name) else { continue };
        if let Some(area) = field.dyn_ref::<HtmlTextAreaElement>() {
            area.set_value(value);
        } else if let Some(select) = field.dyn_ref::<HtmlSelectElement>() {
            select.set_value(value);
        } else if let Some(input) = field.dyn_ref::<HtmlInputElement>() {
            input.set_value(value);
        }
    }
}

/// Moves the focus to the first thing inside that can be changed or pressed and is seen: what is chosen already, if anything is.
pub fn focus_in(element: &web_sys::Element) {
    let all = |what: &str| {
        let found = element.query_selector_all(what).ok();
        (0..found.as_ref().map_or(0, web_sys::NodeList::length)).filter_map(move |place| found.as_ref()?.item(place)?.dyn_into::<HtmlElement>().ok())
    };
    let seen = |element: &HtmlElement| element.offset_parent().is_some();
    let first = all("[aria-current]").find(seen).or_else(|| all("input, textarea, select, button:not(:disabled), li summary").find(seen));
    if let Some(first) = first {
        let _ = first.focus();
    }
}

/// Unfolds what an id names, and moves the focus into it. Says whether it is there.
pub fn unfold(id: &str) -> bool {
    let Some(details) = element(id) else { return false };
    let _ = details.set_attribute("open", "");
    keep_in_view(&details);
    request_animation_frame(move || focus_in(&details));
    true
}

/// Folds what an id names, the focus on what unfolds it again.
pub fn fold(id: &str) {
    if let Some(details) = element(id) {
        fold_up(&details);
    }
}

/// As [`fold`], of an element.
pub fn fold_up(details: &web_sys::Element) {
    let _ = details.remove_attribute("open");
    if let Some(summary) = details.query_selector("summary").ok().flatten().and_then(|summary| summary.dyn_into::<HtmlElement>().ok()) {
        let _ = summary.focus();
    }
}

/// Loads another page.
pub fn load(address: &str) {
    let _ = window().location().assign(address);
}

/// How far the page is scrolled, and its part that scrolls.
fn scrolled() -> (f64, Option<HtmlElement>) {
    let main = element("main");
    let inside = main.as_ref().map_or(0, |main| main.scroll_top());
    (f64::from(inside) + window().scroll_y().unwrap_or(0.0), main)
}

/// Whether the reader is in the middle of a list that moves: further down, or with the focus or something unfolded in it.
pub fn reads_on() -> bool {
    const A_LITTLE: f64 = 60.0;
    let held = document().active_element().is_some_and(|active| active.closest(".timeline").is_ok_and(|list| list.is_some()));
    let unfolded = document().query_selector(".timeline details[open]").is_ok_and(|open| open.is_some());
    scrolled().0 > A_LITTLE || held || unfolded
}

/// Scrolls to the top of the page.
pub fn to_top() {
    if let (_, Some(main)) = scrolled() {
        main.set_scroll_top(0);
    }
    window().scroll_to_with_x_and_y(0.0, 0.0);
}

/// What is unfolded and says how it is called when the page is drawn again.
pub fn unfolded() -> Vec<String> {
    let Ok(open) = document().query_selector_all("details[data-keep][open]") else { return Vec::new() };
    (0..open.length()).filter_map(|place| open.item(place)?.dyn_into::<web_sys::Element>().ok()?.get_attribute("data-keep")).collect()
}

/// Unfolds them again.
pub fn unfold_again(names: Vec<String>) {
    request_animation_frame(move || {
        for name in names {
            if let Ok(Some(details)) = document().query_selector(&format!("details[data-keep=\"{name}\"]")) {
                let _ = details.set_attribute("open", "");
            }
        }
    });
}

/// Loads the page again.
pub fn reload() {
    let _ = window().location().reload();
}

/// Hears an event of the document before anything on the page does.
pub fn listen_capturing(name: &'static str, heard: impl FnMut(web_sys::Event) + 'static) {
    let closure = leptos::wasm_bindgen::closure::Closure::<dyn FnMut(web_sys::Event)>::new(heard);
    let _ = document().add_event_listener_with_callback_and_bool(name, closure.as_ref().unchecked_ref(), true);
    closure.forget();
}

/// Whether a dialog lies over the page.
pub fn layered() -> bool {
    document().query_selector("dialog[open]").ok().flatten().is_some()
}

/// Whether the focus is on the title of a card.
pub fn on_card_link() -> bool {
    document().active_element().is_some_and(|element| element.id().starts_with("card-tk-"))
}

/// Scrolls no more than needed.
pub fn keep_in_view(element: &HtmlElement) {
    let options = web_sys::ScrollIntoViewOptions::new();
    options.set_block(web_sys::ScrollLogicalPosition::Nearest);
    options.set_inline(web_sys::ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// On a screen that shows one column at a time: the one that comes first, unless the reader went to one already.
pub fn show_first_column() {
    let Ok(Some(first)) = document().query_selector(".board > [data-first]") else { return };
    let board = first.parent_element().filter(|board| board.scroll_left() == 0 && first.client_width() * 2 > board.client_width());
    if let (Some(board), Some(column)) = (board, first.dyn_ref::<HtmlElement>()) {
        board.set_scroll_left(column.offset_left() - board.client_left());
    }
}

/// Takes the address the page is of, when it is the answer to a form that was sent elsewhere: what is taken over is what was rendered.
pub fn settle_here() {
    let here = of_html("data-here");
    if !here.is_empty()
        && let Ok(history) = window().history()
    {
        let _ = history.replace_state_with_url(&leptos::wasm_bindgen::JsValue::NULL, "", Some(&here));
    }
}

/// Says to the styles that the page was taken over: what stands in for scripts can go.
pub fn taken_over() {
    if let Some(html) = document().document_element() {
        let _ = html.set_attribute("data-app", "on");
    }
}

/// Closes the menus that are open, but for one that something lies in. Says whether there was one.
pub fn close_menus(inside: Option<web_sys::EventTarget>) -> bool {
    let inside = inside.and_then(|target| target.dyn_into::<web_sys::Node>().ok());
    let Ok(menus) = document().query_selector_all("details.menu[open]") else { return false };
    let mut closed = false;
    for menu in (0..menus.length()).filter_map(|place| menus.item(place)) {
        if inside.as_ref().is_some_and(|inside| menu.contains(Some(inside))) {
            continue;
        }
        if let Some(menu) = menu.dyn_ref::<web_sys::Element>() {
            let held = document().active_element().is_some_and(|active| menu.contains(Some(&active)));
            let _ = menu.remove_attribute("open");
            if held && let Ok(Some(summary)) = menu.query_selector("summary") {
                let _ = summary.dyn_into::<HtmlElement>().map(|summary| summary.focus());
            }
            closed = true;
        }
    }
    closed
}

/// Opens the menu whose button has this id, and goes to its first row.
pub fn open_menu(id: &str) -> bool {
    let Some(menu) = element(id).and_then(|summary| summary.parent_element()) else { return false };
    let _ = menu.set_attribute("open", "");
    if let Ok(Some(first)) = menu.query_selector(".picks button, .picks a") {
        let _ = first.dyn_into::<HtmlElement>().map(|first| first.focus());
    }
    true
}

/// The value of an attribute of what was pressed, or of what it lies in.
pub fn pressed(event: &web_sys::MouseEvent, name: &str) -> Option<String> {
    let element = event.target()?.dyn_into::<web_sys::Element>().ok()?;
    element.closest(&format!("[{name}]")).ok()??.get_attribute(name)
}

/// Writes another word on the button that was pressed.
pub fn relabel(event: &web_sys::MouseEvent, text: &str) {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    if let Some(button) = target.and_then(|target| target.closest("button").ok().flatten()) {
        button.set_text_content(Some(text));
    }
}

/// The card of a task, if it is on the page.
pub fn card_of(id: &str) -> Option<HtmlElement> {
    document().query_selector(&format!("[data-card=\"{id}\"]")).ok().flatten()?.dyn_into().ok()
}

/// Whether the reader asked for less motion.
pub fn wants_less_motion() -> bool {
    window().match_media("(prefers-reduced-motion: reduce)").ok().flatten().is_some_and(|asked| asked.matches())
}

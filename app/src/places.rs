//! The pages there are, as data: the rail, the keys and the palette are made of it.

/// A page of its own, which is always loaded whole. A card is none: it lies over the page it was opened from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// The tasks.
    #[default]
    Board,
    /// What happened.
    Activity,
    /// What was, told from the log.
    Reports,
    /// How the project is set up.
    Settings,
}

/// What there is to know of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Which.
    pub place: Place,
    /// Its path below the base.
    pub path: &'static str,
    /// Its icon in the sprite.
    pub icon: &'static str,
    /// What people read.
    pub name: &'static str,
    /// What goes there after `g`, as the help writes it and in words; none where no key does.
    pub key: Option<(&'static str, &'static str)>,
}

/// All of them, in the order of the rail.
pub const PAGES: [Page; 4] = [
    Page { place: Place::Board, path: "/", icon: "board", name: "Board", key: Some(("b", "Go to the board")) },
    Page { place: Place::Activity, path: crate::activity::PATH, icon: "activity", name: "Activity", key: Some(("a", "Go to the activity")) },
    Page { place: Place::Reports, path: crate::pages::reports::PATH, icon: "reports", name: "Reports", key: None },
    Page { place: Place::Settings, path: crate::pages::settings::PATH, icon: "settings", name: "Settings", key: None },
];

impl Place {
    /// The page an address is of; none for a card and for what is no page.
    pub fn of(path: &str, base: &str) -> Option<Place> {
        let rest = path.strip_prefix(base).unwrap_or(path).trim_end_matches('/');
        // A report has an address of its own below the list of them.
        let rest = if rest.strip_prefix(crate::pages::reports::PATH).is_some_and(|below| below.starts_with('/')) { crate::pages::reports::PATH } else { rest };
        PAGES.iter().find(|page| page.path.trim_end_matches('/') == rest).map(|page| page.place)
    }

    /// What there is to know of it.
    pub fn page(self) -> Page {
        PAGES.into_iter().find(|page| page.place == self).unwrap_or(PAGES[0])
    }

    /// The page that a key leads to after `g`.
    pub fn of_key(key: &str) -> Option<Place> {
        PAGES.iter().find(|page| page.key.is_some_and(|(own, _)| own == key)).map(|page| page.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_of_one_page_and_a_card_of_none() {
        for (path, place) in [
            ("/", Some(Place::Board)),
            ("/activity/", Some(Place::Activity)),
            ("/settings", Some(Place::Settings)),
            ("/reports/2026-11-28", Some(Place::Reports)),
            ("/reportsx", None),
            ("/t/tk-4f2a9c", None),
            ("/x", None),
        ] {
            assert_eq!(Place::of(path, ""), place, "{path}");
            assert_eq!(Place::of(&format!("/p/x{path}"), "/p/x"), place, "{path}");
        }
    }

    #[test]
    fn no_two_pages_share_a_key() {
        let keys: Vec<_> = PAGES.iter().filter_map(|page| page.key).collect();
        for (key, _) in &keys {
            assert_eq!(keys.iter().filter(|(other, _)| other == key).count(), 1, "{key}");
            assert!(Place::of_key(key).is_some());
        }
    }
}

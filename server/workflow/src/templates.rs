//! The workflows that come with the program: each can be used as it is, and each shows a part of the language.

/// A workflow that comes with the program.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// Its name.
    pub slug: &'static str,
    /// Its text, comments and all.
    pub text: &'static str,
    /// What it is for, in one line.
    pub about: &'static str,
}

/// All of them, the commonest first; `blank` is the least that can be saved.
pub const TEMPLATES: [Template; 7] = [
    Template {
        slug: "bugfix",
        text: include_str!("../templates/bugfix.yaml"),
        about: "A fault: a red test first, a repair, a proof, a release that a person allows",
    },
    Template {
        slug: "feature",
        text: include_str!("../templates/feature.yaml"),
        about: "A feature: a plan that a person reads, the work, a review that can send it back",
    },
    Template { slug: "research", text: include_str!("../templates/research.yaml"), about: "A question: sources, findings, an attack on them, an answer" },
    Template {
        slug: "release",
        text: include_str!("../templates/release.yaml"),
        about: "A release: everything closed, notes, two people who agree, a check afterwards",
    },
    Template {
        slug: "refactor",
        text: include_str!("../templates/refactor.yaml"),
        about: "A refactoring in lanes: code, tests and pages at once, then one proof",
    },
    Template { slug: "publish", text: include_str!("../templates/publish.yaml"), about: "A text: drafted, checked until it holds, published, verified" },
    Template { slug: "blank", text: include_str!("../templates/blank.yaml"), about: "One step and a close: a beginning" },
];

/// One of them.
pub fn template(slug: &str) -> Option<Template> {
    TEMPLATES.into_iter().find(|template| template.slug == slug)
}

/// The text of a template under another name.
pub fn renamed(template: &Template, slug: &str) -> String {
    let from = format!("workflow: {}\n", template.slug);
    template.text.replacen(&from, &format!("workflow: {slug}\n"), 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Around, check};
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn every_template_is_sound_and_says_what_it_is_for() {
        let workflows: BTreeMap<String, BTreeSet<String>> = TEMPLATES.iter().map(|template| (template.slug.to_owned(), BTreeSet::new())).collect();
        for template in TEMPLATES {
            let around = Around {
                workflows: workflows.iter().filter(|(slug, _)| *slug != template.slug).map(|(slug, own)| (slug.clone(), own.clone())).collect(),
                people: None,
            };
            let checked = check(template.text, &around).unwrap_or_else(|findings| panic!("{}: {findings:?}", template.slug));
            let told: Vec<String> = checked.findings.iter().map(ToString::to_string).collect();
            let allowed = |line: &String| template.slug == "blank" && line.contains("W_NO_GATE_ON_CLOSE");
            assert!(told.iter().all(allowed), "{}: {told:#?}", template.slug);
            assert_eq!(checked.document.slug(), template.slug);
            assert!(checked.document.description.is_some() && checked.document.name.is_some(), "{}", template.slug);
        }
    }

    #[test]
    fn a_new_workflow_has_its_own_name_and_nothing_else_is_new() {
        let text = renamed(&template("bugfix").unwrap(), "mend");
        assert!(text.contains("workflow: mend\n") && !text.contains("workflow: bugfix\n"));
        assert_eq!(text.lines().count(), template("bugfix").unwrap().text.lines().count());
    }
}

//! Milestones of the old board.

use super::{Mapper, Now, texts};
use crate::import::facts::{milestone_id, object};
use contracts::{MilestoneId, limits};
use engine::Kind;
use serde_json::{Map, Value, json};

impl Mapper {
    /// One of the operations of a milestone.
    pub(super) fn milestone(&mut self, now: &Now<'_>) {
        let raw = [now.text("id"), &now.line.id].into_iter().find(|id| !id.is_empty()).unwrap_or_default().to_owned();
        let id = milestone_id(&raw);
        let op = now.text("op");
        let open = self.milestones.get(&id).copied();
        let body = &now.line.body;
        match (op, open) {
            ("create", None) => {
                let title = self.facts.title(now.text("title"), &raw);
                let title: String = title.chars().take(limits::MILESTONE_TITLE_CHARS_MAX).collect();
                let goal = self.facts.text(now.text("goal"), limits::GOAL_BYTES_MAX, &raw);
                let reviews = body.get("reviews").and_then(Value::as_bool).filter(|yes| *yes);
                let created = json!({"title": title, "goal": goal, "rules": rules(body), "criteria": criteria(body), "reviews": reviews});
                self.of_milestone(now, &id, Kind::MilestoneCreated, created);
                self.milestones.insert(id, true);
            }
            ("edit", Some(true)) => {
                for field in ["title", "goal", "rules", "criteria", "reviews"] {
                    let Some(value) = body.get(field) else { continue };
                    let to = match field {
                        "rules" => rules(body),
                        "criteria" => criteria(body),
                        _ => value.clone(),
                    };
                    let fact = self.of_milestone(now, &id, Kind::MilestoneEdited, json!({"field": field}));
                    fact.body.insert("from".to_owned(), Value::Null);
                    fact.body.insert("to".to_owned(), to);
                }
            }
            ("landed", Some(true)) => self.end(now, id, Kind::MilestoneClosed),
            ("status", Some(open)) => match (now.text("to"), open) {
                ("done" | "landed" | "closed", true) => self.end(now, id, Kind::MilestoneClosed),
                ("dropped" | "cancelled", true) => self.end(now, id, Kind::MilestoneCancelled),
                ("open", false) => {
                    self.of_milestone(now, &id, Kind::MilestoneReopened, json!({"note": now.note()}));
                    self.milestones.insert(id, true);
                }
                _ => self.facts.skip("a status that changed nothing"),
            },
            _ => self.other(now),
        }
    }

    fn end(&mut self, now: &Now<'_>, id: MilestoneId, kind: Kind) {
        self.of_milestone(now, &id, kind, json!({"note": now.note()}));
        self.milestones.insert(id, false);
    }

    fn of_milestone(&mut self, now: &Now<'_>, id: &MilestoneId, kind: Kind, body: Value) -> &mut storage::Fact {
        self.facts.add(now.at, &now.actor, kind, id.as_str(), &now.line.id, object(body))
    }
}

fn rules(body: &Map<String, Value>) -> Value {
    let rule = |rule: &String| rule.chars().take(limits::CRITERION_CHARS_MAX).collect::<String>();
    json!(texts(body.get("rules")).iter().filter(|rule| !rule.trim().is_empty()).take(limits::RULES_MAX).map(rule).collect::<Vec<_>>())
}

fn criteria(body: &Map<String, Value>) -> Value {
    let item = |text: &String| json!({"text": text.chars().take(limits::CRITERION_CHARS_MAX).collect::<String>()});
    json!(texts(body.get("criteria")).iter().filter(|text| !text.trim().is_empty()).take(limits::CRITERIA_MAX).map(item).collect::<Vec<_>>())
}

//! A filter in SQL: the tree of the `filter` crate, field by field. Names come from the table here, values are bound, and what is unknown
//! there is `null` here, so both say the same of every task (a property test holds them to it).

use super::queue::Leased;
use crate::script::Text;
use crate::sql::{PROJECT, id_list, list};
use contracts::standing::{Column, Standing, Status};
use contracts::{Actor, TaskId};
use engine::LeaseState;
use filter::{Around, Field, Filter, Kind, Leaf, Node, Op, Value};

/// A filter, and who asks it when and where.
#[derive(Clone, Debug)]
pub struct Asking {
    /// Which tasks.
    pub filter: Filter,
    /// Who asks, when, in which zone.
    pub around: Around,
}

/// Milliseconds of a stored point in time; the log's counter behind it is left out.
fn millis(column: &str) -> String {
    format!("(cast(strftime('%s', substr({column}, 1, 19)) as integer) * 1000 + cast(substr({column}, 21, 3) as integer))")
}

/// The expression of a field that is one, `null` where the task has no value.
fn expression(field: Field) -> String {
    let due = "nullif(t.due_key, '9999')";
    let updated = "json_extract(t.state, '$.updated_at')";
    match field {
        Field::Id => "t.id".into(),
        Field::Title => "t.title".into(),
        Field::Type => "t.type".into(),
        Field::Status => "t.status".into(),
        Field::Priority => "t.priority".into(),
        Field::Parent => "t.parent".into(),
        Field::Assignee => "t.assignee".into(),
        Field::Milestone => "t.milestone".into(),
        Field::Waits => "(t.waits_open + coalesce(json_array_length(t.state, '$.blockers'), 0))".into(),
        Field::Blocks => "t.blocks".into(),
        Field::ChildrenTotal => "t.children".into(),
        Field::ChildrenOpen => "t.children_open".into(),
        Field::Comments => "json_extract(t.state, '$.comments')".into(),
        Field::Conflicts => "(t.conflicts + t.edges_inert)".into(),
        Field::Complexity => "json_extract(t.state, '$.complexity')".into(),
        Field::Vertical => "json_extract(t.state, '$.vertical')".into(),
        Field::Branch => "json_extract(t.state, '$.branch')".into(),
        Field::DueAt | Field::DueInDays => millis(due),
        Field::CreatedAt | Field::AgeDays => millis("t.created_at"),
        Field::UpdatedAt | Field::StaleDays => millis(updated),
        Field::ClosedAt => millis("t.closed_at"),
        // Asked in a way of their own.
        Field::Text | Field::Standing | Field::Column | Field::Labels | Field::Holder | Field::Claimed | Field::ChildrenAllDone | Field::Overdue => {
            "null".into()
        }
    }
}

/// The expression in which a part of a text is looked for, case-folded as the values are.
fn folded(field: Field) -> String {
    match field {
        // SQLite folds ASCII alone; `words` was folded when it was written, and the title stands in it behind the id.
        Field::Title => "substr(t.words, length(t.id) + 2, length(t.title))".into(),
        other => format!("lower({})", expression(other)),
    }
}

fn text(value: &Value, around: &Around) -> String {
    match value {
        Value::Me => around.me.to_string(),
        Value::Person(actor) => actor.to_string(),
        Value::Text(text) => text.clone(),
        _ => String::new(),
    }
}

/// Which tasks pass, as a condition on `task t`.
pub(super) fn push(sql: &mut Text, asking: &Asking, leased: &[Leased]) {
    Pushing { around: &asking.around, leased }.node(sql, asking.filter.root());
}

struct Pushing<'a> {
    around: &'a Around,
    leased: &'a [Leased],
}

impl Pushing<'_> {
    fn node(&self, sql: &mut Text, node: &Node) {
        match node {
            Node::Leaf(leaf) => self.leaf(sql, leaf),
            Node::Not(inner) => {
                sql.push("not (");
                self.node(sql, inner);
                sql.push(")");
            }
            Node::All(nodes) => self.joined(sql, nodes, " and "),
            Node::Any(nodes) => self.joined(sql, nodes, " or "),
        }
    }

    fn joined(&self, sql: &mut Text, nodes: &[Node], between: &str) {
        sql.push("(");
        for (place, node) in nodes.iter().enumerate() {
            if place > 0 {
                sql.push(between);
            }
            self.node(sql, node);
        }
        sql.push(")");
    }

    fn leaf(&self, sql: &mut Text, leaf: &Leaf) {
        sql.push("(");
        match leaf.field {
            Field::Labels => self.labels(sql, leaf),
            Field::Standing => self.standing(sql, leaf, |standing, word| standing.as_str() == word),
            Field::Column => self.standing(sql, leaf, |standing, word| Column::parse(word).is_ok_and(|column| standing.column() == column)),
            Field::Holder => self.holder(sql, leaf),
            Field::Text => self.words(sql, leaf),
            Field::Claimed => {
                negated(sql, leaf);
                among(sql, "t.id", id_list(self.held().map(|(id, _)| id)));
            }
            Field::ChildrenAllDone => {
                negated(sql, leaf);
                sql.push("t.children_open = 0");
            }
            Field::Overdue => {
                negated(sql, leaf);
                sql.push("(t.status = 'open' and t.due_key < ").push_bind(self.around.now.to_string()).push(")");
            }
            _ => self.compared(sql, leaf),
        }
        sql.push(")");
    }

    /// Tasks somebody is on now.
    fn held(&self) -> impl Iterator<Item = (&TaskId, &Actor)> {
        let running = |one: &&Leased| one.state != LeaseState::Lapsed && one.row.task.status == Status::Open;
        self.leased.iter().filter(running).map(|one| (&one.row.task.id, &one.lease.actor))
    }

    fn compared(&self, sql: &mut Text, leaf: &Leaf) {
        let expression = match leaf.field {
            Field::AgeDays | Field::StaleDays => format!("(({} - {}) / 86400000)", self.around.now.0, expression(leaf.field)),
            Field::DueInDays => format!("(({} - {}) / 86400000)", expression(leaf.field), self.around.now.0),
            field => expression(field),
        };
        let first = leaf.values.first();
        match leaf.op {
            Op::IsNull => drop(sql.push(expression).push(" is null")),
            Op::IsNotNull => drop(sql.push(expression).push(" is not null")),
            Op::Contains | Op::NotContains | Op::StartsWith | Op::EndsWith => {
                let part = first.map(|value| text(value, self.around)).unwrap_or_default().to_lowercase();
                let hay = folded(leaf.field);
                match leaf.op {
                    Op::Contains => sql.push(format!("instr({hay}, ")).push_bind(part).push(") > 0"),
                    Op::NotContains => sql.push(format!("instr({hay}, ")).push_bind(part).push(") = 0"),
                    Op::StartsWith => sql.push(format!("instr({hay}, ")).push_bind(part).push(") = 1"),
                    _ => {
                        let chars = i64::try_from(part.chars().count()).unwrap_or(i64::MAX);
                        sql.push(format!("substr({hay}, ")).push_bind(-chars).push(") = ").push_bind(part)
                    }
                };
            }
            Op::WithinLast | Op::WithinNext => {
                let length = if let Some(Value::Length(seconds)) = first { seconds.saturating_mul(1_000) } else { 0 };
                let now = self.around.now.0;
                let (from, to) = if leaf.op == Op::WithinLast { (now - length, now) } else { (now, now + length) };
                sql.push(expression).push(" between ").push_bind(from).push(" and ").push_bind(to);
            }
            Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                sql.push(expression).push(format!(" {} ", leaf.op.as_str())).push_bind(self.number(first));
            }
            Op::Between => {
                sql.push(expression).push(" between ").push_bind(self.number(first)).push(" and ").push_bind(self.number(leaf.values.get(1)));
            }
            Op::Eq | Op::In | Op::Ne | Op::NotIn | Op::HasAny | Op::HasAll | Op::HasNone => self.equal(sql, leaf, &expression),
        }
    }

    fn equal(&self, sql: &mut Text, leaf: &Leaf, expression: &str) {
        let not = if matches!(leaf.op, Op::Ne | Op::NotIn) { "not " } else { "" };
        if leaf.field.kind() == Kind::Number {
            let numbers = serde_json::Value::from_iter(leaf.values.iter().map(|value| self.number(Some(value)))).to_string();
            sql.push(format!("{expression} {not}in (select value from json_each(")).push_bind(numbers).push("))");
            return;
        }
        let wanted: Vec<String> = leaf.values.iter().map(|value| text(value, self.around)).collect();
        let names = |names: &[String]| list(names.iter().map(String::as_str));
        if leaf.field == Field::Milestone {
            // An empty list would make even what is missing certain.
            let folded = names(&wanted.iter().map(|name| name.to_lowercase()).collect::<Vec<_>>());
            sql.push(format!("case when {expression} is not null then {expression} {not}in (select m.id from milestone m where m.project = "))
                .push_bind(PROJECT)
                .push(" and (m.id in (select value from json_each(")
                .push_bind(folded.clone())
                .push(")) or m.title_folded in (select value from json_each(")
                .push_bind(folded)
                .push(")))) end");
            return;
        }
        sql.push(format!("{expression} {not}in (select value from json_each(")).push_bind(names(&wanted)).push("))");
    }

    fn number(&self, value: Option<&Value>) -> i64 {
        match value {
            Some(Value::Number(number)) => *number,
            Some(time) => self.around.moment(time),
            None => 0,
        }
    }

    fn standing(&self, sql: &mut Text, leaf: &Leaf, is: impl Fn(Standing, &str) -> bool) {
        match leaf.op {
            Op::IsNull => {
                sql.push("false");
                return;
            }
            Op::IsNotNull => {
                sql.push("true");
                return;
            }
            Op::Ne | Op::NotIn => drop(sql.push("not ")),
            _ => {}
        }
        let words: Vec<String> = leaf.values.iter().map(|value| text(value, self.around)).collect();
        let wanted: Vec<Standing> = Standing::ALL.iter().copied().filter(|standing| words.iter().any(|word| is(*standing, word))).collect();
        // At rest it stands in its row; the few leases that make it stand elsewhere are known.
        let moved = || self.leased.iter().filter(|one| one.standing != one.row.rest);
        sql.push("((");
        among(sql, "t.rest", list(wanted.iter().map(|standing| standing.as_str())));
        sql.push(" and not ");
        among(sql, "t.id", id_list(moved().map(|one| &one.row.task.id)));
        sql.push(") or ");
        among(sql, "t.id", id_list(moved().filter(|one| wanted.contains(&one.standing)).map(|one| &one.row.task.id)));
        sql.push(")");
    }

    fn holder(&self, sql: &mut Text, leaf: &Leaf) {
        let held = id_list(self.held().map(|(id, _)| id));
        match leaf.op {
            Op::IsNull => drop(sql.push("not ")),
            Op::IsNotNull => {}
            _ => {
                let not = matches!(leaf.op, Op::Ne | Op::NotIn);
                let wanted: Vec<String> = leaf.values.iter().map(|value| text(value, self.around)).collect();
                let of = self.held().filter(|(_, actor)| wanted.iter().any(|name| name == actor.as_str()) != not);
                let these = id_list(of.map(|(id, _)| id));
                sql.push("case when ");
                among(sql, "t.id", held);
                sql.push(" then ");
                among(sql, "t.id", these);
                sql.push(" end");
                return;
            }
        }
        among(sql, "t.id", held);
    }

    fn words(&self, sql: &mut Text, leaf: &Leaf) {
        let word = leaf.values.first().map(|value| text(value, self.around)).unwrap_or_default().to_lowercase();
        if leaf.op == Op::NotContains {
            sql.push("not ");
        }
        let of = self.held().filter(|(_, actor)| actor.as_str().to_lowercase().contains(&word)).map(|(id, _)| id);
        let held = id_list(of);
        sql.push("(instr(t.words, ").push_bind(word).push(") > 0 or ");
        among(sql, "t.id", held);
        sql.push(")");
    }

    fn labels(&self, sql: &mut Text, leaf: &Leaf) {
        const OWN: &str = "select 1 from task_label b where b.project = t.project and b.task = t.id";
        let mut wanted: Vec<String> = leaf.values.iter().map(|value| text(value, self.around)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let these = list(wanted.iter().map(String::as_str));
        match leaf.op {
            Op::IsNull => drop(sql.push(format!("not exists ({OWN})"))),
            Op::IsNotNull => drop(sql.push(format!("exists ({OWN})"))),
            Op::HasNone => {
                sql.push(format!("not exists ({OWN} and "));
                among(sql, "b.label", these);
                sql.push(")");
            }
            Op::HasAll => {
                sql.push(format!("case when exists ({OWN}) then (select count(*) from task_label b where b.project = t.project and b.task = t.id and "));
                among(sql, "b.label", these);
                sql.push(") = ").push_bind(i64::try_from(wanted.len()).unwrap_or(i64::MAX)).push(" end");
            }
            _ => {
                sql.push(format!("case when exists ({OWN}) then exists ({OWN} and "));
                among(sql, "b.label", these);
                sql.push(") end");
            }
        }
    }
}

/// A flag that is to be false.
fn negated(sql: &mut Text, leaf: &Leaf) {
    if leaf.values.first() == Some(&Value::Flag(false)) {
        sql.push("not ");
    }
}

/// `column in (…)` of a JSON list; false, not unknown, of an empty one.
fn among(sql: &mut Text, column: &str, these: String) {
    sql.push(format!("{column} in (select value from json_each(")).push_bind(these).push("))");
}

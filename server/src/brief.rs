//! The brief of a worker: what it is told word for word before it begins.

use contracts::fleet::Started;

/// Who the worker is, its one task, its place, the others in its files, and how it ends.
pub fn brief(started: &Started) -> String {
    let Started { task, title, worker, branch, base, directory, collisions, .. } = started;
    let title: String = title.chars().filter(|character| !character.is_control()).collect();
    let place = match (directory, base) {
        (Some(directory), _) => format!("Work in {directory} alone. It is on branch {branch}: never leave it, never switch branches."),
        (None, Some(base)) => format!("Begin with: git switch -c {branch} {base} (git switch {branch} once it exists). Stay on that branch."),
        (None, None) => format!("Work on branch {branch} and stay on it."),
    };
    let others: Vec<String> = collisions
        .iter()
        .map(|other| {
            let who = other.actor.as_ref().map(|actor| format!(" ({actor})")).unwrap_or_default();
            format!("{}{who}: {}", other.id, other.paths.join(", "))
        })
        .collect();
    let others = match others.as_slice() {
        [] => String::new(),
        others => format!("\nOthers are in these files, tell them before you change one (update with mentions): {}", others.join("; ")),
    };
    format!(
        "You are {worker}, a worker with one task: {task}, \"{title}\".\n\
         Pass \"actor\":\"{worker}\" on every Callboard call.\n\
         {place}\n\
         First: next {{\"task\":\"{task}\",\"actor\":\"{worker}\"}} gives you the whole task and claims it.\n\
         Commit as you go with git commit; the line Task: {task} is added for you.{others}\n\
         Stuck? update with question (only a person can decide), blocked_on (another task), or comment and mentions.\n\
         End with exactly one update: status done, submitted or released, with a comment that says what is done and what is left."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use contracts::view::Collision;
    use contracts::{Actor, Standing, TaskId};

    #[test]
    fn a_worker_is_told_who_it_is_where_it_works_and_how_it_ends() {
        let mut started = Started {
            task: TaskId::from_bits(0x4f2a9c),
            title: "Paint\nthe buoys".into(),
            worker: Actor::agent_named("ana", "w1"),
            branch: "task/tk-4f2a9c-paint".into(),
            base: Some("main".into()),
            directory: Some("/harbour/.callboard/trees/tk-4f2a9c".into()),
            collisions: vec![Collision {
                id: TaskId::from_bits(7),
                title: "Set them out".into(),
                standing: Standing::Working,
                actor: Some(Actor::agent_named("bo", "x1")),
                paths: vec!["buoys.txt".into()],
            }],
            brief: String::new(),
        };
        insta::assert_snapshot!(brief(&started), @r#"
        You are agent:ana/w1, a worker with one task: tk-4f2a9c, "Paintthe buoys".
        Pass "actor":"agent:ana/w1" on every Callboard call.
        Work in /harbour/.callboard/trees/tk-4f2a9c alone. It is on branch task/tk-4f2a9c-paint: never leave it, never switch branches.
        First: next {"task":"tk-4f2a9c","actor":"agent:ana/w1"} gives you the whole task and claims it.
        Commit as you go with git commit; the line Task: tk-4f2a9c is added for you.
        Others are in these files, tell them before you change one (update with mentions): tk-000007 (agent:bo/x1): buoys.txt
        Stuck? update with question (only a person can decide), blocked_on (another task), or comment and mentions.
        End with exactly one update: status done, submitted or released, with a comment that says what is done and what is left.
        "#);
        started.directory = None;
        started.collisions.clear();
        assert!(brief(&started).contains("Begin with: git switch -c task/tk-4f2a9c-paint main"));
    }
}

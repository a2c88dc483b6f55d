// The hooks with the client people use: what the real Claude Code sends, what it does with the answers, and that every commit it makes is
// evidence for the right task or is stopped before it runs.

import { join } from "node:path";

import { expect, test } from "../support/test.ts";
import { BYE, calls, Hooked, MAIN, types } from "../support/hooked.ts";
import type { Turn } from "../support/scripted-model.ts";

/** How a commit ends up where a task is held. */
type Ends =
  /** Judged, with the trailer. */
  | "trailer"
  /** Judged; hooks are off, so only the task's own branch can bind it. */
  | "branch"
  /** Hidden from a reader of the text. */
  | "unseen"
  /** No commit of the agent's own making: not judged. */
  | "nothing";

const EDITOR = `GIT_EDITOR='echo edited >'`;

const FORMS: Array<[row: number, form: string, ends: Ends]> = [
  [1, "git commit -m x", "trailer"],
  [1, "git commit -m a -m b", "trailer"],
  [1, "git commit --message=x", "trailer"],
  [1, "git commit --message x", "trailer"],
  [2, "git commit -am x", "trailer"],
  [2, "git commit -qam x", "trailer"],
  [2, "git commit -a -m x", "trailer"],
  [2, "git commit -mx", "trailer"],
  [3, "printf 'from a file' >../m; git commit -F ../m", "trailer"],
  [3, "git commit --file=../m", "trailer"],
  [3, "echo piped | git commit -F -", "trailer"],
  [4, `git commit -m "$(cat <<'EOF'\nPaint the buoys\n\nBody && more\n\nCo-Authored-By: Claude <noreply@anthropic.com>\nEOF\n)"`, "trailer"],
  [4, "git commit -F - <<EOF\nTitle\nEOF", "trailer"],
  [5, `${EDITOR} git commit`, "trailer"],
  [5, `${EDITOR} git commit -v`, "trailer"],
  [5, `${EDITOR} git commit -t ../m`, "trailer"],
  [6, "git add -A && git commit -m x", "trailer"],
  [6, "git add -A; git commit -m x", "trailer"],
  [6, "false || git commit -m x", "trailer"],
  [6, "git add -A\ngit commit -m x", "trailer"],
  [6, "git commit -m x & wait", "trailer"],
  [7, "git commit -m x && git log --oneline -1", "trailer"],
  [7, "git commit -m x | tee ../log", "trailer"],
  [7, "git commit -m x > ../out", "trailer"],
  [8, "mkdir -p sub && cd sub && git commit -m x; cd ..", "trailer"],
  [8, "(cd sub; git commit -m x)", "trailer"],
  [8, "git -C sub commit -m x", "trailer"],
  [8, `git --git-dir="$(git rev-parse --git-dir)" --work-tree=. commit -m x`, "trailer"],
  [9, "A=1 git commit -m x", "trailer"],
  [9, "env A=1 git commit -m x", "trailer"],
  [9, "timeout 60 git commit -m x", "trailer"],
  [9, "nohup nice git commit -m x", "trailer"],
  [10, `bash -lc "git commit -m x"`, "trailer"],
  [10, `eval "git commit -m x"`, "trailer"],
  [10, "echo $(git commit -m x)", "trailer"],
  [11, "if true; then git commit -m x; fi", "trailer"],
  [11, "for i in 1; do git commit -m x; done", "trailer"],
  [11, "{ git commit -m x; }", "trailer"],
  [11, "! git commit -m x", "trailer"],
  [12, "$(command -v git) commit -m x", "unseen"],
  [12, "/usr/bin/git commit -m x", "trailer"],
  [12, `"git" commit -m x`, "trailer"],
  [12, "\\git commit -m x", "trailer"],
  [12, "git --no-pager -c a.b=v commit -m x", "trailer"],
  [12, "git ci -m x", "trailer"],
  [13, "git commit --amend -m y", "trailer"],
  [13, "git commit --amend --no-edit", "trailer"],
  [13, "git commit --fixup HEAD", "trailer"],
  [13, "git commit --squash HEAD -m more", "trailer"],
  [13, "git commit -C HEAD", "trailer"],
  [13, `${EDITOR} git commit -c HEAD`, "trailer"],
  [14, "git commit -n -m x", "trailer"],
  [14, "git commit --no-verify -m x", "trailer"],
  [15, `git commit -m x --trailer "Task: TASK"`, "trailer"],
  [16, `git commit -m "a && b -> c | d 'q'\n\nnew line"`, "trailer"],
  [17, "git -c core.hooksPath=/dev/null commit -m x", "branch"],
  [17, "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null git commit -m x", "branch"],
  [18, "G=git; $G commit -m x", "unseen"],
  [19, "git reset -q --hard && git revert --no-edit HEAD", "nothing"],
  [20, "git commit --dry-run", "nothing"],
  [20, "git commit -h", "nothing"],
  [20, "git log --grep commit", "nothing"],
  [20, `echo "git commit"`, "nothing"],
  [20, "grep 'git commit' README.md", "nothing"],
  [20, "# git commit -m x", "nothing"],
  [20, "cat <<EOF\ngit commit -m x\nEOF", "nothing"],
];

test.describe.configure({ timeout: 180_000 });

type Outcome = { row: number; form: string; ends: Ends; before: string; after: string; trailers: string[]; answer: string };

/** A session that types every form, one after the other, each with something new to commit; and what came of each. */
async function typeAll(hooked: Hooked, cwd: string, task: string, first: Turn[] = []): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let typed: Pick<Outcome, "row" | "form" | "ends" | "before"> | undefined;
  const look = (answer: string): void => {
    if (typed) outcomes.push({ ...typed, after: hooked.head(cwd), trailers: hooked.trailers(cwd), answer });
  };
  const forms = FORMS.map(([row, form, ends]): Turn => ({ lastResult }) => {
    look(lastResult);
    hooked.stage(cwd);
    typed = { row, form: form.replaceAll("TASK", task), ends, before: hooked.head(cwd) };
    return [{ tool: "Bash", input: { command: typed.form } }];
  });
  const last: Turn = ({ lastResult }) => {
    look(lastResult);
    return [{ text: "bye" }];
  };
  // The task is held to the end: the gate sends the session back once, and it stops again.
  await hooked.session([...first, ...forms, last], { cwd });
  return outcomes;
}

for (const place of ["main checkout", "linked worktree"] as const) {
  test(`every form of a commit is its task's evidence in the ${place}, or it is no commit`, async ({ bareProject }) => {
    const hooked = await Hooked.wire(bareProject);
    await bareProject.git("config", "alias.ci", "commit");
    const linked = place === "linked worktree";
    const { id, branch } = await hooked.task("Paint the buoys", linked ? MAIN : "");
    const cwd = linked ? await hooked.worktree(branch) : bareProject.directory;
    // In the main checkout, on an ordinary branch, who acts is learnt from the session's own call.
    const outcomes = await typeAll(hooked, cwd, id, linked ? [] : [calls("mcp__callboard__next", {})]);

    expect(outcomes).toHaveLength(FORMS.length);
    const counting = await hooked.counting(id);
    const later: string[] = [];
    for (const { row, form, ends, before, after, trailers, answer } of outcomes) {
      const what = `row ${row}: ${form}\n${answer}`;
      if (ends === "nothing" && row !== 19) {
        expect(after, what).toBe(before);
      } else if (ends === "branch" && !linked) {
        expect(after, what).toBe(before);
        expect(answer, what).toContain("with hooks switched off only the branch can bind a commit");
      } else {
        expect(after, what).not.toBe(before);
        expect(trailers, what).toEqual(ends === "branch" ? [] : [id]);
        if (ends === "branch") later.push(after);
        else expect(counting.includes(after) || !(await lives(hooked, cwd, after)), what).toBe(true);
      }
    }
    await bareProject.callboard("tasks", "done", id, "-m", "painted, all of them", "--actor", MAIN);
    expect(await hooked.counting(id)).toEqual(expect.arrayContaining(later));
  });
}

/** Whether a commit is still in the history: an amended one is not. */
async function lives(hooked: Hooked, cwd: string, sha: string): Promise<boolean> {
  return hooked.git(cwd, "rev-list", "HEAD").split("\n").includes(sha);
}

test("who holds nothing is told so before any form of a commit runs", async ({ bareProject }) => {
  const hooked = await Hooked.wire(bareProject);
  await bareProject.git("config", "alias.ci", "commit");
  const { id } = await hooked.task("Paint the buoys");
  const outcomes = await typeAll(hooked, bareProject.directory, id);
  for (const { row, form, ends, before, after, answer } of outcomes) {
    const what = `row ${row}: ${form}\n${answer}`;
    if (ends === "trailer" || ends === "branch") {
      expect(after, what).toBe(before);
      expect(answer, what).toContain("Callboard: ");
      expect(answer, what).toMatch(row === 15 ? new RegExp(`do not hold ${id}. Take it first: next task=${id}`) : /hold no task|hold,? .*branch|no task you/);
    } else if (ends === "nothing") {
      expect(answer, what).not.toContain("Callboard: ");
    }
  }
});

test("branch, trailer and leases decide, and a refusal says who, until when and what to do instead", async ({ bareProject }) => {
  const hooked = await Hooked.wire(bareProject);
  await bareProject.callboard("config", "set", "max_held.agent", "2");
  const own = await hooked.task("Paint the buoys", MAIN);
  const theirs = await hooked.task("Count the buoys", "agent:ada/w2");
  const free = await hooked.task("Weigh the buoys");
  const theirTree = await hooked.worktree(theirs.branch);
  const freeTree = await hooked.worktree(`${free.id}-weigh`);
  const elsewhere = join(bareProject.directory, "..", "elsewhere");
  const held = new RegExp(`${theirs.id} is held by agent:ada/w2 until (\\d{4}-\\d\\d-\\d\\d )?\\d\\d:\\d\\dZ, not by you \\(${MAIN}\\)`);
  const table: Array<[command: string, answer: string | RegExp]> = [
    [`git commit --allow-empty -m x --trailer "Task: tk-ffffff"`, "there is no task tk-ffffff"],
    [`git commit --allow-empty -m x --trailer "Task: ${theirs.id}"`, held],
    [`git commit --allow-empty -m "x\n\nTask: ${theirs.id}"`, held],
    [`(cd '${theirTree}' && git commit --allow-empty -m x)`, held],
    [`git -C '${freeTree}' commit --allow-empty -m x`, `Take it first: next task=${free.id}`],
    [`git commit --allow-empty -m one && git -C '${theirTree}' commit --allow-empty -m two`, held],
    [`callboard tasks review ${own.id} pass`, "a person does this"],
    [`callboard tasks done ${own.id} --actor dev:ada -m x`, "a person does this"],
    [`git commit -m "x`, "unexpected EOF"],
    [`git init -q '${elsewhere}' && (cd '${elsewhere}' && git commit -q --allow-empty -m x && echo made)`, "made"],
  ];
  const before = hooked.head(bareProject.directory);
  const { results } = await hooked.session([...table.map(([command]) => types(command)), BYE]);
  for (const [at, [command, answer]] of table.entries()) expect(results[at], command).toMatch(answer);
  expect(hooked.head(bareProject.directory), "the first denial denies the whole").toBe(before);

  await bareProject.callboard("tasks", "claim", free.id, "--actor", MAIN);
  const several = await hooked.session([types("git commit --allow-empty -m x"), types(`git -C '${freeTree}' commit --allow-empty -m x`), BYE]);
  expect(several.results[0]).toContain(`hold several tasks`);
  expect(several.results[0]).toContain(`git commit --trailer "Task: `);
  expect(hooked.trailers(freeTree)).toEqual([free.id]);
});

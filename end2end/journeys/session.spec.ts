// A session of the real client from its start to its stop: what it is told, and how it is kept from leaving a task in its hands.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "../support/test.ts";
import { after, BYE, calls, type Ended, Hooked, MAIN, times, types } from "../support/hooked.ts";

test.describe.configure({ timeout: 180_000 });

test("a session is told what it holds and what was written to it, each message once, after failed tools too", async ({ bareProject }) => {
  const hooked = await Hooked.wire(bareProject);
  const { id, branch } = await hooked.task("Paint the buoys", MAIN);
  await hooked.task("Count the buoys");
  const cwd = await hooked.worktree(branch);
  const write = (text: string) => () => bareProject.callboard("message", "--to", MAIN, "-m", text);
  await write("Before you began.")();
  const { told } = await hooked.session(
    [
      after(write("While you looked."), types("true")),
      after(write("While you failed."), types("false")),
      after(write("While you read."), calls("mcp__callboard__ask", { task: id })),
      BYE,
      BYE,
    ],
    { cwd },
  );
  expect(told[0]).toContain(`You (${MAIN}) hold ${id} Paint the buoys`);
  expect(told[0]).toMatch(/Callboard: 1 ready, 1 working, 0 blocked, 2 open. Ask for work with/);
  const whole = told.at(-1)!;
  for (const [at, text] of ["Before you began.", "While you looked.", "While you failed.", "While you read."].entries()) {
    expect(told[at], `request ${at}`).toContain(text);
    expect(times(text, whole), text).toBe(1);
  }
});

test("who writes into a file that another's task declares is told so, once", async ({ bareProject }) => {
  const hooked = await Hooked.wire(bareProject);
  const { id } = await hooked.task("Write the parser", "agent:ada/w2", { files: ["src/parse.rs"] });
  await hooked.task("Paint the buoys");
  mkdirSync(join(bareProject.directory, "src"));
  const file = join(bareProject.directory, "src", "parse.rs");
  const { told } = await hooked.session([
    calls("mcp__callboard__next", {}),
    calls("Write", { file_path: file, content: "fn parse() {}\n" }),
    calls("Edit", { file_path: file, old_string: "parse()", new_string: "parse(_: &str)" }),
    BYE,
    BYE,
  ]);
  const warning = `${id} (agent:ada/w2) declares this file: src/parse.rs`;
  expect(told[2]).toContain(warning);
  expect(times(warning, told.at(-1)!)).toBe(1);
});

test("who stops with a task in its hands is held back once, with the three ways out", async ({ bareProject }) => {
  const hooked = await Hooked.wire(bareProject);
  const { id } = await hooked.task("Paint the buoys");
  const { told } = await hooked.session([calls("mcp__callboard__next", {}), BYE, BYE]);
  expect(told).toHaveLength(3);
  for (const way of ["done", "submitted", "released"]) expect(told[2]).toContain(`update task=${id} status=${way}`);

  // Resumed, it holds the task still, and is let go unasked: it was told.
  const again = await hooked.session([calls("mcp__callboard__next", {}), BYE, calls("mcp__callboard__update", { task: id, status: "released", comment: "Primed two; three are left." }), BYE]);
  expect(again.told[2]).toContain(`you (${MAIN}) still hold ${id}`);
  expect((await hooked.show(id)).standing).toBe("ready");

  const free = await hooked.session([calls("mcp__callboard__ask", { task: id }), BYE]);
  expect(free.told).toHaveLength(2);
});

test("a sub-agent commits and stops as the agent it acts as, and its session as another", async ({ bareProject }) => {
  const hooked = await Hooked.wire(bareProject);
  mkdirSync(join(bareProject.directory, ".claude", "agents"), { recursive: true });
  writeFileSync(join(bareProject.directory, ".claude", "agents", "painter.md"), "---\nname: painter\ndescription: paints\n---\nYou paint.\n");
  const { id } = await hooked.task("Paint the buoys");
  const [own] = await bareProject.plan({ tasks: [{ title: "Count the buoys" }] });
  await bareProject.callboard("tasks", "claim", own!, "--actor", MAIN);
  hooked.stage(bareProject.directory);
  const actor = "agent:ada/w1";
  const { told, results } = await hooked.session([
    calls("mcp__callboard__next", {}),
    calls("Task", { description: "paint", prompt: "paint them", subagent_type: "painter" }),
    calls("mcp__callboard__next", { actor, task: id }),
    types("git commit -m Painted"),
    BYE,
    calls("mcp__callboard__update", { actor, task: id, status: "done", comment: "Painted, all of them." }),
    BYE,
    calls("mcp__callboard__update", { task: own, status: "released", comment: "Not counted yet." }),
    BYE,
  ]);
  expect(hooked.trailers(bareProject.directory), results.join("\n--\n")).toEqual([id]);
  const shown = await hooked.show(id);
  expect(shown.standing).toBe("done");
  expect(told[5], "the sub-agent is held back").toContain(`you (${actor}) still hold ${id}`);
  expect(told.at(-1), "its session holds another task").not.toContain("still hold");
});

test("two terminals are two agents: the second is told nothing that is the first's", async ({ bareProject }) => {
  const hooked = await Hooked.wire(bareProject);
  const first = await hooked.task("Paint the buoys");
  await hooked.task("Count the buoys");
  let second: Ended | undefined;
  const { told } = await hooked.session([
    calls("mcp__callboard__next", {}),
    after(async () => {
      await bareProject.callboard("message", "--to", MAIN, "-m", "For the first.");
      second = await hooked.session([types("true"), calls("mcp__callboard__next", {}), types("true"), BYE, BYE]);
    }, types("true")),
    BYE,
    BYE,
  ]);
  expect(second!.told[0]).toContain("Ask for work with");
  expect(second!.told[0]).not.toContain(first.id);
  expect(second!.results[1]).toContain(`${MAIN}-2`);
  expect(second!.told.at(-1)).not.toContain("For the first.");
  expect(told[2]).toContain("For the first.");
});

// `callboard run` with the real agent client: it takes its task by the board's tools, commits with git in its worktree, and its log tells how;
// one that is cancelled leaves nothing behind.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { taskIn } from "../support/agent.ts";
import { claudeBinary } from "../support/claude.ts";
import type { Project } from "../support/project.ts";
import { expect, test } from "../support/test.ts";

/** The person's own word on which program is their agent, and what it may know of this machine. */
async function withAgent(project: Project): Promise<void> {
  await project.callboard("init");
  const folder = join(project.home, ".config", "callboard");
  await mkdir(folder, { recursive: true });
  const pass = ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER"];
  await writeFile(join(folder, "config.toml"), `env.pass = ${JSON.stringify(pass)}\n[providers.claude]\nprogram = ${JSON.stringify(claudeBinary())}\n`);
}

function spends(url: string): Record<string, string> {
  return { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "test", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" };
}

test("a headless worker does its task in its own worktree, and its log tells how", async ({ bareProject: project, model }) => {
  await withAgent(project);
  const id = taskIn(await project.callboard("tasks", "add", "Paint the buoys"));
  const scripted = await model([
    [{ text: "I take it." }, { tool: "mcp__callboard__next", input: { task: id } }],
    [{ tool: "Bash", input: { command: "echo red > buoys.txt && git add buoys.txt && git commit -q -m 'Paint them' && git log -1 --format=%B && pwd" } }],
    [{ tool: "mcp__callboard__update", input: { task: id, status: "done", comment: "All of them are painted red." } }],
    [{ text: "Painted." }],
  ]);
  const run = await project.tryCallboard(["run", id, "--yes", "--use-api-key"], { env: spends(scripted.url) });
  expect(run.exit, `${run.stdout}${run.stderr}`).toBe(0);
  expect(run.stdout).toContain("finished (exit 0), now done");
  expect(scripted.turnsLeft()).toBe(0);

  const [taken, committed, closed] = scripted.results();
  expect(taken, "the lease that was taken for it is its own").toContain("resumed");
  expect(committed).toContain(`Task: ${id}`);
  expect(committed).toContain(`.callboard/trees/${id}`);
  expect(closed).toContain("done");
  const prompt = JSON.stringify(scripted.requests[0]?.messages);
  expect(prompt).toContain(`a worker with one task: ${id}`);

  const view = JSON.parse(await project.callboard("tasks", "show", id, "--json"));
  expect(view).toMatchObject({ status: "done", commits: 1 });
  expect(view.commits_detail[0].subject).toBe("Paint them");
  expect(await project.git("status", "--porcelain", "--", ".callboard/work", ".callboard/trees")).toBe("");
  const log = await project.callboard("run", "log", id);
  for (const part of ["I take it.", "> mcp__callboard__next", "> Bash: echo red", "Painted.", "ended after"]) expect(log).toContain(part);
});

test("a worker that stops with its task in its hands is held back once, and what it left is told", async ({ bareProject: project, model }) => {
  await withAgent(project);
  const id = taskIn(await project.callboard("tasks", "add", "Paint the buoys"));
  const scripted = await model([
    [{ tool: "mcp__callboard__next", input: { task: id } }],
    [{ tool: "Bash", input: { command: "echo half > buoys.txt" } }],
    [{ text: "I stop here." }],
    [{ text: "I stop all the same." }],
  ]);
  const run = await project.tryCallboard(["run", id, "--yes", "--use-api-key"], { env: spends(scripted.url) });
  expect(run.exit, `${run.stdout}${run.stderr}`).toBe(3);
  expect(run.stdout).toContain("ended with the task in its hands (exit 0)");
  expect(scripted.turnsLeft(), "the hooks that it was given sent it back once").toBe(0);
  const view = JSON.parse(await project.callboard("tasks", "show", id, "--json"));
  expect(view.lease.actor).toBe("agent:ada/w1");
  expect(JSON.stringify(view.thread)).toContain("1 untracked (buoys.txt)");
});

test("a worker that is cancelled is gone with all it started, and its task is free", async ({ bareProject: project, model }) => {
  await withAgent(project);
  const id = taskIn(await project.callboard("tasks", "add", "Paint the buoys"));
  const scripted = await model([[{ tool: "Bash", input: { command: "touch at-work; sleep 3000" } }]]);
  const running = project.tryCallboard(["run", id, "--yes", "--use-api-key"], { env: spends(scripted.url) });
  const begun = join(project.directory, ".callboard", "trees", id, "at-work");
  await expect.poll(() => readFile(begun, "utf8").then(() => true, () => false), { timeout: 60_000 }).toBe(true);
  expect(await project.callboard("run", "cancel", id)).toContain("cancelled");
  expect((await running).exit).toBe(3);
  const state = JSON.parse(await readFile(join(project.directory, ".callboard", "work", `${id}.1`, "worker.json"), "utf8"));
  expect(state.ending).toBe("cancelled");
  expect(() => process.kill(-state.pid, 0), "its group is gone").toThrow();
  expect(JSON.parse(await project.callboard("tasks", "show", id, "--json")).standing).toBe("ready");
});

// What all of this is for, once through and for real: in a fresh clone of this very project a person opens the board, and the real
// agent client plans, claims, asks, reads the answer and closes, while every step shows in the open browser.

import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { taskIn } from "../support/agent.ts";
import { Board } from "../support/board.ts";
import { claude } from "../support/claude.ts";
import { gate, type Turn } from "../support/scripted-model.ts";
import { expect, test } from "../support/test.ts";

const checkout = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const TITLES = ["Read the format", "Write the parser", "Document the format"] as const;
const REPLY = "An error, with the line's number. **Never** skip it silently.";

test("from a clone to a closed task: a person looks on and answers, an agent does the work", async ({ page, bareProject, model, accessible }) => {
  test.setTimeout(120_000);
  await rm(bareProject.directory, { recursive: true });
  await promisify(execFile)("git", ["clone", "--quiet", "--no-hardlinks", checkout, bareProject.directory], { env: bareProject.env() });
  const said = await bareProject.callboard("init");
  expect(said).toContain(".mcp.json");
  await bareProject.serve();
  const board = await Board.open(page, bareProject.url);
  await expect(page.getByRole("heading", { name: "An empty board" })).toBeVisible();
  await accessible(page);

  // The model's next turn waits until the browser has shown what the last one did.
  const [planned, claimed, replied] = [gate(), gate(), gate()];
  let id = "";
  const turns: Turn[] = [
    [
      {
        tool: "mcp__callboard__plan",
        input: {
          milestone: "A format people can read",
          tasks: [
            { title: TITLES[0], spec: "Find out what a torn line looks like.", criteria: ["Three examples"] },
            { title: TITLES[1], after: [0], files: ["src/parse.rs"] },
            { title: TITLES[2], after: [1], type: "docs" },
          ],
        },
      },
    ],
    [{ until: planned.opened }, { tool: "mcp__callboard__next", input: {} }],
    ({ lastResult }) => {
      id = taskIn(lastResult);
      return [
        { until: claimed.opened },
        { tool: "mcp__callboard__update", input: { task: id, comment: "A torn line: warning or error? @dev:ada", mentions: ["dev:ada"] } },
      ];
    },
    () => [
      { until: replied.opened },
      { tool: "mcp__callboard__update", input: { task: id, status: "done", no_code: true, comment: "Three examples are in this note; nothing to commit." } },
    ],
    ({ lastResult }) => [{ text: lastResult.includes(REPLY) ? "I was told." : `I was told nothing: ${lastResult}` }],
  ];
  const scripted = await model(turns);
  const run = claude({ cwd: bareProject.directory, modelUrl: scripted.url, allowedTools: ["mcp__callboard"], env: { PATH: bareProject.env().PATH! }, limitMs: 100_000 });
  try {
    await board.holds({ Ready: [TITLES[0]], Backlog: [TITLES[1], TITLES[2]] }, 30_000);
    await expect(board.card(TITLES[1])).toContainText("Blocked");
    await accessible(page);
    planned.open();

    await board.holds({ Working: [TITLES[0]], Backlog: [TITLES[1], TITLES[2]] });
    await expect(board.card(TITLES[0])).toContainText("ada/main");
    claimed.open();

    await expect(page.getByLabel("Messages, 1 new")).toBeVisible();
    await board.link(TITLES[0]).click();
    const panel = page.getByRole("dialog", { name: TITLES[0] });
    await expect(panel.getByRole("listitem").filter({ hasText: "A torn line: warning or error?" })).toBeVisible();
    await panel.getByLabel("Reply", { exact: true }).fill(`@ada/main ${REPLY}`);
    await expect(panel.getByText("Reaches ada/main on its next tool call.")).toBeVisible();
    await panel.getByRole("button", { name: "Send" }).click();
    const reply = panel.getByRole("listitem").filter({ hasText: "An error, with the line's number." });
    await expect(reply).toBeVisible();
    await accessible(page);
    replied.open();

    await expect(reply).toContainText("delivered to ada/main");
    await expect(panel.getByRole("complementary", { name: "About this task" })).toContainText("done");
    await page.keyboard.press("Escape");
    await board.holds({ Done: [TITLES[0]], Ready: [TITLES[1]], Backlog: [TITLES[2]] });
  } finally {
    for (const waiting of [planned, claimed, replied]) waiting.open();
    const ended = await run;
    await test.info().attach("what the tools answered", { body: scripted.results().join("\n\n---\n\n"), contentType: "text/plain" });
    expect(ended.result, ended.stderr).toMatchObject({ is_error: false, result: "I was told." });
  }
  expect(scripted.turnsLeft()).toBe(0);
  expect(scripted.results()).toHaveLength(4);
  await board.isStillTheSamePage();

  // Git is shown the board and what connects clients to it, and no secret is among them.
  const files = (await bareProject.git("ls-files", "--others", "--modified", "--exclude-standard")).split("\n");
  expect(files).toEqual(expect.arrayContaining([".mcp.json", ".callboard/.gitignore"]));
  const shown = /^(\.mcp\.json|AGENTS\.md|CLAUDE\.md|\.claude\/settings\.json|\.callboard\/(\.gitignore|\.gitattributes|config\.toml|log\/[^/]+\.jsonl))$/;
  expect(files.filter((file) => !shown.test(file))).toEqual([]);
});

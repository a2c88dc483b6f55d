// The tools of the other journeys, tried alone: the real agent client runs against the scripted model and does what it is told.

import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { claude } from "../support/claude.ts";
import { expect, test } from "../support/test.ts";

test("the real client calls a tool the scripted model asks for, and hands back its result", async ({ bareProject, model }) => {
  const scripted = await model([
    [{ text: "I will look.", pieceLength: 4 }, { tool: "Bash", input: { command: "git log --format=%s | tee seen.txt" } }],
    ({ lastResult }) => [{ text: `The history says: ${lastResult}` }],
  ]);
  const run = await claude({ cwd: bareProject.directory, modelUrl: scripted.url });

  expect(run.exit, run.stderr).toBe(0);
  expect(run.result).toMatchObject({ is_error: false, result: "The history says: Begin" });
  expect(scripted.results()).toEqual(["Begin"]);
  expect(scripted.turnsLeft()).toBe(0);
  expect(await readFile(join(bareProject.directory, "seen.txt"), "utf8")).toBe("Begin\n");
});

// An agent works while a person looks on: every step shows on the open board, and what the person answers reaches the agent.

import { taskIn } from "../support/agent.ts";
import { Board } from "../support/board.ts";
import { expect, test } from "../support/test.ts";

const TITLE = "Stop at a torn line and say which";

test("the card follows what an agent does, and the page is never loaded again", async ({ page, project, agent, accessible }) => {
  await project.callboard("tasks", "add", TITLE, "--spec", "Replay ends **quietly** at a torn line. It should say which.");
  const board = await Board.open(page, project.url);
  await board.holds({ Ready: [TITLE] });
  await accessible(page);

  const worker = await agent(project, "agent:ada/w1");
  const id = taskIn(await worker.call("next", {}));
  await board.holds({ Working: [TITLE] });
  await expect(board.card(TITLE)).toContainText("ada/w1");
  await expect(board.column("Working")).toContainText("1 agent live");

  await worker.call("update", { task: id, comment: "It is the last line of a file cut in two. @dev:ada, a warning or an error?", mentions: ["dev:ada"] });
  await expect(board.card(TITLE).getByTitle(/^1\scomment$/)).toBeVisible();
  const bell = page.getByLabel("Messages, 1 new");
  await expect(bell).toBeVisible();
  const toast = page.getByRole("complementary", { name: "What others did that concerns you" }).getByRole("listitem");
  await expect(toast).toContainText("a warning or an error?");
  await accessible(page);
  await bell.click();
  await expect(page.getByRole("heading", { name: "Messages" })).toBeVisible();
  await expect(page.getByRole("link", { name: new RegExp(`ada/w1.*${id}`) })).toBeVisible();
  await accessible(page);

  await worker.call("update", { task: id, status: "done", no_code: true, comment: "A note for operators was all it took; no code changed." });
  await board.holds({ Done: [TITLE] });
  await board.isStillTheSamePage();
});

test("a reply typed on the card is in the agent's next answer, and the card says that it arrived", async ({ page, project, agent, accessible }) => {
  await project.callboard("tasks", "add", TITLE);
  const worker = await agent(project, "agent:ada/w1");
  const id = taskIn(await worker.call("next", {}));
  const board = await Board.open(page, project.url);
  await board.link(TITLE).click();
  const panel = page.getByRole("dialog", { name: TITLE });
  await expect(panel).toBeVisible();
  await expect(page).toHaveURL(`${project.url}/t/${id}`);
  await accessible(page);

  await panel.getByLabel("Reply", { exact: true }).fill("@ada/w1 a warning, and go on. **Never** stop the start.");
  await expect(panel.getByText("Reaches ada/w1 on its next tool call.")).toBeVisible();
  await accessible(page);
  await panel.getByRole("button", { name: "Send" }).click();
  const entry = panel.getByRole("listitem").filter({ hasText: "a warning, and go on." });
  await expect(entry).toBeVisible();
  await expect(panel.getByLabel("Reply", { exact: true })).toHaveValue("");
  await expect(entry).not.toContainText("delivered");

  const answer = await worker.call("update", { task: id, comment: "I looked at the reader first." });
  expect(answer).toContain("a warning, and go on. **Never** stop the start.");
  await expect(entry).toContainText("delivered to ada/w1");
  await expect(panel.getByText("I looked at the reader first.")).toBeVisible();
  expect(await worker.call("update", { task: id, comment: "Once is enough." }), "handed over once").not.toContain("a warning, and go on.");
  await board.isStillTheSamePage();
});

test("a draft survives a reload, and a card opened by its address is a page of its own", async ({ page, project, accessible }) => {
  const id = taskIn(await project.callboard("tasks", "add", TITLE, "--criteria", "The line is named"));
  const answer = await page.goto(`${project.url}/t/${id}`);
  expect(answer?.status()).toBe(200);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1, name: TITLE })).toBeVisible();
  const board = new Board(page);
  await board.isLive();
  await accessible(page);
  await page.getByLabel("Reply", { exact: true }).fill("half a thought");
  await page.reload();
  await board.isLive();
  await expect(page.getByLabel("Reply", { exact: true })).toHaveValue("half a thought");
  await page.getByRole("button", { name: "Met: The line is named" }).click();
  await expect(page.getByText("1 of 1 met")).toBeVisible();
  await page.getByRole("link", { name: "To the board" }).click();
  await board.holds({ Ready: [TITLE] });
});

test("a question waits for a person, and the answer is the agent's to read", async ({ page, project, agent, accessible }) => {
  await project.callboard("tasks", "add", TITLE);
  const board = await Board.open(page, project.url);
  const worker = await agent(project, "agent:ada/w1");
  const id = taskIn(await worker.call("next", {}));
  await worker.call("update", { task: id, question: "Level 3 or level 9 by default?" });
  await board.holds({ "Needs you": [TITLE] });
  await expect(page).toHaveTitle(/^\(1\) Board/);
  await board.link(TITLE).click();
  const asked = page.getByRole("region", { name: "Level 3 or level 9 by default?" });
  await expect(asked).toContainText("ada/w1 asks");
  await accessible(page);
  await asked.getByLabel("Answer in words").fill("Level 3: a start must be quick.");
  await asked.getByRole("button", { name: "Answer" }).click();
  await expect(asked).toHaveCount(0);
  await page.keyboard.press("Escape");
  await board.holds({ Working: [TITLE] });
  expect(await worker.call("ask", { inbox: "unread" })).toContain("Level 3: a start must be quick.");
});

test("what is handed in for review is judged by a person on the card", async ({ page, project, agent, accessible }) => {
  await project.callboard("tasks", "add", TITLE);
  const board = await Board.open(page, project.url);
  const worker = await agent(project, "agent:ada/w1");
  const id = taskIn(await worker.call("next", {}));
  await worker.call("update", { task: id, status: "submitted", no_code: true, comment: "Wrote it down in the operators' guide." });
  await board.holds({ "Needs you": [TITLE] });
  await board.link(TITLE).click();
  const gate = page.getByRole("region", { name: "Is this good?" });
  await expect(gate).toContainText("Wrote it down in the operators' guide.");
  await accessible(page);
  await gate.getByRole("button", { name: "Ask for changes" }).click();
  await expect(gate.getByRole("alert"), "changes need words").toBeVisible();
  await gate.getByLabel("What to change, or what was good").fill("Name the command as well.");
  await gate.getByRole("button", { name: "Ask for changes" }).click();
  await expect(gate).toHaveCount(0);
  await page.keyboard.press("Escape");
  await board.holds({ Ready: [TITLE] });

  expect(await worker.call("next", {})).toContain("Name the command as well.");
  await worker.call("update", { task: id, status: "submitted", no_code: true, comment: "The command is named now." });
  await board.holds({ "Needs you": [TITLE] });
  await board.link(TITLE).click();
  await gate.getByRole("button", { name: "Pass" }).click();
  await page.keyboard.press("Escape");
  await board.holds({ Done: [TITLE] });
  await board.isStillTheSamePage();
});

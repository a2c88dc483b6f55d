// The page's line to the server: cut, slow, gone and back. Nothing is lost, nothing is shown twice, and the page says how it stands.

import { taskIn } from "../support/agent.ts";
import { Board } from "../support/board.ts";
import { Wire } from "../support/proxy.ts";
import { expect, test } from "../support/test.ts";

test("a socket that is cut gives way to server-sent events, and comes back", async ({ page, project, accessible }) => {
  const wire = await Wire.to(Number(new URL(project.url).port));
  try {
    await page.clock.install();
    const board = await Board.open(page, wire.url);
    await project.callboard("tasks", "add", "Over the socket");
    await board.holds({ Ready: ["Over the socket"] });

    wire.cutSockets();
    await project.callboard("tasks", "add", "While it was cut");
    await board.isLive("server-sent events", 20_000);
    await board.holds({ Ready: ["Over the socket", "While it was cut"] });
    // A minute in two halves, with a sign of life between them: a line that is silent for 40 s counts as dead.
    await page.clock.fastForward(35_000);
    await project.callboard("tasks", "add", "Over events");
    await board.holds({ Ready: ["Over the socket", "While it was cut", "Over events"] });
    await accessible(page);

    const before = wire.asked.sockets;
    wire.refusesSockets = false;
    await page.clock.fastForward(30_000);
    await board.isLive("WebSocket");
    expect(wire.asked.sockets).toBeGreaterThan(before);
    await project.callboard("tasks", "add", "Over the socket again");
    await board.holds({ Ready: ["Over the socket", "While it was cut", "Over events", "Over the socket again"] });
    await board.isStillTheSamePage();
  } finally {
    await wire.stop();
  }
});

test("a server that is killed and started again has lost nothing, and neither has the page", async ({ page, project, agent, accessible }) => {
  const worker = await agent(project, "agent:ada/w1");
  const id = taskIn(await project.callboard("tasks", "add", "Held through it all"));
  await worker.call("next", { task: id });
  const board = await Board.open(page, project.url);
  await board.holds({ Working: ["Held through it all"] });
  await board.link("Held through it all").click();
  const panel = page.getByRole("dialog");
  await panel.getByLabel("Reply", { exact: true }).fill("half a thought");

  const port = Number(new URL(project.url).port);
  await project.stop("SIGKILL");
  await expect(page.getByTitle(/^Not live since/)).toBeVisible();
  await panel.getByRole("button", { name: "Send" }).click();
  await expect(panel.getByRole("form", { name: "Reply to this thread" }).getByRole("alert")).toBeVisible();
  await expect(panel.getByLabel("Reply", { exact: true }), "a refused send keeps the draft").toHaveValue("half a thought");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("complementary", { name: "Not live" })).toContainText("Not live since", { timeout: 20_000 });
  await accessible(page);

  // Others go on without the server.
  await project.callboard("tasks", "add", "Added while it was away");
  await worker.call("update", { task: id, comment: "Said while it was away." });

  await project.serve(["ui"], port);
  await board.isLive("", 25_000); // over events, when the socket failed twice meanwhile
  await board.holds({ Working: ["Held through it all"], Ready: ["Added while it was away"] });
  await board.link("Held through it all").click();
  await expect(panel.getByLabel("Reply", { exact: true })).toHaveValue("half a thought");
  await panel.getByRole("button", { name: "Send" }).click();
  await expect(panel.getByRole("listitem").filter({ hasText: "half a thought" })).toHaveCount(1);
  await expect(panel.getByRole("listitem").filter({ hasText: "Said while it was away." })).toHaveCount(1);
  await board.isStillTheSamePage();
  await page.reload();
  await expect(page.getByRole("listitem").filter({ hasText: "half a thought" }), "the same after a reload").toHaveCount(1);
});

test("two browsers agree, whoever of them acts", async ({ page, project, anotherBrowser }) => {
  for (const title of ["One", "Two", "Three"]) await project.callboard("tasks", "add", title);
  const here = await Board.open(page, project.url);
  const there = await Board.open(await (await anotherBrowser()).newPage(), project.url);
  const move = async (board: Board, title: string, to: string) => {
    await board.card(title).getByRole("link", { name: /^Move / }).click();
    await board.dialog.getByRole("button", { name: to, exact: true }).click();
  };

  await move(here, "One", "Working");
  await move(there, "Two", "Backlog");
  for (const board of [here, there]) await board.holds({ Working: ["One"], Backlog: ["Two"], Ready: ["Three"] });

  // Both move the same card, to different places: one wins or both do in turn, and both pages say the same.
  await Promise.all([move(here, "Three", "Working"), move(there, "Three", "Backlog")]);
  await expect(async () => {
    const [one, two] = [await here.standings(), await there.standings()];
    expect(one).toEqual(two);
    expect(one.Ready).toEqual([]);
    expect(Object.values(one).flat().sort()).toEqual(["One", "Three", "Two"]);
  }).toPass({ timeout: 10_000 });

  await there.page.reload();
  await there.isLive();
  expect(await there.standings(), "a fresh page says what the live ones say").toEqual(await here.standings());
  await here.isStillTheSamePage();
});

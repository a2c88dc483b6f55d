// Without JavaScript: everything that matters is links and forms, and what a refused form held is still in it.

import { taskIn } from "../support/agent.ts";
import { Board } from "../support/board.ts";
import { expect, test } from "../support/test.ts";

test.use({ javaScriptEnabled: false });

test("list, card, reply, claim", async ({ page, project, accessible }) => {
  const id = taskIn(await project.callboard("tasks", "add", "Read me without scripts", "--spec", "With a *spec*."));
  const board = new Board(page);
  await page.goto(project.url);
  await board.holds({ Ready: ["Read me without scripts"] });
  await expect(page.getByRole("heading", { level: 1, name: "Board" })).toBeVisible();
  await accessible(page);

  await board.link("Read me without scripts").click();
  await expect(page).toHaveURL(`${project.url}/t/${id}`);
  await expect(page.getByRole("heading", { level: 1, name: "Read me without scripts" })).toBeVisible();
  await expect(page.getByRole("emphasis")).toHaveText("spec");
  await accessible(page);

  await page.getByLabel("Reply", { exact: true }).fill("Sent by a plain form.");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page).toHaveURL(`${project.url}/t/${id}`);
  await expect(page.getByRole("listitem").filter({ hasText: "Sent by a plain form." })).toHaveCount(1);

  await page.getByRole("button", { name: "Claim" }).click();
  await expect(page.getByRole("complementary", { name: "About this task" })).toContainText("working");

});

test("close, refused with what was typed, then for good", async ({ page, project, accessible }) => {
  const id = taskIn(await project.callboard("tasks", "add", "Read me without scripts"));
  await page.goto(`${project.url}/t/${id}`);
  await page.getByText("Close…").click();
  const form = page.getByRole("form", { name: "Close", exact: true });
  await form.getByLabel("What was delivered").fill("A sentence I do not want to type twice.");
  await form.getByLabel("Without code").uncheck();
  await accessible(page);
  const [refused] = await Promise.all([page.waitForResponse(/\/do$/), form.getByRole("button", { name: "Close" }).click()]);
  expect(refused.status(), "no evidence").toBe(422);
  await expect(page.getByRole("alert").first()).toBeVisible();
  await expect(form.getByLabel("What was delivered"), "what was typed is kept").toHaveValue("A sentence I do not want to type twice.");
  await accessible(page);
  await form.getByLabel("Without code").check();
  await form.getByRole("button", { name: "Close" }).click();
  await expect(page).toHaveURL(`${project.url}/t/${id}`);
  await expect(page.getByRole("complementary", { name: "About this task" })).toContainText("done");

  await page.getByRole("link", { name: "To the board" }).click();
  await new Board(page).holds({ Done: ["Read me without scripts"] });
});

test("add and filter", async ({ page, project, accessible }) => {
  await project.callboard("tasks", "add", "There before");
  const board = new Board(page);
  await page.goto(project.url);
  await page.getByRole("link", { name: "Add task" }).first().click();
  await page.getByRole("textbox", { name: "Title" }).fill("Added by a plain form");
  await accessible(page);
  await page.getByRole("form", { name: "Add a task" }).getByRole("button", { name: "Add", exact: true }).click();
  await board.holds({ Ready: ["There before", "Added by a plain form"] });

  await page.getByRole("searchbox", { name: /^Filter/ }).fill("plain");
  await page.getByRole("button", { name: "Filter" }).click();
  await board.holds({ Ready: ["Added by a plain form"] });
  await page.getByRole("searchbox", { name: /^Filter/ }).fill("no such words");
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(page.getByRole("heading", { name: "No task matches" })).toBeVisible();
  await page.getByRole("link", { name: "Clear the filter" }).click();
  await board.holds({ Ready: ["There before", "Added by a plain form"] });
});

test("a form sent twice is one act", async ({ page, project }) => {
  const id = taskIn(await project.callboard("tasks", "add", "Twice"));
  await page.goto(`${project.url}/t/${id}`);
  const fields = await page.getByRole("form", { name: "Reply to this thread" }).locator("input[type=hidden]").evaluateAll((inputs) =>
    inputs.map((input) => [(input as HTMLInputElement).name, (input as HTMLInputElement).value] as const),
  );
  for (let time = 0; time < 2; time += 1) {
    const answer = await page.request.post(`${project.url}/do`, {
      form: { ...Object.fromEntries(fields), text: "Said once." },
      headers: { origin: project.url },
      maxRedirects: 0,
    });
    expect(answer.status()).toBe(303);
  }
  await page.reload();
  await expect(page.getByRole("listitem").filter({ hasText: "Said once." })).toHaveCount(1);
});

test("what is not there is a page with its real status", async ({ page, project, accessible }) => {
  for (const path of ["/nowhere", "/t/tk-000000", "/t/nonsense"]) {
    const answer = await page.goto(project.url + path);
    expect(answer?.status(), path).toBe(404);
    await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
    await accessible(page);
    await page.getByRole("link", { name: "Open the board" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Board" })).toBeVisible();
  }
});

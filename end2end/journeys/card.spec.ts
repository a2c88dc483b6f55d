// A card somebody lives in: its parts, editing in place beside others, names completed, what is new, and a session that ended.

import type { Locator } from "@playwright/test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { taskIn } from "../support/agent.ts";
import { Board } from "../support/board.ts";
import { expect, test } from "../support/test.ts";

const TITLE = "Stop at a torn line and say which";

test("thread, commits, graph and history are links; each shows its own and comes back by Back", async ({ page, project, accessible }) => {
  const first = taskIn(await project.callboard("tasks", "add", "Read the format"));
  const id = taskIn(await project.callboard("tasks", "add", TITLE, "--after", first));
  await project.callboard("tasks", "edit", id, "--priority", "0");
  const board = await Board.open(page, project.url);
  await board.link(TITLE).click();
  const panel = page.getByRole("dialog", { name: TITLE });
  const tabs = panel.getByRole("navigation", { name: "Parts of this card" });

  await tabs.getByRole("link", { name: "History" }).click();
  await expect(page).toHaveURL(`${project.url}/t/${id}?tab=history`);
  const row = panel.getByRole("listitem").filter({ hasText: "set its priority to urgent" });
  await expect(row.getByRole("deletion")).toHaveText("normal");
  await expect(row.getByRole("insertion")).toHaveText("urgent");
  await expect(row).toContainText("local:");
  await accessible(page);

  await tabs.getByRole("link", { name: "Graph" }).click();
  await expect(panel.getByRole("heading", { name: "Waits for", exact: true }).last()).toBeVisible();
  await expect(panel.getByRole("group", { name: "Picture of what waits for what" })).toBeVisible();
  await accessible(page);
  await panel.getByRole("group", { name: "Picture of what waits for what" }).getByRole("link", { name: "Read the format" }).click();
  await expect(page).toHaveURL(`${project.url}/t/${first}?tab=graph`);
  await expect(page.getByRole("dialog", { name: "Read the format" })).toBeVisible();
  await page.goBack();
  await page.goBack();
  await expect(page).toHaveURL(`${project.url}/t/${id}?tab=history`);
  await expect(row).toBeVisible();

  await tabs.getByRole("link", { name: "Commits" }).click();
  await expect(panel).toContainText("No commit is bound to it yet.");
  await accessible(page);
  await board.isStillTheSamePage();
});

test("a commit opens its change, in one column or side by side", async ({ page, project, accessible }) => {
  const id = taskIn(await project.callboard("tasks", "add", TITLE));
  mkdirSync(join(project.directory, "src"));
  writeFileSync(join(project.directory, "src/line.rs"), "fn main() {\n    let line = \"<script>\"; // torn\n}\n");
  await project.git("add", "src/line.rs");
  await project.git("commit", "-m", `Say which line is torn\n\nTask: ${id}`);
  await page.goto(`${project.url}/t/${id}?tab=commits`);
  await page.getByRole("link", { name: "Say which line is torn" }).click();
  await expect(page.getByRole("heading", { name: "Say which line is torn" })).toBeVisible();
  await expect(page.getByRole("group", { name: "Changes of src/line.rs" })).toContainText("let line = \"<script>\"; // torn");
  await accessible(page);
  await page.getByRole("link", { name: "Side by side" }).click();
  await expect(page).toHaveURL(/view=split/);
  await accessible(page);
  await page.getByRole("link", { name: "All commits" }).click();
  await expect(page.getByText("1\u00a0file")).toBeVisible();
});

test("two people edit one card: what differs is merged, what collides is shown both ways", async ({ page, project, anotherBrowser }) => {
  const id = taskIn(await project.callboard("tasks", "add", TITLE, "--spec", "As it was."));
  await Board.open(page, `${project.url}/t/${id}`);
  const other = await (await anotherBrowser()).newPage();
  await Board.open(other, `${project.url}/t/${id}`);

  for (const each of [page, other]) await each.getByText("Edit", { exact: true }).first().click();
  const mine = page.getByRole("form", { name: "Edit this task" });
  const theirs = other.getByRole("form", { name: "Edit this task" });
  await mine.getByLabel("Title").fill("My title");
  await theirs.getByLabel("Spec").fill("Their spec.");
  await theirs.getByRole("button", { name: "Save" }).click();
  await expect(other.getByText("Their spec.")).toBeVisible();
  await expect(mine.getByLabel("Title"), "an open form keeps what was typed").toHaveValue("My title");
  await mine.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "My title" })).toBeVisible();
  await expect(page.getByText("Their spec."), "what only they changed stays theirs").toBeVisible();

  for (const each of [page, other]) await each.getByText("Edit", { exact: true }).first().click();
  await mine.getByLabel("Title").fill("Mine again");
  await theirs.getByLabel("Title").fill("Theirs again");
  await theirs.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Theirs again" })).toBeVisible();
  await mine.getByRole("button", { name: "Save" }).click();
  await expect(mine.getByRole("alert")).toContainText("Somebody else changed this while you wrote.");
  await expect(mine.getByRole("alert")).toContainText("Theirs again");
  await mine.getByRole("button", { name: "Save" }).click();
  await expect(other.getByRole("heading", { level: 1, name: "Mine again" })).toBeVisible();
});

test("a name is completed by the keyboard, and Control and Enter send", async ({ page, project, agent, accessible }) => {
  const id = taskIn(await project.callboard("tasks", "add", TITLE));
  const worker = await agent(project, "agent:ada/w1");
  await worker.call("next", {});
  await Board.open(page, `${project.url}/t/${id}`);
  const reply = page.getByLabel("Reply", { exact: true });
  await reply.pressSequentially("Please look, @ad");
  const names = page.getByRole("listbox", { name: "People and agents" });
  await expect(names.getByRole("option", { name: /ada\/w1/ })).toHaveAttribute("aria-selected", "true");
  await accessible(page);
  await reply.press("Escape");
  await expect(names).toHaveCount(0);
  await reply.pressSequentially("a");
  await reply.press("Enter");
  await expect(reply).toHaveValue("Please look, @ada/w1 ");
  await expect(page.getByText("Reaches ada/w1 on its next tool call.")).toBeVisible();
  await reply.press("Control+Enter");
  await expect(page.getByRole("listitem").filter({ hasText: "Please look," })).toContainText("sent, not yet seen by ada/w1");
  await expect(reply).toHaveValue("");
});

test("letters edit, assign, set the priority and move the open card", async ({ page, project, accessible }) => {
  const id = taskIn(await project.callboard("tasks", "add", TITLE));
  await Board.open(page, `${project.url}/t/${id}`);
  await page.keyboard.press("e");
  await expect(page.getByRole("form", { name: "Edit this task" }).getByLabel("Title")).toBeFocused();
  await page.getByRole("button", { name: "Preview" }).click();
  await accessible(page);
  await page.getByRole("form", { name: "Edit this task" }).getByRole("button", { name: "Cancel" }).click();
  await page.keyboard.press("p");
  await page.getByRole("form", { name: "Priority" }).getByRole("button", { name: "High" }).click();
  const about = page.getByRole("complementary", { name: "About this task" });
  await expect(about.getByText("High").first()).toBeVisible();
  await page.keyboard.press("a");
  await page.getByRole("form", { name: "Assign" }).getByRole("button", { name: "Me" }).click();
  await expect(about).toContainText("assigned");
  await page.keyboard.press("m");
  await expect(about.getByRole("button", { name: "Backlog" })).toBeFocused();
  await accessible(page);
});

test("what is typed and unfolded on a card stays while others change it", async ({ page, project, agent }) => {
  const id = taskIn(await project.callboard("tasks", "add", TITLE, "--criteria", "The line is named", "--criteria", "Nothing is lost"));
  const worker = await agent(project, "agent:ada/w1");
  await worker.call("next", { task: id });
  await worker.call("update", { task: id, question: "Which reader is meant?" });
  const board = await Board.open(page, `${project.url}/t/${id}`);
  const about = page.getByRole("complementary", { name: "About this task" });
  const typed = new Map<string, Locator>();
  await about.getByLabel("More actions").click();
  for (const word of ["Close…", "Hold…", "Cancel task…", "Release…"]) {
    const details = about.locator("details[name=act]").filter({ has: page.locator("summary", { hasText: word }) });
    await details.locator("summary").click();
    typed.set(`Words for ${word}`, details.locator("textarea"));
  }
  await page.getByRole("group").filter({ has: page.getByLabel("Answer with a note: Nothing is lost") }).locator("summary").click();
  typed.set("See the second file.", page.getByLabel("Where to see it, or what is missing").last());
  typed.set("The one for lines.", page.getByRole("region", { name: "Which reader is meant?" }).getByRole("textbox"));
  // A folded form is filled too: it was typed into before another one was unfolded.
  for (const [words, field] of typed) await field.evaluate((area: HTMLTextAreaElement, words) => void (area.value = words), words);

  await worker.call("update", { task: id, comment: "I read the first one.", question: "And which format?", criteria: [{ i: 1, met: true, note: "seen" }] });
  await project.callboard("tasks", "edit", id, "--priority", "0", "--label", "reader");
  await project.callboard("tasks", "add", "A part of it", "--parent", id);
  await expect(page.getByRole("heading", { name: "And which format?" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Criteria 1 of 2 met" })).toBeVisible();
  await expect(about.getByRole("link", { name: /A part of it/ })).toBeVisible();
  await project.callboard("tasks", "assign", id, "dev:someone");
  await expect(about.getByRole("definition").filter({ hasText: "someone" })).toBeVisible();
  await expect(about.getByLabel("What is done and what is left (not required)")).toBeVisible();
  for (const [words, field] of typed) await expect(field).toHaveValue(words);
  await board.isStillTheSamePage();
});

test("what is new is marked until it is read", async ({ page, project, agent }) => {
  const id = taskIn(await project.callboard("tasks", "add", TITLE));
  const board = await Board.open(page, project.url);
  const worker = await agent(project, "agent:ada/w1");
  await worker.call("next", {});
  await worker.call("update", { task: id, comment: "I looked at the reader first." });
  await expect(board.card(TITLE).getByText("new", { exact: true })).toBeAttached();
  await board.link(TITLE).click();
  await expect(page.getByRole("dialog", { name: TITLE }).getByText("I looked at the reader first.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(board.card(TITLE).getByText("new", { exact: true })).toHaveCount(0);
});

test("what was written outlives the session it was written in", async ({ page, project }) => {
  const id = taskIn(await project.callboard("tasks", "add", TITLE));
  await Board.open(page, `${project.url}/t/${id}`);
  await page.getByRole("textbox", { name: "Reply", exact: true }).fill("Half an hour of work.");
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByRole("alert")).toContainText("Your session has ended.");
  await page.getByRole("button", { name: "Open a new session, keep what I wrote" }).click();
  await expect(page.getByRole("alert").first()).toContainText("Your session had ended.");
  await expect(page.getByRole("textbox", { name: "Reply", exact: true })).toHaveValue("Half an hour of work.");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByRole("listitem").filter({ hasText: "Half an hour of work." })).toHaveCount(1);
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("the parts are links, older words too, and the theme is a form", async ({ page, project, accessible }) => {
    const id = taskIn(await project.callboard("tasks", "add", TITLE));
    for (let n = 1; n <= 53; n += 1) await project.callboard("tasks", "comment", id, "-m", `Word number ${n}.`);
    await page.goto(`${project.url}/t/${id}`);
    await expect(page.getByText("Word number 1.", { exact: true })).toHaveCount(0);
    await page.getByRole("link", { name: /before these$/ }).click();
    await expect(page.getByText("Word number 1.", { exact: true })).toBeVisible();
    await page.getByRole("link", { name: "Newer entries" }).click();
    await expect(page.getByText("Word number 53.", { exact: true })).toBeVisible();
    for (const [name, heading] of [["History", "History"], ["Graph", "Graph"], ["Commits", "Commits"]] as const) {
      await page.getByRole("navigation", { name: "Parts of this card" }).getByRole("link", { name }).click();
      await expect(page.getByRole("region", { name: heading })).toBeVisible();
      await accessible(page);
    }
    await page.getByRole("form", { name: "Theme" }).getByRole("button", { name: "Dark" }).click();
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
    await expect(page).toHaveURL(new RegExp(`/t/${id}\\?tab=commits$`));
  });
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });

  test("the board opens where a person is needed", async ({ page, project, agent }) => {
    await project.callboard("tasks", "add", TITLE);
    const worker = await agent(project, "agent:ada/w1");
    const id = taskIn(await worker.call("next", {}));
    await worker.call("update", { task: id, question: "A warning, or an error?" });
    const board = await Board.open(page, project.url);
    await expect(board.link(TITLE)).toBeInViewport({ ratio: 1 });
  });
});

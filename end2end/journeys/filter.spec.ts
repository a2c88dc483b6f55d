// Finding and changing many: the filter as typed, ticked and linked; groups, list and graph; a selection with its way back; the palette.

import { Board } from "../support/board.ts";
import { expect, test } from "../support/test.ts";

const tasks = [
  { title: "Mend the leak", type: "bug", priority: 0, labels: ["hull"] },
  { title: "Paint the buoys", labels: ["hull", "paint"] },
  { title: "Sound the channel", type: "research", after: [0] },
  { title: "Chart the channel", type: "docs", after: [2] },
];

test("a filter is read as it is typed, and can be taken apart, shared and put right", async ({ page, project, accessible }) => {
  await project.plan({ tasks });
  const board = await Board.open(page, project.url);
  const field = page.getByRole("searchbox", { name: /^Filter/ });
  const chips = page.getByRole("list", { name: "Filtered by" });

  await field.fill("type = bug or labels has any [paint]");
  await board.holds({ Ready: ["Mend the leak", "Paint the buoys"] });
  await field.fill("channel type = docs");
  await board.holds({ Backlog: ["Chart the channel"] });
  await expect(chips.getByRole("listitem").filter({ hasText: "text has channel" })).toBeVisible();
  await accessible(page);

  await field.fill("channel typ = docs");
  await expect(page.getByText("There is no field typ; did you mean type?")).toBeVisible();
  await board.holds({ Backlog: ["Chart the channel"] });
  await accessible(page);
  await field.fill("channel type = docs");

  await chips.getByRole("link", { name: "Take out type docs" }).click();
  await board.holds({ Backlog: ["Sound the channel", "Chart the channel"] });
  await expect(field).toHaveValue("channel");
  await page.goBack();
  await board.holds({ Backlog: ["Chart the channel"] });
  await expect(field).toHaveValue("channel type = docs");
  await board.isStillTheSamePage();

  // A card that begins to fit comes by itself, one that ceases to goes.
  await field.fill("type = chore");
  await expect(page.getByRole("heading", { name: "No task matches" })).toBeVisible();
  await project.callboard("tasks", "add", "Swab the deck", "--type", "chore");
  await board.holds({ Ready: ["Swab the deck"] });
  await page.reload();
  await board.holds({ Ready: ["Swab the deck"] });
});

test("menus tick what the filter says", async ({ page, project, accessible }) => {
  await project.plan({ tasks });
  const board = await Board.open(page, project.url);
  await page.locator("[data-facet=type] > summary").click();
  const menu = page.locator("[data-facet=type]");
  await menu.getByRole("link", { name: "bug" }).click();
  await board.holds({ Ready: ["Mend the leak"] });
  await menu.getByRole("link", { name: "docs" }).click();
  await board.holds({ Ready: ["Mend the leak"], Backlog: ["Chart the channel"] });
  await expect(page).toHaveURL(/q=type%20in%20%5Bbug%2C%20docs%5D/);
  await accessible(page);
  await page.keyboard.press("Escape");
  await expect(menu.getByRole("link", { name: "docs" })).toBeHidden();
  await page.getByRole("link", { name: "Clear", exact: true }).click();
  await expect(page).toHaveURL(`${project.url}/`);
});

test("groups, a list and a graph of the same tasks", async ({ page, project, accessible }) => {
  await project.plan({ tasks });
  await Board.open(page, project.url);
  const links = page.getByRole("main").getByRole("link", { name: /leak|buoys|channel/ });

  await page.locator("[data-facet=display] > summary").click();
  await page.getByRole("link", { name: "Type", exact: true }).click();
  await expect(page.getByRole("region", { name: "bug" }).getByRole("heading", { level: 3 })).toHaveText("Mend the leak");
  await page.keyboard.press("Escape");
  await accessible(page);

  await page.getByRole("link", { name: "List", exact: true }).click();
  const table = page.getByRole("table", { name: "Tasks" });
  await table.getByRole("link", { name: "Title" }).click();
  await expect(table.getByRole("rowheader")).toHaveText(["Chart the channel", "Mend the leak", "Paint the buoys", "Sound the channel"]);
  await table.getByRole("link", { name: "Title" }).click();
  await expect(table.getByRole("rowheader").first()).toHaveText("Sound the channel");
  await accessible(page);
  await page.keyboard.press("j");
  await expect(table.getByRole("link", { name: "Sound the channel" })).toBeFocused();

  await page.getByRole("link", { name: "Graph", exact: true }).click();
  const graph = page.getByRole("region", { name: "What waits for what" });
  await expect(graph.getByText("3 tasks on the critical path")).toBeVisible();
  await expect(graph.getByRole("link")).toHaveText(["Mend the leak", "Sound the channel", "Chart the channel"]);
  await accessible(page);
  await page.reload();
  await expect(graph.getByRole("link")).toHaveCount(3);
  await expect(links).toHaveCount(3);
});

test("one act on many, and back, by keyboard and by pointer", async ({ page, project, accessible }) => {
  await project.plan({ tasks: ["One", "Two", "Three", "Four"].map((title) => ({ title })) });
  const board = await Board.open(page, project.url);
  const selection = page.getByRole("region", { name: "Selected tasks" });
  const key = (name: string) => page.keyboard.press(name);

  await key("j");
  await key("x");
  await expect(selection.getByText("1 task selected")).toBeVisible();
  await board.card("Three").hover();
  await board.card("Three").getByRole("checkbox").click({ modifiers: ["Shift"] });
  await expect(selection.getByText("3 tasks selected")).toBeVisible();
  await accessible(page);

  await key("p");
  await expect(selection.getByRole("button", { name: "Urgent" })).toBeFocused();
  await key("Enter");
  await expect(selection).toHaveCount(0);
  await expect(page.getByText("3 tasks now urgent").first()).toBeVisible();
  await expect(page.getByLabel("Urgent").filter({ visible: true })).toHaveCount(3);
  await accessible(page);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByLabel("Urgent").filter({ visible: true })).toHaveCount(0);

  await board.link("Two").focus();
  await key("x");
  await selection.getByText("Cancel…").click();
  await selection.getByRole("textbox", { name: "Why are they not needed?" }).fill("The channel was filled in");
  await selection.getByRole("button", { name: "Cancel them" }).click();
  await board.holds({ Ready: ["One", "Three", "Four"], Done: ["Two"] });
  await page.getByRole("button", { name: "Undo" }).click();
  await board.holds({ Ready: ["One", "Two", "Three", "Four"] });
  await board.isStillTheSamePage();
});

test("the palette goes, opens and does; letters can be switched off", async ({ page, project, accessible }) => {
  await project.plan({ tasks });
  await Board.open(page, project.url);
  const palette = page.getByRole("dialog", { name: "Commands" });
  await page.keyboard.press("Control+k");
  await expect(palette.getByRole("combobox")).toBeFocused();
  await accessible(page);
  await page.keyboard.type("sound");
  await expect(palette.getByRole("option").first()).toContainText("Sound the channel");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Sound the channel" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);

  await page.keyboard.press("Control+k");
  await page.keyboard.type("add a task");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("textbox", { name: "Title" })).toBeFocused();
  await page.keyboard.press("Escape");

  await page.keyboard.press("?");
  await page.getByRole("checkbox", { name: "Single letters and signs act" }).uncheck();
  await page.keyboard.press("Escape");
  await page.keyboard.press("c");
  await expect(page.getByRole("textbox", { name: "Title" })).toBeHidden();
  await page.reload();
  await page.keyboard.press("c");
  await expect(page.getByRole("textbox", { name: "Title" })).toBeHidden();
});

test("a search looks everywhere, and a plan is shown before it is added", async ({ page, project, accessible }) => {
  const [id] = await project.plan({ tasks: [{ title: "Mend the leak", spec: "Behind the bulkhead, port side." }] });
  const board = await Board.open(page, project.url);
  await page.keyboard.press("/");
  await page.keyboard.type("bulkhead");
  const search = page.getByRole("search", { name: "Search everything" });
  await expect(search.getByRole("link", { name: new RegExp(id!) })).toBeVisible();
  await accessible(page);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Mend the leak" })).toBeVisible();
  await page.keyboard.press("Escape");

  await page.keyboard.press("c");
  await page.getByText("Paste a list or a plan").click();
  const list = page.getByRole("textbox", { name: /^One line a task/ });
  await list.fill("- Careen her\n  - Scrape the hull\n  - Tar the seams");
  await expect(page.getByText("3 tasks will be added:")).toBeVisible();
  await accessible(page);
  await page.getByRole("button", { name: "Add all" }).click();
  await board.holds({ Ready: ["Mend the leak", "Scrape the hull", "Tar the seams"], Backlog: ["Careen her"] });
});

test("a look is kept for the project", async ({ page, project, anotherBrowser }) => {
  await project.plan({ tasks });
  await Board.open(page, `${project.url}/?q=type%20%3D%20bug&view=list`);
  await page.locator("[data-facet=display] > summary").click();
  await page.getByRole("textbox", { name: "Name" }).fill("Leaks");
  await page.getByRole("button", { name: "Keep", exact: true }).click();
  await expect(page.getByRole("link", { name: "Leaks" })).toBeVisible();

  const other = await (await anotherBrowser()).newPage();
  await Board.open(other, project.url);
  await other.locator("[data-facet=display] > summary").click();
  await other.getByRole("link", { name: "Leaks" }).click();
  await expect(other.getByRole("table", { name: "Tasks" }).getByRole("rowheader")).toHaveText(["Mend the leak"]);
});

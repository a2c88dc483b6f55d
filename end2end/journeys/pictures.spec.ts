// The pictures: every main page in both themes and on a phone, from the demonstration board that stands still. They are looked at, not
// compared: what must hold is asserted, the rest is for eyes. Written to `screenshots/out`, which git ignores.

import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Page } from "@playwright/test";

import { Board } from "../support/board.ts";
import { Project } from "../support/project.ts";
import { expect, test } from "../support/test.ts";

const out = join(dirname(fileURLToPath(import.meta.url)), "..", "screenshots", "out");
mkdirSync(out, { recursive: true });
const THEMES = ["light", "dark"] as const;

async function pictures(page: Page, name: string): Promise<void> {
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.screenshot({ path: join(out, `${name}-${colorScheme}.png`), animations: "disabled", caret: "hide" });
  }
}

async function demonstration(page: Page, project: Project): Promise<Board> {
  await project.serve(["demo", join(project.home, "demo"), "--still"]);
  return Board.open(page, project.url);
}

test.describe("the demonstration", () => {
  test("the board, its filter, its form, its keys", async ({ page, bareProject, accessible }) => {
    const board = await demonstration(page, bareProject);
    const shown = Object.values(await board.standings()).flat();
    expect(shown.length, "a board worth looking at").toBeGreaterThanOrEqual(20);
    await expect(page.getByRole("complementary", { name: "Demo" })).toBeVisible();
    await pictures(page, "board");
    await accessible(page);

    await page.keyboard.press("c");
    await expect(page.getByRole("textbox", { name: "Title" })).toBeFocused();
    await page.getByText("Details", { exact: true }).click();
    await pictures(page, "add");
    await accessible(page);
    await page.keyboard.press("Escape");

    await page.getByRole("searchbox", { name: /^Filter/ }).fill("tide");
    await expect(page).toHaveURL(/q=tide/);
    await pictures(page, "filtered");
    await page.getByRole("searchbox", { name: /^Filter/ }).fill("no such words anywhere");
    await expect(page.getByRole("heading", { name: "No task matches" })).toBeVisible();
    await pictures(page, "nothing-matches");
    await accessible(page);
    await page.getByRole("link", { name: "Clear the filter" }).click();
    await expect(page.getByRole("searchbox", { name: /^Filter/ }), "the field is cleared with it").toHaveValue("");

    await page.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("?");
    await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
    await pictures(page, "keys");
    await accessible(page);
  });

  test("a card over the board, and as a page", async ({ page, bareProject, accessible }) => {
    const board = await demonstration(page, bareProject);
    // The card with the longest thread shows the most.
    const talked = page.getByRole("listitem").filter({ has: page.getByTitle(/^\d+\scomments?$/) });
    const counts = await talked.evaluateAll((cards) => cards.map((card) => Number(/(\d+)\scomment/.exec([...card.querySelectorAll("[title]")].map((each) => each.getAttribute("title")).join(" "))?.[1] ?? 0)));
    await talked.nth(counts.indexOf(Math.max(...counts))).getByRole("heading").getByRole("link").click();
    const panel = page.getByRole("dialog");
    await expect(panel.getByRole("form", { name: "Reply to this thread" })).toBeVisible();
    await pictures(page, "card");
    await accessible(page);
    for (const [name, opener] of [["card-move", panel.getByText("Move to…", { exact: true })], ["card-edit", panel.getByTitle("Edit (e)")]] as const) {
      await opener.click();
      await pictures(page, name);
      await accessible(page);
      await opener.click();
    }
    await panel.getByRole("link", { name: "Open as a page" }).click();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await board.isLive();
    await pictures(page, "card-page");
    await accessible(page);
  });

  test("the activity, with its table and its audit", async ({ page, bareProject, accessible }) => {
    await demonstration(page, bareProject);
    for (const [name, address] of [["activity", "/activity"], ["activity-asked", "/activity?since=24h&kind=task.*"], ["activity-audit", "/activity?audit=true"], ["activity-nothing", "/activity?text=no-such-words"], ["activity-refused", "/activity?task=x"]] as const) {
      await page.goto(`${bareProject.url}${address}`);
      await expect(page.getByRole("heading", { level: 1, name: "Activity" })).toBeVisible();
      await pictures(page, name);
      await accessible(page);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${bareProject.url}/activity`);
    await pictures(page, "activity-phone");
  });

  test("what needs a person, each kind", async ({ page, bareProject, accessible }) => {
    const board = await demonstration(page, bareProject);
    const panel = page.getByRole("dialog");
    const titles = await board.column("Needs you").getByRole("heading", { level: 3 }).getByRole("link").allTextContents();
    expect(titles.length).toBeGreaterThan(0);
    for (const [place, title] of titles.entries()) {
      await board.link(title).click();
      await expect(panel.getByRole("form", { name: "Reply to this thread" })).toBeVisible();
      await pictures(page, `needs-you-${place + 1}`);
      await accessible(page);
      await page.keyboard.press("Escape");
      await expect(panel).toHaveCount(0);
    }
  });

  test("what is not there, and what is not live", async ({ page, bareProject, accessible }) => {
    const board = await demonstration(page, bareProject);
    await page.goto(`${bareProject.url}/nowhere`);
    await pictures(page, "not-found");
    await accessible(page);
    await page.goto(bareProject.url);
    await board.isLive();
    await bareProject.stop("SIGKILL");
    await expect(page.getByRole("complementary", { name: "Not live" })).toBeVisible({ timeout: 20_000 });
    await pictures(page, "not-live");
    await accessible(page);
  });

  test("on a phone", async ({ browser, bareProject, accessible }) => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, locale: "en-GB", timezoneId: "UTC" });
    const page = await context.newPage();
    const board = await demonstration(page, bareProject);
    await pictures(page, "board-phone");
    await accessible(page);
    await board.column("Needs you").getByRole("heading", { level: 3 }).getByRole("link").first().tap();
    await expect(page.getByRole("dialog").getByRole("form", { name: "Reply to this thread" })).toBeVisible();
    await pictures(page, "card-phone");
    await accessible(page);
    await context.close();
  });
});

test("an empty board, and one where all is done", async ({ page, project, accessible }) => {
  const board = await Board.open(page, project.url);
  await expect(page.getByRole("heading", { name: "An empty board" })).toBeVisible();
  await pictures(page, "empty");
  await accessible(page);
  const id = /tk-[0-9a-f]{6}/.exec(await project.callboard("tasks", "add", "The only one"))?.[0] ?? "";
  await board.holds({ Ready: ["The only one"] });
  await project.callboard("tasks", "done", id, "--no-code", "-m", "It was a decision.");
  await expect(page.getByRole("heading", { name: "Nothing is left to do" })).toBeVisible();
  await pictures(page, "all-done");
  await accessible(page);
});

test("ten thousand tasks are a page like any other", async ({ page }) => {
  test.setTimeout(180_000);
  const project = await Project.create();
  try {
    let first = "";
    for (let thousand = 0; thousand < 10; thousand += 1) {
      const tasks = Array.from({ length: 1_000 }, (_, n) => ({ title: thousand * 1_000 + n === 9_999 ? "The very last of them" : `Task ${thousand * 1_000 + n} of many`, labels: [n % 2 ? "odd" : "even"], priority: n % 4 }));
      const ids = await project.plan({ tasks });
      first ||= ids[0] ?? "";
    }
    await project.serve();
    const board = await Board.open(page, project.url);
    await expect(page.getByText("100 of 10,000 tasks")).toBeVisible();
    await expect(board.column("Ready").getByRole("heading", { level: 3 })).toHaveCount(100);
    await pictures(page, "ten-thousand");
    await page.getByRole("searchbox", { name: /^Filter/ }).fill("very last");
    await board.holds({ Ready: ["The very last of them"] });
    await page.getByRole("searchbox", { name: /^Filter/ }).fill("");
    await board.column("Ready").getByRole("link", { name: /more$/ }).click();
    await expect(board.column("Ready").getByRole("heading", { level: 3 })).toHaveCount(300);
    await project.callboard("tasks", "claim", first);
    await expect(board.column("Working").getByRole("heading", { level: 3 })).toHaveCount(1);
    await board.isStillTheSamePage();
  } finally {
    await project.remove();
  }
});

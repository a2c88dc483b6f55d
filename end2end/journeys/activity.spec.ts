// What happened: whole without scripts, live at its top, asked for by address, form, picture and table, and taken away as a file.

import { readFile } from "node:fs/promises";

import { expect, test } from "../support/test.ts";

const tasks = [{ title: "Mend the leak" }, { title: "Paint the buoys" }];

for (const scripts of [true, false]) {
  test.describe(scripts ? "with scripts" : "without scripts", () => {
    test.use({ javaScriptEnabled: scripts });

    test("the activity tells what happened, to whom it may concern, and can be asked for less", async ({ page, project, agent, accessible }) => {
      const [leak, buoys] = await project.plan({ tasks });
      const ada = await agent(project, "agent:ada/w1");
      await ada.call("next", {});
      await ada.call("update", { task: leak, comment: "It drips at the **third** frame" });
      await page.goto(project.url);
      await page.getByRole("navigation", { name: "Project" }).getByRole("link", { name: "Activity" }).click();
      await expect(page).toHaveTitle(/^Activity · app · Callboard$/);
      const timeline = page.getByRole("region", { name: "Timeline" });
      await expect(timeline.getByText(/did \d things on/).first()).toBeVisible();
      await expect(timeline.getByRole("heading", { name: "Today" })).toBeVisible();
      await timeline.getByText(/did \d things on/).first().click();
      await expect(timeline.getByText("It drips at the third frame")).toBeVisible();
      const byActor = page.getByRole("complementary", { name: "By actor" });
      await expect(byActor.getByRole("row", { name: /ada\/w1/ })).toContainText("lease live");
      await expect(page.getByRole("img", { name: /Events per hour/ })).toBeVisible();
      await accessible(page);

      await byActor.getByRole("link", { name: "ada/w1" }).click();
      await expect(page).toHaveURL(/actor=agent%3Aada%2Fw1/);
      await expect(timeline.getByText(buoys!)).toHaveCount(0);
      await page.getByRole("link", { name: /Take out by/ }).click();
      await expect(page).toHaveURL(/\/activity$/);
      const form = page.getByRole("search", { name: "Filter the events" });
      await form.getByLabel("Text").fill("THIRD");
      await form.getByRole("button", { name: "Filter" }).click();
      await expect(timeline.getByText("all 1 event")).toBeVisible();
      await expect(form.getByLabel("Text")).toHaveValue("THIRD");
      await form.getByRole("textbox", { name: "Task" }).fill("leak");
      await form.getByRole("button", { name: "Filter" }).click();
      await expect(page.getByRole("alert")).toContainText("tk-");
      await expect(form.getByRole("textbox", { name: "Task" })).toHaveValue("leak");
      await accessible(page);

      await page.goto(`${project.url}/activity?text=nothing-like-it`);
      await expect(page.getByRole("heading", { name: "No event matches" })).toBeVisible();
      await page.getByRole("link", { name: "Show all" }).click();
      await page.getByText("Table", { exact: true }).click();
      await page.getByRole("table").filter({ hasText: "Hour" }).getByRole("rowheader").getByRole("link").first().click();
      await expect(page).toHaveURL(/since=.*until=/);
      await expect(timeline.getByText(/did \d things on/).first()).toBeVisible();

      await page.getByRole("link", { name: "Audit" }).click();
      await timeline.getByText(/did \d things on/).first().click();
      await expect(timeline.getByText(/behind it local:/).first()).toBeVisible();
      await page.getByRole("link", { name: "Verify the chains" }).click();
      await expect(page.getByText("Sound: every chain verifies.")).toBeVisible();
      await accessible(page);
    });
  });
}

test("it moves with the log, and stands still for whoever reads on", async ({ page, project, agent }) => {
  const many = Array.from({ length: 60 }, (_, at) => ({ title: `Task ${at}` }));
  const ids = await project.plan({ tasks: many });
  const ada = await agent(project, "agent:ada/w1");
  await page.goto(`${project.url}/activity`);
  await expect(page.getByTitle(/^Live over/)).toBeVisible();
  await ada.call("update", { task: ids[0], comment: "First of all" });
  await expect(page.getByText("First of all")).toBeVisible();

  await page.locator("#main").evaluate((main) => main.scrollTo(0, 600));
  await ada.call("update", { task: ids[1], comment: "Second thoughts" });
  await ada.call("update", { task: ids[2], comment: "Third time" });
  const pill = page.getByRole("button", { name: "2 new" });
  await expect(pill).toBeVisible();
  await expect(page.getByText("Third time")).toHaveCount(0);
  await pill.click();
  await expect(page.getByText("Third time")).toBeInViewport();
  await expect(pill).toHaveCount(0);

  await page.getByRole("button", { name: "Pause" }).click();
  await ada.call("update", { task: ids[3], comment: "Unseen for now" });
  await expect(page.getByRole("button", { name: "1 new" })).toBeVisible();
  await expect(page.getByText("Unseen for now")).toHaveCount(0);
  await page.getByRole("button", { name: "Pause" }).click();
  await expect(page.getByText("Unseen for now")).toBeVisible();

  // A card opens over it, and closing leads back to it as it was.
  await page.getByRole("region", { name: "Timeline" }).getByRole("link", { name: ids[3]! }).first().click();
  await expect(page.getByRole("dialog")).toContainText("Task 3");
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(`${project.url}/activity`);
  await expect(page.getByText("Unseen for now")).toBeVisible();
});

test("a pointer chooses a time, keys lead there and back, and everything asked for comes as a file", async ({ page, project }) => {
  const [leak] = await project.plan({ tasks });
  await page.goto(`${project.url}/activity?kind=task.created`);
  await expect(page.locator("html")).toHaveAttribute("data-app", "on");
  const picture = page.getByRole("img", { name: /Events per hour/ });
  const box = (await picture.boundingBox())!;
  await page.mouse.move(box.x + box.width - 60, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 6, box.y + 50, { steps: 4 });
  await page.mouse.up();
  await expect(page).toHaveURL(/kind=task\.created&since=.*&until=/);
  await expect(page.getByRole("region", { name: "Timeline" }).getByText(leak!)).toBeVisible();

  await page.getByText("Export", { exact: true }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "One JSON object a line" }).click()]);
  const lines = (await readFile((await download.path())!, "utf8")).trimEnd().split("\n").map((line) => JSON.parse(line));
  expect(lines.map((line) => line.kind)).toEqual(["task.created", "task.created"]);
  expect(download.suggestedFilename()).toMatch(/^activity-.*\.ndjson$/);

  await page.keyboard.press("Escape");
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("g");
  await page.keyboard.press("b");
  await expect(page.getByRole("heading", { level: 1, name: "Board" })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("data-app", "on");
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await expect(page.getByRole("heading", { level: 1, name: "Activity" })).toBeVisible();
});

test.describe("on a phone", () => {
  for (const width of [390, 320]) {
    test(`nothing is wider than ${width} pixels`, async ({ page, project, accessible }) => {
      await page.setViewportSize({ width, height: 844 });
      await project.plan({ tasks: [{ title: `${"Averylongword".repeat(12)} at the end` }, ...tasks] });
      await page.goto(`${project.url}/activity?audit=true`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      expect(await page.locator("#main").evaluate((main) => main.scrollWidth <= main.clientWidth)).toBe(true);
      await page.getByRole("link", { name: "Filter", exact: true }).click();
      await expect(page.getByRole("search", { name: "Filter the events" })).toBeVisible();
      await accessible(page);
    });
  }
});

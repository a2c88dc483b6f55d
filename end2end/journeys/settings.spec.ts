// Settings: how this project is connected, said as it is now, with what mends the rest; the same without scripts.

import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "../support/test.ts";

for (const scripts of [true, false]) {
  test.describe(scripts ? "with scripts" : "without scripts", () => {
    test.use({ javaScriptEnabled: scripts });

    test("what is wired is shown, what is broken is named with its mending command, and the log is verified", async ({ page, project, accessible }) => {
      const hook = join(project.directory, ".git", "hooks", "post-commit");
      await page.goto(project.url);
      await page.getByRole("navigation", { name: "Project" }).getByRole("link", { name: "Settings" }).click();
      await expect(page).toHaveTitle(/^Settings · app · Callboard$/);
      const wired = page.getByRole("region", { name: "Hooks and clients" });
      for (const what of ["prepare-commit-msg", "post-commit", "Claude Code, 7 events", "Tools over MCP", "Skills"]) {
        await expect(wired.getByRole("row", { name: what })).toContainText("installed");
      }
      await expect(page.getByText("all installed", { exact: true })).toBeVisible();
      for (const client of ["Claude Code", "Codex", "Cursor", "Copilot", "Any other client"]) {
        await expect(page.getByRole("heading", { name: client, exact: true })).toBeVisible();
      }
      await accessible(page);

      await rm(hook);
      await writeFile(join(project.directory, ".callboard", "GUIDE.md"), "old\n");
      await page.getByRole("link", { name: "Look again" }).click();
      await expect(wired.getByRole("row", { name: "post-commit" })).toContainText("not installed");
      await expect(wired.getByRole("row", { name: "post-commit" })).toContainText("callboard init");
      await expect(wired.getByRole("row", { name: "Guide for agents" })).toContainText("older than this binary");
      await expect(page.getByText("2 things to mend", { exact: true })).toBeVisible();
      await project.callboard("init");
      await page.getByRole("link", { name: "Look again" }).click();
      await expect(page.getByText("all installed", { exact: true })).toBeVisible();

      await page.getByRole("button", { name: "Verify now" }).click();
      await expect(page.getByRole("status").filter({ hasText: "Sound: every chain verifies" })).toBeVisible();
      const log = join(project.directory, ".callboard", "log");
      // Another writer's file: what is torn in the own one is mended before anybody could look.
      const own = (await readdir(log)).find((name) => name.endsWith(".jsonl"))!;
      await writeFile(join(log, own.replace(/.(?=\.jsonl$)/, (last) => (last === "0" ? "1" : "0"))), "{\n");
      await page.getByRole("button", { name: "Verify now" }).click();
      await expect(page.getByRole("status").filter({ hasText: "One thing does not hold." })).toBeVisible();
      await accessible(page);
    });

    test("the project's settings are changed where they are shown, and a refusal keeps what was typed", async ({ page, project }) => {
      await page.goto(`${project.url}/settings`);
      const zone = page.getByRole("form", { name: "Time zone" });
      await zone.getByLabel("Time zone").fill("Mars/Olympus");
      await zone.getByRole("button", { name: "Save time zone" }).click();
      await expect(zone.getByRole("alert")).toContainText("Mars/Olympus");
      await expect(zone.getByLabel("Time zone")).toHaveValue("Mars/Olympus");
      await zone.getByLabel("Time zone").fill("Europe/Lisbon");
      await zone.getByRole("button", { name: "Save time zone" }).click();
      await expect(zone.getByRole("alert")).toHaveCount(0);
      await expect(zone.getByLabel("Time zone")).toHaveValue("Europe/Lisbon");
      const name = page.getByRole("form", { name: "Name" });
      await name.getByLabel("Name").fill("Harbour");
      await name.getByRole("button", { name: "Save name" }).click();
      await expect(page.getByRole("banner")).toContainText("Harbour");
      expect(await project.callboard("config", "explain", "zone")).toContain("Europe/Lisbon");
    });
  });
}

test("the settings fit a phone and both themes", async ({ page, project, accessible }) => {
  for (const [name, width] of [["wide", 1440], ["phone", 390], ["narrow", 320]] as const) {
    await page.setViewportSize({ width, height: width > 1000 ? 900 : 844 });
    await page.goto(`${project.url}/settings?verify=true`);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join("screenshots", "out", `settings-${name}-${colorScheme}.png`), fullPage: true });
    }
    const overflows = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
    expect(overflows, name).toBe(false);
    await accessible(page);
  }
});

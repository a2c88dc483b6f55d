// The whole of it by keyboard alone: nothing here touches a pointer, and the focus is always somewhere a person can see.

import type { Page } from "@playwright/test";

import { Board } from "../support/board.ts";
import { expect, test } from "../support/test.ts";

test("add, find, open, reply, move and close without a pointer", async ({ page, project, accessible }) => {
  const board = await Board.open(page, project.url);
  const key = (name: string) => page.keyboard.press(name);

  await key("Tab");
  await expect(page.getByRole("link", { name: "Skip to the page" })).toBeFocused();
  await expect(page.getByRole("link", { name: "Skip to the page" })).toBeInViewport();
  await key("Enter");
  await expect(page.getByRole("main")).toBeFocused();

  await key("c");
  const title = page.getByRole("textbox", { name: "Title" });
  await expect(title).toBeFocused();
  await accessible(page);
  await page.keyboard.type("First by hand");
  await key("Enter");
  await board.holds({ Ready: ["First by hand"] });
  await expect(title, "ready for the next one").toBeFocused();
  await expect(title).toHaveValue("");
  await page.keyboard.type("Second by hand, c and j are letters here");
  await key("Enter");
  const second = "Second by hand, c and j are letters here";
  await board.holds({ Ready: ["First by hand", second] });
  await key("Escape");
  await expect(title).toBeHidden();

  await key("?");
  const help = page.getByRole("dialog", { name: "Keys" });
  await expect(help).toBeVisible();
  await accessible(page);
  await key("Escape");
  await expect(help).toHaveCount(0);

  await key("j");
  await expect(board.link("First by hand")).toBeFocused();
  await key("j");
  await expect(board.link(second)).toBeFocused();
  await key("k");
  await expect(board.link("First by hand")).toBeFocused();
  await expect(await ring(page), "the focus can be seen").toBe(true);

  await key("Enter");
  const panel = page.getByRole("dialog", { name: "First by hand" });
  await expect(panel).toBeVisible();
  await focusStaysIn(page, panel);
  await key("r");
  await expect(panel.getByLabel("Reply", { exact: true })).toBeFocused();
  await page.keyboard.type("Said without a mouse");
  await key("Control+Enter");
  await expect(panel.getByRole("listitem").filter({ hasText: "Said without a mouse" })).toBeVisible();
  await key("Escape");
  await expect(panel).toHaveCount(0);
  await expect(board.link("First by hand"), "the focus comes back").toBeFocused();

  await key("m");
  const menu = page.getByRole("dialog", { name: /^Move/ });
  await expect(menu).toBeVisible();
  await tabTo(page, () => menu.getByRole("button", { name: "Working" }));
  await key("Enter");
  await board.holds({ Working: ["First by hand"], Ready: [second] });
  await expect(board.link("First by hand")).toBeFocused();

  await key("Space");
  await key("ArrowRight");
  await expect(page.getByRole("status")).toHaveText("Over Needs you.");
  await key("ArrowRight");
  await expect(page.getByRole("status")).toHaveText("Over Done.");
  await key("Space");
  const asks = page.getByRole("dialog", { name: "Close without a commit" });
  await expect(asks.getByRole("textbox")).toBeFocused();
  await page.keyboard.type("Nothing to commit: it was a decision.");
  await tabTo(page, () => asks.getByRole("form").getByRole("button", { name: "Close" }));
  await key("Enter");
  await board.holds({ Done: ["First by hand"], Ready: [second] });

  await key("f");
  await expect(page.getByRole("searchbox", { name: /^Filter/ })).toBeFocused();
  await page.keyboard.type("letters");
  await board.holds({ Ready: [second] });
  await expect(page).toHaveURL(`${project.url}/?q=letters`);
  await board.isStillTheSamePage();
  await page.reload();
  await board.holds({ Ready: [second] });
});

/** Whether the focused element, or what it is the link of, draws an outline or a ring. */
async function ring(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    const seen = [focused, focused?.closest("[data-card]")].filter((element) => element instanceof Element);
    return seen.some((element) => {
      const styles = [getComputedStyle(element), getComputedStyle(element, "::after")];
      return styles.some((style) => (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none");
    });
  });
}

/** Tab goes round inside a modal layer and never into the page below it. */
async function focusStaysIn(page: Page, layer: ReturnType<Page["getByRole"]>): Promise<void> {
  for (let step = 0; step < 40; step += 1) {
    await page.keyboard.press("Tab");
    const outside = await layer.evaluate((element) => document.activeElement !== document.body && !element.contains(document.activeElement));
    expect(outside, `Tab ${step + 1} left the layer`).toBe(false);
  }
}

async function tabTo(page: Page, wanted: () => ReturnType<Page["getByRole"]>): Promise<void> {
  for (let step = 0; step < 30; step += 1) {
    if (await wanted().evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error("Tab never came there");
}

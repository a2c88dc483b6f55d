// A card is moved by pointer, by keyboard and by menu; where it may not go, the board says why; a move that needs words asks for them.

import { Board } from "../support/board.ts";
import { expect, test } from "../support/test.ts";

const TITLE = "Name the torn line";

test("by pointer", async ({ page, project, accessible }) => {
  await project.callboard("tasks", "add", TITLE);
  const board = await Board.open(page, project.url);

  await drag(board, TITLE, "Working", async () => {
    await expect(board.column("Working")).toHaveAttribute("data-drop", "yes");
    await expect(board.column("Needs you")).toHaveAttribute("data-drop", "no");
    await accessible(page);
  });
  await board.holds({ Working: [TITLE] });
  await expect(page.getByRole("dialog"), "a drag opens nothing").toHaveCount(0);

  // Done wants evidence: without a commit it wants words, and without words the card stays.
  await drag(board, TITLE, "Done");
  const asks = page.getByRole("dialog", { name: "Close without a commit" });
  await expect(asks).toBeVisible();
  await accessible(page);
  await page.keyboard.press("Escape");
  await expect(asks).toHaveCount(0);
  await board.holds({ Working: [TITLE] });
  await drag(board, TITLE, "Done");
  await asks.getByLabel("What was delivered, and why is there no commit?").fill("A line in the guide.");
  await asks.getByRole("form").getByRole("button", { name: "Close" }).click();
  await board.holds({ Done: [TITLE] });

  // Escape in the middle of a drag puts it back.
  await drag(board, TITLE, "Ready", () => page.keyboard.press("Escape"));
  await board.holds({ Done: [TITLE] });
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await board.isStillTheSamePage();
});

test("by keyboard, announced", async ({ page, project }) => {
  await project.callboard("tasks", "add", TITLE);
  const board = await Board.open(page, project.url);
  const said = page.getByRole("status");
  await board.link(TITLE).focus();
  await page.keyboard.press("Space");
  await expect(said).toContainText(`Lifted ${TITLE}. It may go to`);
  await page.keyboard.press("ArrowRight");
  await expect(said).toHaveText("Over Working.");
  await page.keyboard.press("Escape");
  await expect(said).toHaveText("Not moved.");
  await expect(board.link(TITLE)).toBeFocused();
  await board.holds({ Ready: [TITLE] });

  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowLeft");
  await expect(said).toHaveText("Over Backlog.");
  await page.keyboard.press("Space");
  await board.holds({ Backlog: [TITLE] });
  await expect(board.link(TITLE), "the focus stays with its card").toBeFocused();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Space");
  await board.holds({ Ready: [TITLE] });
  await expect(board.link(TITLE)).toBeFocused();
  await board.isStillTheSamePage();
});

test("by menu, which says why a column is closed", async ({ page, project, accessible }) => {
  await project.callboard("tasks", "add", TITLE);
  const board = await Board.open(page, project.url);
  await board.card(TITLE).getByRole("link", { name: /^Move tk-/ }).click();
  const menu = page.getByRole("dialog", { name: `Move “${TITLE}” to` });
  await expect(menu.getByRole("button", { name: "Needs you" })).toBeDisabled();
  await expect(menu.getByRole("listitem").filter({ hasText: "Needs you" })).not.toHaveText(/^Needs you\s*$/);
  await accessible(page);
  await menu.getByRole("button", { name: "Working" }).click();
  await board.holds({ Working: [TITLE] });
  await expect(menu).toHaveCount(0);
  await board.isStillTheSamePage();
});

/** Takes a card by its title, carries it over a column in steps, and lets go there. */
async function drag(board: Board, title: string, to: Parameters<Board["column"]>[0], before?: () => Promise<unknown>): Promise<void> {
  const mouse = board.page.mouse;
  const from = await board.card(title).boundingBox();
  const target = await board.column(to).boundingBox();
  if (!from || !target) throw new Error("nothing to drag, or nowhere to drop");
  await mouse.move(from.x + from.width / 2, from.y + 12);
  await mouse.down();
  await mouse.move(from.x + from.width / 2 + 20, from.y + 20, { steps: 3 });
  await mouse.move(target.x + target.width / 2, target.y + Math.min(target.height / 2, 160), { steps: 8 });
  await before?.();
  await mouse.up();
}

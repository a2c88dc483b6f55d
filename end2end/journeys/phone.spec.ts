// On a phone: the same board one column at a time, a card as wide as the screen, fingers instead of a pointer.

import { taskIn } from "../support/agent.ts";
import { Board, columns } from "../support/board.ts";
import { expect, test } from "../support/test.ts";

for (const width of [390, 320]) {
  test.describe(`${width} pixels`, () => {
    test.use({ viewport: { width, height: width === 390 ? 844 : 568 }, isMobile: true, hasTouch: true });

    test("the board, a card, a reply and a move", async ({ page, project, agent, accessible }) => {
      const titles = ["A title of ordinary length that takes two lines on a phone", "x".repeat(120), "Short"];
      for (const title of titles) await project.callboard("tasks", "add", title, "--label", "one", "--label", "two", "--spec", "| a | b |\n|---|---|\n| `code_that_is_rather_long_for_a_phone()` | c |");
      const worker = await agent(project, "agent:ada/w1");
      const board = await Board.open(page, project.url);
      const fits = async () => {
        const [wide, there] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
        expect(wide, "no sideways scrolling").toBeLessThanOrEqual(there);
      };
      await board.holds({ Ready: titles });
      await fits();
      await accessible(page);

      const strip = page.getByRole("navigation", { name: "Columns" });
      for (const name of columns) {
        await strip.getByRole("link", { name: new RegExp(`^${name}`) }).tap();
        await expect(board.column(name).getByRole("heading", { name })).toBeInViewport();
      }
      await strip.getByRole("link", { name: /^Ready/ }).tap();
      await expect(board.link("Short")).toBeInViewport();

      await board.link("Short").tap();
      const panel = page.getByRole("dialog", { name: "Short" });
      await expect(panel).toBeVisible();
      const box = await panel.boundingBox();
      expect(box?.width, "as wide as the screen").toBeGreaterThanOrEqual(width - 1);
      await fits();
      for (const way of [panel.getByRole("link", { name: "Close" }), panel.getByRole("button", { name: "Send" })]) await expect(way).toBeInViewport({ ratio: 1 });
      await accessible(page);
      await panel.getByLabel("Reply", { exact: true }).fill("From a train.");
      await panel.getByRole("button", { name: "Send" }).tap();
      await expect(panel.getByRole("listitem").filter({ hasText: "From a train." })).toBeVisible();

      await panel.getByText("Move to…").tap();
      await panel.getByRole("button", { name: "Working" }).tap();
      await expect(panel.getByRole("complementary", { name: "About this task" })).toContainText("working");
      await panel.getByRole("link", { name: "Close" }).tap();
      await expect(panel).toHaveCount(0);
      await board.holds({ Working: ["Short"], Ready: titles.slice(0, 2) });

      const id = taskIn(await worker.call("next", {}));
      await worker.call("update", { task: id, question: "Which one?" });
      await expect(page.getByRole("navigation", { name: "Project" }).getByTitle(/^1\scard needs you$/)).toBeVisible();
      await fits();
      await board.isStillTheSamePage();
    });

    test("nothing that can be pressed is smaller than a finger allows", async ({ page, project }) => {
      await project.callboard("tasks", "add", "Short");
      const board = await Board.open(page, project.url);
      await board.holds({ Ready: ["Short"] });
      expect(await tooSmall(page)).toEqual([]);
      await board.link("Short").tap();
      await expect(page.getByRole("dialog", { name: "Short" })).toBeVisible();
      expect(await tooSmall(page)).toEqual([]);
    });
  });
}

/** Buttons and fields on the screen under 24 pixels either way (WCAG 2.5.8), but for links in a line of text. */
function tooSmall(page: import("@playwright/test").Page): Promise<string[]> {
  return page.evaluate(() => {
    const layer = document.querySelector("dialog[open]") ?? document;
    const pressed = [...layer.querySelectorAll<HTMLElement>("button, summary, input:not([type=hidden]), textarea, select, a.button")];
    return pressed
      .map((element) => ({ element, box: (element.closest("label") ?? element).getBoundingClientRect() }))
      .filter(({ element, box }) => element.checkVisibility({ visibilityProperty: true }) && box.width > 0 && (box.width < 24 || box.height < 24))
      .map(({ element, box }) => `${element.outerHTML.slice(0, 80)} ${Math.round(box.width)}x${Math.round(box.height)}`);
  });
}

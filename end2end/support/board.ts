// The board page as a person finds their way on it: by role and by name.

import { expect, type Locator, type Page } from "@playwright/test";

export const columns = ["Backlog", "Ready", "Working", "Needs you", "Done"] as const;
export type Column = (typeof columns)[number];
/** Which titles stand in which column; a column that is left out is empty. */
export type Standings = Partial<Record<Column, string[]>>;

export class Board {
  private origin = 0;

  constructor(readonly page: Page) {}

  /** Opens the board and waits until changes arrive. */
  static async open(page: Page, url: string): Promise<Board> {
    const board = new Board(page);
    await page.goto(url);
    await board.isLive();
    board.origin = await page.evaluate(() => performance.timeOrigin);
    return board;
  }

  /** The document is the one that was opened: no navigation, no reload. */
  async isStillTheSamePage(): Promise<void> {
    expect(await this.page.evaluate(() => performance.timeOrigin), "the page was loaded again").toBe(this.origin);
  }

  async isLive(over: "WebSocket" | "server-sent events" | "" = "WebSocket", timeout = 15_000): Promise<void> {
    await expect(this.page.getByTitle(new RegExp(`^Live over ${over}`))).toBeVisible({ timeout });
  }

  column(name: Column): Locator {
    return this.page.getByRole("region", { name, exact: true });
  }

  link(title: string): Locator {
    return this.page.getByRole("heading", { level: 3 }).getByRole("link", { name: title, exact: true });
  }

  card(title: string): Locator {
    return this.page.getByRole("listitem").filter({ has: this.link(title) });
  }

  /** Waits until the board holds exactly these cards, each once. */
  async holds(wanted: Standings, timeout = 10_000): Promise<void> {
    const all = Object.fromEntries(columns.map((name) => [name, [...(wanted[name] ?? [])].sort()]));
    await expect.poll(() => this.standings(), { timeout }).toEqual(all);
  }

  async standings(): Promise<Record<string, string[]>> {
    const found: Record<string, string[]> = {};
    for (const name of columns) {
      const titles = this.column(name).getByRole("heading", { level: 3 }).getByRole("link");
      found[name] = (await titles.allTextContents()).sort();
    }
    return found;
  }

  /** The open card: a panel over the board, or the page of its own. */
  get open(): Locator {
    return this.page.getByRole("dialog").or(this.page.getByRole("main").filter({ has: this.page.getByRole("form", { name: /reply/i }) })).first();
  }

  get dialog(): Locator {
    return this.page.getByRole("dialog");
  }
}

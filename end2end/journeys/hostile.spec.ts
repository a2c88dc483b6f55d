// Text from outside is data: whatever stands in a title, a spec or a comment is read by people and carried out by nobody.

import type { Page } from "@playwright/test";

import { taskIn } from "../support/agent.ts";
import { Board } from "../support/board.ts";
import { expect, test } from "../support/test.ts";

const WORD = "w".repeat(200);
const RTL = "אבג דהו: שלום עולם";
const BIDI = "Pay \u202Egnp.exe to bob";
const TITLES = [
  "<script>alert(1)</script>",
  "\"><img src=x onerror=alert(1)>",
  "'; drop table task; --",
  "</title></textarea><svg/onload=alert(1)>",
  "{{7*7}} ${7*7} <%= 7*7 %>",
  "&lt;b&gt; &amp;amp; stays as written",
  "javascript:alert(1)",
  RTL,
  BIDI,
  "日本語の照合順序:長音記号 👩‍👩‍👧‍👦 e\u0301",
  WORD,
];
const MARKDOWN = [
  "<script>alert('spec')</script>",
  "",
  "<img src=x onerror=alert(1)> <iframe src='https://evil.example/'></iframe> <style>*{display:none}</style>",
  "",
  "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html,<script>alert(1)</script>) [d](vbscript:x) [e](//evil.example/x) [ok](https://example.org/fine)",
  "",
  "![picture](https://evil.example/pixel.png)",
  "",
  "[ref]: javascript:alert(1)",
  "[reference][ref] <javascript:alert(1)>",
  "",
  "# A heading that may not be the page's",
  "",
  "```html\n</code></pre><script>alert(1)</script>\n```",
  "",
  `${WORD}${WORD}`,
].join("\n");

/** A script that ran would say so, and one that was only added would be counted. */
async function isInert(page: Page, dialogs: string[]): Promise<void> {
  expect(dialogs, "nothing ran").toEqual([]);
  const found = await page.evaluate(() => ({
    links: [...document.querySelectorAll("a[href], form[action]")]
      .map((element) => element.getAttribute("href") ?? element.getAttribute("action") ?? "")
      .filter((href) => !/^(https?:\/\/|mailto:|#|\/(?!\/)|$)/.test(href)),
    handlers: [...document.querySelectorAll("*")].filter((element) => [...element.attributes].some((attribute) => attribute.name.startsWith("on"))).length,
    foreign: document.querySelectorAll("main iframe, main img, main style, main script:not([nonce]), dialog iframe, dialog img, dialog style, dialog script, object, embed").length,
  }));
  expect(found).toEqual({ links: [], handlers: 0, foreign: 0 });
}

/** No sideways scrolling of the page, however long a word is. */
async function fits(page: Page): Promise<void> {
  const [wide, there] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  expect(wide, "the page is no wider than the window").toBeLessThanOrEqual(there);
}

test("hostile titles, specs and comments are text, on the board, on the card and for the agent", async ({ page, project, agent, accessible }) => {
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const ids: string[] = [];
  for (const title of TITLES) ids.push(taskIn(await project.callboard("tasks", "add", title, "--spec", MARKDOWN, "--label", "a-label", "--criteria", "<b>criterion</b>")));
  const worker = await agent(project, "agent:ada/w1");
  for (const id of ids.slice(0, 2)) {
    await project.callboard("tasks", "comment", id, "-m", MARKDOWN);
    await worker.call("update", { task: id, comment: MARKDOWN });
  }

  const board = await Board.open(page, project.url);
  await board.holds({ Ready: TITLES });
  await isInert(page, dialogs);
  await fits(page);
  await accessible(page);
  const column = await board.column("Ready").boundingBox();
  const card = await board.card(WORD).boundingBox();
  expect(card && column && card.x + card.width <= column.x + column.width, "a card stays in its column").toBe(true);

  await board.link(TITLES[0]!).click();
  const panel = page.getByRole("dialog", { name: TITLES[0]! });
  await expect(panel.getByText("<script>alert('spec')</script>").filter({ visible: true })).toHaveCount(3); // the spec and both comments
  await expect(panel.getByRole("link", { name: "ok" }).first()).toHaveAttribute("rel", "noopener noreferrer nofollow");
  for (const name of ["a", "b", "c", "d", "e"]) await expect(panel.getByRole("link", { name, exact: true })).toHaveCount(0);
  await expect(panel.getByRole("heading", { level: 1 })).toHaveCount(1);
  await isInert(page, dialogs);
  await fits(page);
  await accessible(page);

  // What comes over the wire is treated as what came with the page.
  await worker.call("update", { task: ids[0]!, comment: `<script>alert('live')</script> ${RTL} ${BIDI}` });
  await expect(panel.getByText("<script>alert('live')</script>")).toBeVisible();
  await isInert(page, dialogs);

  await page.goto(`${project.url}/t/${ids.at(-1)}`);
  await expect(page.getByRole("heading", { level: 1, name: WORD })).toBeVisible();
  await fits(page);
  await isInert(page, dialogs);
  const typed = "\"><script>alert('filter')</script>";
  await page.goto(`${project.url}/?q=${encodeURIComponent(typed)}`);
  await expect(page.getByRole("searchbox", { name: /^Filter/ })).toHaveValue(typed);
  await expect(page.getByText("A quote is not closed")).toBeVisible();
  await isInert(page, dialogs);
});

test("an order of letters that a title turns round ends with the title", async ({ page, project }) => {
  await project.callboard("tasks", "add", BIDI);
  const board = await Board.open(page, project.url);
  const ends = await board.link(BIDI).evaluate((link) => getComputedStyle(link.closest("[dir], bdi") ?? link).unicodeBidi);
  expect(ends).toMatch(/isolate|plaintext/);
  await board.link(BIDI).click();
  await expect(page.getByRole("heading", { level: 1, name: BIDI })).toHaveAttribute("dir", "auto");
});

test("control characters are refused at every door, by name", async ({ page, project, agent }) => {
  const bell = "a\u0007b";
  const cli = await project.tryCallboard(["tasks", "add", bell]);
  expect([cli.exit, cli.stderr.includes("\u0007")], cli.stderr).toEqual([2, false]);

  const worker = await agent(project, "agent:ada/w1");
  const tool = await worker.try("plan", { tasks: [{ title: bell }] });
  expect(tool.refused).toBe(true);
  expect(tool.text).toContain("bad_request");

  const board = await Board.open(page, project.url);
  const answer = await page.evaluate(async (title) => {
    const body = JSON.stringify({ command: "plan", args: { tasks: [{ title }] } });
    const response = await fetch("/api/commands", { method: "POST", headers: { "content-type": "application/json" }, body });
    return [response.status, ((await response.json()) as { code: string }).code];
  }, bell);
  expect(answer).toEqual([400, "bad_request"]);
  const long = await project.tryCallboard(["tasks", "add", "x".repeat(201)]);
  expect(long.exit, long.stderr).not.toBe(0);
  expect(Object.values(await board.standings()).flat()).toEqual([]);
});

// What a journey is written with: `project` (a repository with its own server), `model` (a scripted one), `agent` (a real MCP client),
// `accessible` (axe, in both themes), and `quiet`, which nobody asks for: no page may complain, and none may speak to anybody else.
// Import `test` and `expect` from here.

import { AxeBuilder } from "@axe-core/playwright";
import { test as base, expect, type BrowserContext, type Page } from "@playwright/test";

import { Agent } from "./agent.ts";
import { Project } from "./project.ts";
import { scriptedModel, type ScriptedModel, type Turn } from "./scripted-model.ts";

type Fixtures = {
  /** A fresh repository with a board, served at `project.url`. */
  project: Project;
  /** The same, not yet initialised and not yet served. */
  bareProject: Project;
  /** Starts a scripted model; it ends with the test. */
  model: (turns: Turn[]) => Promise<ScriptedModel>;
  /** Starts an MCP client on `callboard mcp`; it ends with the test. */
  agent: (project: Project, actor?: string) => Promise<Agent>;
  /** Fails on any axe violation of the page as it is, light and dark, contrast included. */
  accessible: (page: Page) => Promise<void>;
  /** A further browser, as strange to the first one as another person's; watched like it. */
  anotherBrowser: () => Promise<BrowserContext>;
};

export const test = base.extend<Fixtures>({
  project: async ({}, use, info) => {
    const project = await Project.create();
    try {
      await project.serve();
      await use(project);
    } finally {
      if (info.status !== info.expectedStatus) await info.attach("server log", { body: project.log(), contentType: "text/plain" });
      await project.remove();
    }
  },
  bareProject: async ({}, use, info) => {
    const project = await Project.create({ init: false });
    try {
      await use(project);
    } finally {
      if (info.status !== info.expectedStatus) await info.attach("server log", { body: project.log(), contentType: "text/plain" });
      await project.remove();
    }
  },
  model: async ({}, use) => {
    const started: ScriptedModel[] = [];
    await use(async (turns) => {
      const model = await scriptedModel(turns);
      started.push(model);
      return model;
    });
    for (const model of started) await model.stop();
  },
  // Named after `project` by a journey, so that clients end before their directory goes.
  agent: async ({}, use) => {
    const started: Agent[] = [];
    await use(async (project, actor) => {
      const agent = await Agent.start(project, actor);
      started.push(agent);
      return agent;
    });
    for (const agent of started) await agent.stop();
  },
  context: async ({ context }, use) => {
    const complaints = listen(context);
    await use(context);
    expect(complaints, "what pages complained about, or asked of others").toEqual([]);
  },
  anotherBrowser: async ({ browser, contextOptions }, use) => {
    const opened: Array<{ context: BrowserContext; complaints: string[] }> = [];
    await use(async () => {
      const context = await browser.newContext(contextOptions);
      opened.push({ context, complaints: listen(context) });
      return context;
    });
    for (const { context, complaints } of opened) {
      await context.close();
      expect(complaints, "what pages complained about, or asked of others").toEqual([]);
    }
  },
  accessible: async ({ browser, contextOptions, javaScriptEnabled }, use) => {
    await use(async (page) => {
      if (javaScriptEnabled) return judge(page);
      const context = await browser.newContext({ ...contextOptions, javaScriptEnabled: true });
      try {
        await judge(await asItStands(page, context));
      } finally {
        await context.close();
      }
    });
  },
});

async function judge(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]).analyze();
    const told = violations.map((rule) => {
      const nodes = rule.nodes.map((node) => `  ${node.target.join(" ")} ${node.any[0]?.message ?? ""}`);
      return `${rule.id}: ${rule.help}\n${nodes.join("\n")}`;
    });
    expect(told, `axe, ${colorScheme}`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}

/** The page as somebody without scripts has it, where axe, which is a script, can run: its own are taken out, its fallbacks unfolded. */
async function asItStands(page: Page, context: BrowserContext): Promise<Page> {
  const html = (await page.content()).replace(/<script[^]*?<\/script>/g, "").replace(/<\/?noscript>/g, "");
  await context.addCookies(await page.context().cookies());
  const copy = await context.newPage();
  await copy.route(page.url(), (route) => route.fulfill({ contentType: "text/html", body: html }));
  await copy.goto(page.url());
  return copy;
}

/** Lines the browser itself writes about an answer that a journey wants, or about a wire that a journey cuts. */
const NETWORK = /^Failed to load resource|^WebSocket connection to|net::ERR_|^The connection to .* was interrupted/;

/** Collects what goes wrong on a context's pages: errors, warnings of the content policy, requests to anybody but this machine. */
function listen(context: BrowserContext): string[] {
  const complaints: string[] = [];
  context.on("weberror", (error) => complaints.push(`error: ${error.error().message}`));
  context.on("console", (message) => {
    const told = message.text();
    if (message.type() === "error" && !NETWORK.test(told)) complaints.push(`console: ${told}`);
    else if (/Content Security Policy|hydration/i.test(told)) complaints.push(`console: ${told}`);
  });
  context.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    const stays = ["data:", "blob:", "about:"].includes(protocol) || ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
    if (!stays) complaints.push(`request to ${request.url()}`);
  });
  return complaints;
}

export { expect };

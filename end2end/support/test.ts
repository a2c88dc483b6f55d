// What a journey is written with: `project` (a repository with its own server), `model` (a scripted one), `accessible` (axe, in both
// themes). Import `test` and `expect` from here.

import { AxeBuilder } from "@axe-core/playwright";
import { test as base, expect, type Page } from "@playwright/test";

import { Project } from "./project.ts";
import { scriptedModel, type ScriptedModel, type Turn } from "./scripted-model.ts";

type Fixtures = {
  /** A fresh repository with a board, served at `project.url`. */
  project: Project;
  /** The same, not yet initialised and not yet served. */
  bareProject: Project;
  /** Starts a scripted model; it ends with the test. */
  model: (turns: Turn[]) => Promise<ScriptedModel>;
  /** Fails on any axe violation of the page as it is, light and dark, contrast included. */
  accessible: (page: Page) => Promise<void>;
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
  bareProject: async ({}, use) => {
    const project = await Project.create({ init: false });
    await use(project);
    await project.remove();
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
  accessible: async ({}, use) => {
    await use(async (page) => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]).analyze();
        const told = violations.map((rule) => `${rule.id}: ${rule.help}\n${rule.nodes.map((node) => `  ${node.target.join(" ")}`).join("\n")}`);
        expect(told, `axe, ${colorScheme}`).toEqual([]);
      }
      await page.emulateMedia({ colorScheme: null });
    });
  },
});

export { expect };

// A repository whose hooks are wired, and sessions of the real agent client in it: what a hook says reaches the scripted model, or does not.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { claude, type ClaudeRun } from "./claude.ts";
import type { Project } from "./project.ts";
import { type ScriptedModel, scriptedModel, type Seen, type Turn } from "./scripted-model.ts";

/** Who a session is that nobody named: the first one of this person. */
export const MAIN = "agent:ada/main";

export type Ended = {
  run: ClaudeRun;
  /** What each tool call gave, in order. */
  results: string[];
  /** For each request, the whole conversation as the model sees it then. */
  told: string[];
};

export type SessionOptions = { cwd?: string; env?: Record<string, string>; prompt?: string; args?: string[] };

export class Hooked {
  private files = 0;

  constructor(readonly project: Project) {}

  /** A board, its hooks, and what `init` wrote committed, so that a linked worktree has the tools too. */
  static async wire(project: Project): Promise<Hooked> {
    await project.callboard("init");
    await project.git("add", "-A");
    await project.git("commit", "--quiet", "--message", "Board");
    return new Hooked(project);
  }

  /** A task; held by somebody if so. */
  async task(title: string, holder = "", more: Record<string, unknown> = {}): Promise<{ id: string; branch: string }> {
    const [id] = await this.project.plan({ tasks: [{ title, ...more }] });
    if (holder) await this.project.callboard("tasks", "claim", id!, "--actor", holder);
    const shown = await this.show(id!);
    return { id: id!, branch: String(shown.branch) };
  }

  async show(id: string): Promise<Record<string, any>> {
    return JSON.parse(await this.project.callboard("tasks", "show", id, "--json")) as Record<string, any>;
  }

  /** The commits that are bound to a task and count. */
  async counting(id: string): Promise<string[]> {
    const { commits_detail: commits } = await this.show(id);
    return ((commits ?? []) as Array<Record<string, any>>).filter((commit) => commit.counts !== false).map((commit) => String(commit.sha));
  }

  /** A linked worktree on a branch of its own. */
  async worktree(branch: string): Promise<string> {
    const path = join(this.project.directory, "..", `tree ${branch.replaceAll("/", "-")}`);
    await this.project.git("worktree", "add", "--quiet", path, "-b", branch);
    return path;
  }

  git(cwd: string, ...args: string[]): string {
    return execFileSync("git", args, { cwd, env: this.project.env(), encoding: "utf8" }).trim();
  }

  /** Something new to commit, staged. */
  stage(cwd: string): void {
    this.files += 1;
    writeFileSync(join(cwd, "buoys.txt"), `${this.files}\n`);
    this.git(cwd, "add", "buoys.txt");
  }

  head(cwd: string): string {
    return this.git(cwd, "rev-parse", "HEAD");
  }

  /** The tasks that git reads in the trailers of the last commit. */
  trailers(cwd: string): string[] {
    return this.git(cwd, "log", "-1", "--format=%(trailers:key=Task,valueonly)").split("\n").filter(Boolean);
  }

  /** One session to its end, with every permission given: whatever is denied, is denied by a hook. */
  async session(turns: Turn[], options: SessionOptions = {}): Promise<Ended> {
    const model = await scriptedModel(turns);
    try {
      const run = await claude({
        cwd: options.cwd ?? this.project.directory,
        modelUrl: model.url,
        prompt: options.prompt,
        allowedTools: ["Bash", "Write", "Edit", "Task", "mcp__callboard"],
        args: options.args,
        env: { PATH: this.project.env().PATH!, ...options.env },
        limitMs: 150_000,
      });
      if (run.exit !== 0 || model.turnsLeft() > 0) {
        throw new Error(`the session ended with ${run.exit}, ${model.turnsLeft()} turns left: ${run.stderr}\n${JSON.stringify(run.result)}\n${model.results().join("\n--\n")}`);
      }
      return { run, results: model.results(), told: told(model) };
    } finally {
      await model.stop();
    }
  }
}

/** A turn that calls one tool. */
export function calls(tool: string, input: Record<string, unknown>): Turn {
  return [{ tool, input }];
}

/** A turn that types a command. */
export function types(command: string): Turn {
  return calls("Bash", { command });
}

/** A turn that waits until something was done by somebody else. */
export function after(deed: () => Promise<unknown>, turn: Turn): Turn {
  return (seen: Seen) => [{ until: deed() }, ...(typeof turn === "function" ? turn(seen) : turn)];
}

/** The model's last word: its session stops. */
export const BYE: Turn = [{ text: "bye" }];

function told(model: ScriptedModel): string[] {
  return model.requests.map(({ messages }) => messages.map(({ content }) => (typeof content === "string" ? content : content.map(said).join("\n"))).join("\n"));
}

function said(block: Record<string, unknown>): string {
  if (typeof block.text === "string") return block.text;
  return JSON.stringify(block.content ?? block.input ?? "");
}

/** How often a text is in another. */
export function times(text: string, within: string): number {
  return within.split(text).length - 1;
}

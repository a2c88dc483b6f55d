// A fresh git repository with a board, and the real binary serving it.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const START_MS_MAX = 15_000;

/** The binary under test: `CALLBOARD_BIN`, else the release build of this checkout. */
export function callboardBinary(): string {
  const binary = resolve(process.env.CALLBOARD_BIN ?? join(root, "target", "release", "callboard"));
  if (!existsSync(binary)) throw new Error(`no binary to test at ${binary}: make e2e builds it, CALLBOARD_BIN names another`);
  return binary;
}

export type Finished = { stdout: string; stderr: string; exit: number };

/** A directory of its own, with a home of its own: nothing of the machine's configuration reaches a test. */
export class Project {
  private server: ChildProcess | undefined;
  private said = "";
  url = "";

  private constructor(
    readonly directory: string,
    readonly home: string,
    private readonly keep: string,
  ) {}

  /** A git repository with one commit and, unless told otherwise, a board. */
  static async create(options: { init?: boolean } = {}): Promise<Project> {
    const keep = await mkdtemp(join(tmpdir(), "callboard-e2e-"));
    const project = new Project(join(keep, "app"), join(keep, "home"), keep);
    mkdirSync(project.directory);
    mkdirSync(project.home);
    try {
      await project.git("init", "--quiet", "--initial-branch=main");
      writeFileSync(join(project.directory, "README.md"), "# app\n");
      await project.git("add", ".");
      await project.git("commit", "--quiet", "--message", "Begin");
      if (options.init ?? true) await project.callboard("init");
      return project;
    } catch (error) {
      await project.remove();
      throw error;
    }
  }

  /** What every child sees: PATH, a home, a clock's zone, a git configuration. */
  env(more: Record<string, string> = {}): Record<string, string> {
    return {
      PATH: `${dirname(callboardBinary())}:${process.env.PATH}`,
      HOME: this.home,
      TZ: "UTC",
      LANG: "C.UTF-8",
      GIT_CONFIG_GLOBAL: testGitConfig(this.home),
      GIT_CONFIG_NOSYSTEM: "1",
      ...more,
    };
  }

  async git(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)("git", args, { cwd: this.directory, env: this.env() });
    return stdout.trim();
  }

  /** Runs the CLI; a refusal is thrown with what it said. */
  async callboard(...args: string[]): Promise<string> {
    const finished = await this.tryCallboard(args);
    if (finished.exit !== 0) throw new Error(`callboard ${args.join(" ")} exited ${finished.exit}: ${finished.stderr}`);
    return finished.stdout;
  }

  /** Runs the CLI; an exit code is an answer. */
  tryCallboard(args: string[], more: { env?: Record<string, string>; cwd?: string; stdin?: string } = {}): Promise<Finished> {
    const child = spawn(callboardBinary(), args, {
      cwd: more.cwd ?? this.directory,
      env: this.env(more.env),
      stdio: "pipe",
    });
    child.stdin.on("error", () => undefined); // a command that reads nothing ends before it is all written
    child.stdin.end(more.stdin);
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    return new Promise((done, failed) => {
      child.once("error", failed);
      child.once("close", (exit) => done({ stdout, stderr, exit: exit ?? -1 }));
    });
  }

  /** Plans tasks; the ids come back in the order of the plan. */
  async plan(plan: { tasks: Array<Record<string, unknown>>; [more: string]: unknown }): Promise<string[]> {
    const finished = await this.tryCallboard(["tasks", "plan", "-", "--json"], { stdin: JSON.stringify(plan) });
    if (finished.exit !== 0) throw new Error(`callboard tasks plan exited ${finished.exit}: ${finished.stdout}${finished.stderr}`);
    return [...new Set(finished.stdout.match(/tk-[0-9a-f]{6}/g))];
  }

  /** Starts the server and waits until it says it is ready. `args` replaces `ui`, for `demo` and the like. */
  async serve(args: string[] = ["ui"], port?: number): Promise<string> {
    const chosen = port ?? (await freePort());
    this.said = "";
    const server = spawn(callboardBinary(), [...args, "--port", String(chosen)], {
      cwd: this.directory,
      env: this.env(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.server = server;
    for (const pipe of [server.stdout, server.stderr]) pipe?.setEncoding("utf8").on("data", (text: string) => (this.said += text));
    server.once("error", (error) => (this.said += String(error)));
    this.url = `http://127.0.0.1:${chosen}`;
    await this.ready(server);
    return this.url;
  }

  private async ready(server: ChildProcess): Promise<void> {
    for (const start = Date.now(); Date.now() - start < START_MS_MAX; await sleep(25)) {
      if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}: ${this.said}`);
      const answer = await fetch(`${this.url}/healthz`).catch(() => undefined);
      if (answer?.ok) return;
    }
    throw new Error(`no answer from ${this.url}/healthz in ${START_MS_MAX} ms: ${this.said}`);
  }

  /** What the server wrote so far. */
  log(): string {
    return this.said;
  }

  /** Ends the server, politely or not, and waits until it is gone. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const server = this.server;
    this.server = undefined;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const gone = new Promise<void>((done) => server.once("exit", () => done()));
    server.kill(signal);
    const hard = setTimeout(() => server.kill("SIGKILL"), 5_000);
    await gone;
    clearTimeout(hard);
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.keep, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A git configuration with a name and nothing of the machine's. */
export function testGitConfig(home: string): string {
  const path = join(home, "gitconfig");
  if (!existsSync(path)) {
    writeFileSync(path, "[user]\n\tname = Ada Lovelace\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[commit]\n\tgpgSign = false\n");
  }
  return path;
}

/** A port nobody listens on now. */
export function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer();
    probe.once("error", failed);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address ? address.port : 0;
      probe.close(() => done(port));
    });
  });
}

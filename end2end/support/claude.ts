// The real Claude Code CLI in a cleaned environment, so that hooks, MCP and streaming are tested against the client people use.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { testGitConfig } from "./project.ts";

const modules = join(dirname(fileURLToPath(import.meta.url)), "..", "node_modules");

export type ClaudeRun = {
  /** Lines of `stream-json`, in order. */
  events: Array<Record<string, any>>;
  /** The last line: cost, usage, turns, whether it failed. */
  result: Record<string, any> | undefined;
  exit: number | null;
  stderr: string;
};

export type ClaudeOptions = {
  cwd: string;
  modelUrl: string;
  prompt?: string;
  allowedTools?: string[];
  /** Further variables of the child; it inherits PATH alone. */
  env?: Record<string, string>;
  args?: string[];
  limitMs?: number;
};

/** Runs one `claude -p` to its end. */
export async function claude(options: ClaudeOptions): Promise<ClaudeRun> {
  const home = await mkdtemp(join(tmpdir(), "callboard-claude-"));
  const flags = ["-p", options.prompt ?? "go", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits"];
  const tools = options.allowedTools ?? ["Bash"];
  try {
    return await run([...flags, ...(options.args ?? []), "--allowedTools", ...tools], options, home);
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function run(args: string[], options: ClaudeOptions, home: string): Promise<ClaudeRun> {
  const child = spawn(claudeBinary(), args, {
    cwd: options.cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: home,
      GIT_CONFIG_GLOBAL: testGitConfig(home),
      GIT_CONFIG_NOSYSTEM: "1",
      ANTHROPIC_BASE_URL: options.modelUrl,
      ANTHROPIC_API_KEY: "test",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      ...options.env,
    },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const limit = setTimeout(() => child.kill("SIGKILL"), options.limitMs ?? 60_000);
  return new Promise((done, failed) => {
    child.once("error", failed);
    child.once("close", (exit) => {
      clearTimeout(limit);
      const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
      const events = lines.map((line) => JSON.parse(line) as Record<string, any>);
      done({ events, result: events.findLast((event) => event.type === "result"), exit, stderr });
    });
  });
}

/** The native binary of this platform's package: the wrapper needs an install script, which npm does not run unasked. */
export function claudeBinary(): string {
  const scope = join(modules, "@anthropic-ai");
  const platform = `${process.platform}-${process.arch}`;
  for (const name of [`claude-code-${platform}`, `claude-code-${platform}-musl`]) {
    const binary = join(scope, name, process.platform === "win32" ? "claude.exe" : "claude");
    if (existsSync(binary)) return binary;
  }
  throw new Error(`Claude Code has no binary for ${platform}; run npm ci in end2end`);
}

// An agent as a client sees it: the official MCP SDK, speaking to `callboard mcp` over a pipe.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

import { callboardBinary, type Project } from "./project.ts";

export type Answer = { text: string; refused: boolean };

export class Agent {
  private said = "";

  private constructor(
    readonly actor: string,
    private readonly client: Client,
  ) {}

  /** Starts the server in the project's directory; without an actor the session gets a name of its own. */
  static async start(project: Project, actor = ""): Promise<Agent> {
    const client = new Client({ name: "journey", version: "1" });
    const transport = new StdioClientTransport({
      command: callboardBinary(),
      args: ["mcp"],
      cwd: project.directory,
      env: project.env(actor ? { CALLBOARD_ACTOR: actor } : {}),
      stderr: "pipe",
    });
    const agent = new Agent(actor, client);
    transport.stderr?.on("data", (piece: Buffer) => (agent.said += piece.toString("utf8")));
    try {
      await client.connect(transport);
    } catch (error) {
      throw new Error(`callboard mcp did not greet: ${String(error)}\n${agent.said}`);
    }
    return agent;
  }

  async tools(): Promise<string[]> {
    return (await this.client.listTools()).tools.map((tool) => tool.name);
  }

  /** Calls a tool; a refusal is an answer. */
  async try(tool: string, input: Record<string, unknown>): Promise<Answer> {
    const result = await this.client.callTool({ name: tool, arguments: input });
    const parts = result.content as Array<{ type: string; text?: string }>;
    return { text: parts.map((part) => part.text ?? "").join("\n"), refused: result.isError === true };
  }

  /** Calls a tool; a refusal is thrown with what it said. */
  async call(tool: string, input: Record<string, unknown>): Promise<string> {
    const answer = await this.try(tool, input);
    if (answer.refused) throw new Error(`${tool} ${JSON.stringify(input)}: ${answer.text}`);
    return answer.text;
  }

  async stop(): Promise<void> {
    await this.client.close();
  }
}

/** The first task id in a text. */
export function taskIn(text: string): string {
  const id = /tk-[0-9a-f]{6}/.exec(text)?.[0];
  if (!id) throw new Error(`no task id in: ${text}`);
  return id;
}

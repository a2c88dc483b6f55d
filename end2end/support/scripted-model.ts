// A scripted stand-in for the model behind a real agent CLI: it speaks the Anthropic Messages API, streamed or not, on loopback.
//
// A script is a list of turns. Each request that offers tools takes the next turn; when none is left the model says "done". Requests
// without tools are the client's own side talk (titles, summaries) and are answered "ok" without taking a turn.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export type Say = { text: string; pieceLength?: number };
/** `{{last}}` in any string of the input becomes the text of the newest tool result. */
export type Call = { tool: string; input: Record<string, unknown> };
export type Wait = { waitMs: number };
/** Holds the answer back until the journey lets it go on. */
export type Until = { until: Promise<unknown> };
/** Answers this one request with an HTTP error; the client's retry takes the next turn. */
export type Fail = { status: number };
/** Something a journey holds shut until it has seen what it waits for. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((done) => (open = done));
  return { opened, open };
}

type Step = Say | Call | Wait | Until | Fail;
export type Turn = Step[] | ((seen: Seen) => Step[]);

/** What the model can know when its turn comes. */
export type Seen = { lastResult: string; request: MessagesRequest };

export type MessagesRequest = {
  model?: string;
  stream?: boolean;
  system?: unknown;
  tools?: Array<{ name: string }>;
  messages: Array<{ role: string; content: string | Array<Record<string, unknown>> }>;
};

export type ScriptedModel = {
  url: string;
  /** Every request that took a turn, in order. */
  requests: MessagesRequest[];
  /** The text of every tool result the client sent, in order, each once. */
  results(): string[];
  /** Turns nobody asked for yet. */
  turnsLeft(): number;
  stop(): Promise<void>;
};

type Block = { type: "text"; text: string; pieceLength?: number } | { type: "tool_use"; id: string; name: string; input: unknown };

export async function scriptedModel(turns: Turn[]): Promise<ScriptedModel> {
  const left = [...turns];
  const requests: MessagesRequest[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) json(response, 500, { type: "error", error: { type: "api_error", message: String(error) } });
      else response.destroy();
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", "http://model").pathname;
    const text = await body(request);
    if (request.method !== "POST") return json(response, 200, { data: [], has_more: false });
    if (path.endsWith("/count_tokens")) return json(response, 200, { input_tokens: 100 });
    if (!path.endsWith("/messages")) return json(response, 200, {});

    const asked = JSON.parse(text) as MessagesRequest;
    const blocks: Block[] = [];
    if (!asked.tools?.length) {
      blocks.push({ type: "text", text: "ok" });
    } else {
      requests.push(asked);
      const lastResult = toolResults(asked).at(-1)?.text ?? "";
      const turn = left.shift() ?? [{ text: "done" }];
      for (const step of typeof turn === "function" ? turn({ lastResult, request: asked }) : turn) {
        if ("status" in step) {
          return json(response, step.status, { type: "error", error: { type: "api_error", message: "scripted" } });
        } else if ("waitMs" in step) {
          await sleep(step.waitMs);
        } else if ("until" in step) {
          await step.until;
        } else if ("text" in step) {
          blocks.push({ type: "text", ...step });
        } else {
          const id = `toolu_${requests.length}_${blocks.length}`;
          blocks.push({ type: "tool_use", id, name: step.tool, input: filled(step.input, lastResult) });
        }
      }
    }
    const stop = blocks.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn";
    if (asked.stream) await stream(response, asked, blocks, stop);
    else json(response, 200, { ...message(asked), content: blocks.map(bare), stop_reason: stop, usage: { input_tokens: 100, output_tokens: 20 } });
  }

  await new Promise<void>((ready, failed) => {
    server.once("error", failed);
    server.listen(0, "127.0.0.1", ready);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    results: () => [...new Map(requests.flatMap(toolResults).map((result) => [result.id, result.text])).values()],
    turnsLeft: () => left.length,
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}

/** The events of one streamed message, in the order the API sends them. */
async function stream(response: ServerResponse, asked: MessagesRequest, blocks: Block[], stop: string): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const send = (type: string, data: object) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  send("message_start", { message: message(asked) });
  for (const [index, block] of blocks.entries()) {
    if (block.type === "text") {
      send("content_block_start", { index, content_block: { type: "text", text: "" } });
      const length = block.pieceLength ?? Math.max(block.text.length, 1);
      for (let from = 0; from < block.text.length; from += length) {
        send("content_block_delta", { index, delta: { type: "text_delta", text: block.text.slice(from, from + length) } });
        if (block.pieceLength) await sleep(20);
      }
    } else {
      send("content_block_start", { index, content_block: { ...block, input: {} } });
      send("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: JSON.stringify(block.input) } });
    }
    send("content_block_stop", { index });
  }
  send("message_delta", { delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 20 } });
  send("message_stop", {});
  response.end();
}

let messages = 0;

function message(asked: MessagesRequest): object {
  messages += 1;
  return {
    id: `msg_${messages}`,
    type: "message",
    role: "assistant",
    model: asked.model ?? "scripted",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 1 },
  };
}

function bare(block: Block): object {
  return block.type === "text" ? { type: "text", text: block.text } : block;
}

function toolResults(asked: MessagesRequest): Array<{ id: string; text: string }> {
  const found: Array<{ id: string; text: string }> = [];
  for (const { content } of asked.messages) {
    if (typeof content === "string") continue;
    for (const block of content) {
      if (block.type === "tool_result") found.push({ id: String(block.tool_use_id), text: plain(block.content) });
    }
  }
  return found;
}

function plain(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (typeof part.text === "string" ? part.text : "")).join("");
}

function filled(value: unknown, last: string): unknown {
  if (typeof value === "string") return value.replaceAll("{{last}}", last);
  if (Array.isArray(value)) return value.map((part) => filled(part, last));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, filled(part, last)]));
  }
  return value;
}

async function body(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

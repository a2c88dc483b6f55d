// Being on this machine proves nothing: a page a person has open elsewhere, and a name that was made to lead here, are refused at all
// doors, by the running binary.

import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { taskIn } from "../support/agent.ts";
import type { Project } from "../support/project.ts";
import { expect, test } from "../support/test.ts";

type Ask = { method?: string; path: string; headers?: Record<string, string>; body?: string };
type Got = { status: number; code: string; headers: Record<string, unknown> };

/** One request with exactly these headers; of an answer that does not end, the head is enough. */
function ask(project: Project, { method = "GET", path, headers = {}, body }: Ask): Promise<Got> {
  const { port, host } = new URL(project.url);
  return new Promise((done, failed) => {
    const sent = request({ host: "127.0.0.1", port, method, path, agent: false, setHost: false, headers: { host, ...headers } });
    const limit = setTimeout(() => failed(new Error(`no answer to ${method} ${path}`)), 10_000);
    const answered = (status: number, found: Record<string, unknown>, text: string) => {
      clearTimeout(limit);
      const code = text.startsWith("{") ? String((JSON.parse(text) as { code?: string }).code ?? "") : "";
      done({ status, code, headers: found });
      sent.destroy();
    };
    sent.on("upgrade", (answer, socket) => {
      socket.destroy();
      answered(answer.statusCode ?? 0, answer.headers, "");
    });
    sent.on("response", (answer) => {
      const streams = answer.headers["content-type"] === "text/event-stream";
      if (streams) return answered(answer.statusCode ?? 0, answer.headers, "");
      let text = "";
      answer.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      answer.on("end", () => answered(answer.statusCode ?? 0, answer.headers, text));
    });
    sent.on("error", failed);
    sent.end(body);
  });
}

const UPGRADE = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "journey", version: "1" } },
});

/** Every door with the credential it wants, so that what is refused is refused for where it comes from. */
function doors(project: Project): Record<string, Ask & { fine: number[] }> {
  const token = (name: string) => readFileSync(join(project.directory, ".callboard", name), "utf8").trim();
  const person = { authorization: `Bearer ${token("local-token")}` };
  const agent = { authorization: `Bearer ${token("mcp-token")}`, "content-type": "application/json", accept: "application/json, text/event-stream" };
  const plan = JSON.stringify({ command: "plan", args: { tasks: [{ title: "Through a door" }], dry_run: true } });
  return {
    page: { path: "/", headers: { accept: "text/html" }, fine: [200] },
    "API read": { path: "/api/board", headers: person, fine: [200] },
    "API write": { method: "POST", path: "/api/commands", headers: { ...person, "content-type": "application/json" }, body: plan, fine: [200] },
    WebSocket: { path: "/live?since=0", headers: { ...person, ...UPGRADE }, fine: [101] },
    events: { path: "/live/sse?since=0", headers: { ...person, accept: "text/event-stream" }, fine: [200] },
    MCP: { method: "POST", path: "/mcp", headers: agent, body: INITIALIZE, fine: [200] },
    "board MCP": { method: "POST", path: "/mcp/board", headers: agent, body: INITIALIZE, fine: [200] },
    health: { path: "/healthz", fine: [200] },
  };
}

test("each door opens to its own name, and to no other name and no other page", async ({ project }) => {
  const { host, port } = new URL(project.url);
  for (const [name, door] of Object.entries(doors(project))) {
    const own = await ask(project, door);
    expect(door.fine, `${name}, as it should be: ${own.code}`).toContain(own.status);
    expect((await ask(project, { ...door, headers: { ...door.headers, host: `localhost:${port}` } })).status, `${name}, by its other name`).toBe(own.status);

    const foreign: Array<Record<string, string>> = [
      { host: "evil.example" },
      { host: `evil.example:${port}` },
      { host: `localhost.evil.example:${port}` },
      { host: "169.254.1.1" },
      { origin: "http://evil.example" },
      { origin: "null" },
      { origin: `https://${host}` },
      { origin: "http://127.0.0.1:1" },
      { host: "evil.example", origin: "http://evil.example" },
    ];
    for (const headers of foreign) {
      const got = await ask(project, { ...door, headers: { ...door.headers, ...headers, accept: "application/json" } });
      expect([got.status, got.code], `${name} with ${JSON.stringify(headers)}`).toEqual([403, "origin_refused"]);
      expect(got.headers["access-control-allow-origin"], "and no other page may read even that").toBeUndefined();
    }
  }
});

test("each credential opens its own door and no other", async ({ project }) => {
  const { page, "API read": read, "API write": write, WebSocket: socket, events, MCP: mcp } = doors(project) as Required<ReturnType<typeof doors>>;
  const bare = (door: Ask): Ask => ({ ...door, headers: Object.fromEntries(Object.entries(door.headers ?? {}).filter(([name]) => name !== "authorization")) });
  const as = (door: Ask, bearer: string | undefined): Ask => ({ ...door, headers: { ...door.headers, authorization: bearer ?? "" } });
  expect((await ask(project, page!)).headers["set-cookie"], "a page hands out a session").toBeDefined();
  for (const door of [read!, write!, socket!, events!, mcp!]) {
    expect((await ask(project, bare(door))).status, `${door.path} with nothing`).toBe(401);
    expect((await ask(project, as(door, "Bearer cbt_wrong"))).status, `${door.path} with a wrong one`).toBe(401);
  }
  expect((await ask(project, as(mcp!, read!.headers?.authorization))).status, "a person's at the agents' door").toBe(401);
  for (const door of [read!, write!, socket!, events!]) expect((await ask(project, as(door, mcp!.headers?.authorization))).status, `an agent's at ${door.path}`).toBe(401);
  const form = await ask(project, { method: "POST", path: "/do", headers: { "content-type": "application/x-www-form-urlencoded" }, body: "command=plan&title=x" });
  expect([401, 403], "a form without a session or a page").toContain(form.status);
});

test("a hostile page in the same browser reads nothing and changes nothing", async ({ project, browser, page }) => {
  const id = taskIn(await project.callboard("tasks", "add", "Mine"));
  await page.goto(project.url); // the browser has a session now
  const cookies = await page.context().cookies();
  const hostile = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>elsewhere</title><form method="post" action="${project.url}/do" enctype="application/x-www-form-urlencoded">
      <input name="command" value="cancel"><input name="task" value="${id}"><input name="note" value="by a foreign page"><button>Win</button></form>`);
  });
  await new Promise<void>((ready) => hostile.listen(0, "127.0.0.1", ready));
  const context = await browser.newContext(); // not the watched one: this page is meant to be refused loudly
  try {
    await context.addCookies(cookies.map((cookie) => ({ ...cookie, sameSite: "Lax" as const })));
    const elsewhere = await context.newPage();
    await elsewhere.goto(`http://127.0.0.1:${(hostile.address() as AddressInfo).port}/`);
    const tried = await elsewhere.evaluate(
      async ({ url, task }) => {
        const outcome = async (act: () => Promise<unknown>) => act().then((value) => `got ${String(value)}`, () => "refused");
        const close = JSON.stringify({ command: "cancel", args: { task, note: "by a foreign page" } });
        const opened = (line: WebSocket | EventSource, name: string) =>
          new Promise((yes, no) => {
            line.addEventListener(name, () => yes(name));
            line.addEventListener("error", no);
          });
        return {
          read: await outcome(async () => (await fetch(`${url}/api/board`, { credentials: "include" })).status),
          write: await outcome(async () => (await fetch(`${url}/api/commands`, { method: "POST", credentials: "include", headers: { "content-type": "application/json" }, body: close })).status),
          simple: await outcome(async () => (await fetch(`${url}/api/commands`, { method: "POST", credentials: "include", mode: "no-cors", headers: { "content-type": "text/plain" }, body: close })).type),
          socket: await outcome(() => opened(new WebSocket(`${url.replace("http", "ws")}/live?since=0`), "message")),
          events: await outcome(() => opened(new EventSource(`${url}/live/sse?since=0`, { withCredentials: true }), "hello")),
        };
      },
      { url: project.url, task: id },
    );
    expect(tried).toEqual({ read: "refused", write: "refused", simple: expect.stringMatching(/refused|got opaque/), socket: "refused", events: "refused" });
    const [answer] = await Promise.all([elsewhere.waitForResponse(/\/do$/), elsewhere.getByRole("button", { name: "Win" }).click()]);
    expect(answer.status(), "a form from elsewhere").toBe(403);
    expect(await project.callboard("tasks", "--json")).toContain(id);
    expect(await project.callboard("tasks", "log", id)).not.toContain("foreign page");
  } finally {
    await context.close();
    await new Promise((closed) => hostile.close(closed));
  }
});

test("headers say what a page may do", async ({ project }) => {
  for (const path of ["/", "/nowhere", "/api/meta", "/healthz"]) {
    const { headers } = await ask(project, { path, headers: { accept: "text/html" } });
    expect(headers, path).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(String(headers["content-security-policy"]), path).toContain("default-src 'none'");
    expect(String(headers["content-security-policy"]), path).toContain("frame-ancestors 'none'");
    expect(String(headers["content-security-policy"]), path).not.toMatch(/script-src[^;]*('unsafe-inline'|'unsafe-eval'|\*)/);
  }
});

// A wire that can be cut: a TCP proxy in front of the server, so that a lost socket is a lost socket and no stand-in.

import { createServer, connect, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

type Line = { near: Socket; far: Socket; isSocket: boolean };

export class Wire {
  private readonly lines = new Set<Line>();
  /** While set, WebSockets are cut as soon as they ask. */
  refusesSockets = false;
  /** Lines that asked for a WebSocket, and for events, so far. */
  readonly asked = { sockets: 0, events: 0 };

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async to(port: number): Promise<Wire> {
    const server = createServer();
    await new Promise<void>((ready, failed) => {
      server.once("error", failed);
      server.listen(0, "127.0.0.1", ready);
    });
    const wire = new Wire(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on("connection", (near) => wire.carry(near, port));
    return wire;
  }

  private carry(near: Socket, port: number): void {
    const far = connect(port, "127.0.0.1");
    const line: Line = { near, far, isSocket: false };
    this.lines.add(line);
    for (const side of [near, far]) {
      side.on("error", () => this.drop(line));
      side.on("close", () => this.drop(line));
    }
    near.on("data", (piece) => {
      const head = piece.toString("latin1");
      if (head.startsWith("GET /live/sse")) this.asked.events += 1;
      if (/^GET \/live\?/.test(head)) {
        line.isSocket = true;
        this.asked.sockets += 1;
        if (this.refusesSockets) return this.drop(line);
      }
      far.write(piece);
    });
    far.on("data", (piece) => near.write(piece));
  }

  private drop(line: Line): void {
    this.lines.delete(line);
    line.near.destroy();
    line.far.destroy();
  }

  /** Cuts every WebSocket that is open, and any that asks from now on. */
  cutSockets(): void {
    this.refusesSockets = true;
    for (const line of [...this.lines]) if (line.isSocket) this.drop(line);
  }

  /** Cuts everything that is open, once. */
  cutAll(): void {
    for (const line of [...this.lines]) this.drop(line);
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((done) => this.server.close(() => done()));
    this.cutAll();
    await closed;
  }
}

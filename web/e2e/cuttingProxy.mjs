// SPDX-License-Identifier: Apache-2.0
import { Agent, createServer, request as ask } from "node:http";

/** A proxy as some networks have it: it lets no stream of changes live long; and it counts what passes. */
export class CuttingProxy {
  /** Paths of the requests that passed, streams left out. @type {string[]} */
  passed = [];
  /** The streams open at this moment. @type {Set<import("node:http").ServerResponse>} */
  streams = new Set();
  streamsAtOnce = 0;
  streamsOpened = 0;
  cuts = 0;
  /** While true no stream is let through. */
  closed = false;
  target;
  agent = new Agent({ keepAlive: true });
  server = createServer((request, response) => this.pass(request, response));
  /** @type {NodeJS.Timeout | undefined} */
  timer = undefined;

  /** @param {string} target  the address of a control plane */
  constructor(target) {
    this.target = new URL(target);
  }

  /** @returns {Promise<string>} the address to use instead */
  async start() {
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", () => resolve(undefined)));
    const address = /** @type {import("node:net").AddressInfo} */ (this.server.address());
    return `http://localhost:${address.port}`;
  }

  /** @param {number} periodMs */
  cutEvery(periodMs) {
    this.timer = setInterval(() => this.cut(), periodMs);
  }

  cut() {
    this.cuts++;
    const open = [...this.streams];
    this.streams.clear(); // told of its end, the browser may be back before we are told of it
    open.forEach((stream) => stream.destroy());
  }

  stop() {
    clearInterval(this.timer);
    this.server.closeAllConnections();
    this.server.close();
    this.agent.destroy();
  }

  /**
   * @param {import("node:http").IncomingMessage} request
   * @param {import("node:http").ServerResponse} response
   */
  pass(request, response) {
    const { url = "/", method, headers } = request;
    const { pathname } = new URL(url, this.target);
    if (pathname !== "/changes") this.passed.push(pathname);
    else if (this.closed) return request.socket.destroy();
    else this.opened(response);
    const { hostname, port } = this.target;
    const onward = ask({ agent: this.agent, hostname, port, path: url, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
    return undefined;
  }

  /** @param {import("node:http").ServerResponse} stream */
  opened(stream) {
    this.streamsOpened++;
    this.streams.add(stream);
    this.streamsAtOnce = Math.max(this.streamsAtOnce, this.streams.size);
    stream.on("close", () => this.streams.delete(stream));
  }
}

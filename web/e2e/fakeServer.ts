// SPDX-License-Identifier: Apache-2.0
import { Code, ConnectError, createConnectRouter } from "@connectrpc/connect";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command_Type } from "../src/api/gen/model/command_pb";
import { HealthService } from "../src/api/gen/pipecd/health/v1/health_pb";
import { WebService } from "../src/api/gen/service/webservice/service_pb";
import type { Change, FakeControlPlane } from "./fakeControlPlane";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const types: Record<string, string> = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".ico": "image/x-icon",
};

/** The browser's side of a control plane: pages, login, gRPC-Web and the stream of changes on one port. */
export class FakeServer {
  readonly streams = new Set<ServerResponse>();
  streamsOpened = 0;
  streamsAtOnce = 0;
  /** RPCs that fail, by name. */
  readonly failing = new Map<string, ConnectError>();
  signedIn = true;
  /** While true, a stream is refused as by a server that is away. */
  holdStreams = false;
  private readonly handlers;
  private readonly server = createServer((request, response) => void this.serve(request, response));

  constructor(readonly plane: FakeControlPlane) {
    this.handlers = this.routes();
    plane.onLogLine = (change) =>
      this.streams.forEach((stream) => this.say(stream, this.sent.get(stream) ?? 0, change));
    plane.onChange = () => this.streams.forEach((stream) => this.send(stream));
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  async stop() {
    this.cut();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** What a proxy does every ten seconds. */
  cut() {
    this.streams.forEach((stream) => stream.destroy());
  }

  private async serve(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url ?? "/", "http://localhost");
    const rpc = this.handlers.find((handler) => handler.requestPath === url.pathname);
    if (rpc) return this.call(rpc, request, response);
    if (url.pathname === "/changes") return this.follow(request, url, response);
    if (url.pathname === "/auth/login/static") return this.login(request, response);
    if (url.pathname === "/auth/logout") {
      return response.writeHead(302, { "set-cookie": "token=; Path=/; Max-Age=0", location: "/" }).end();
    }
    const isFile = url.pathname.startsWith("/assets/") || url.pathname === "/favicon.ico";
    const name = isFile ? url.pathname : "index.html";
    const type = types[extname(name)] ?? "text/html; charset=utf-8";
    response.writeHead(200, { "content-type": type }).end(await readFile(join(dist, name)));
  }

  private async login(request: IncomingMessage, response: ServerResponse) {
    const form = new URLSearchParams((await read(request)).toString());
    const good = form.get("username") === "hello-pipecd" && form.get("password") === "hello-pipecd";
    const cookie = good
      ? "token=good; Path=/; HttpOnly; SameSite=Strict"
      : "error=wrong%20username%20or%20password; Path=/";
    response.writeHead(good ? 302 : 303, { "set-cookie": cookie, location: "/" }).end();
  }

  private isSignedIn(cookie: string | null | undefined) {
    return this.signedIn && (cookie ?? "").includes("token=good");
  }

  private follow(request: IncomingMessage, url: URL, response: ServerResponse) {
    if (!this.isSignedIn(request.headers.cookie)) return response.writeHead(401).end();
    if (this.holdStreams) return response.writeHead(503).end();
    this.streamsOpened++;
    this.streams.add(response);
    this.streamsAtOnce = Math.max(this.streamsAtOnce, this.streams.size);
    response.on("close", () => this.streams.delete(response));
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    const asked = url.searchParams.get("cursor");
    const oldest = this.plane.changes[0]?.cursor ?? this.plane.head + 1;
    response.write(`event: hello\ndata: {"cursor":${this.plane.head}}\n\n`);
    const tooOld = asked !== null && Number(asked) < oldest - 1;
    if (tooOld) response.write(`event: reset\ndata: {"cursor":${this.plane.head}}\n\n`);
    this.sent.set(response, asked === null || tooOld ? this.plane.head : Number(asked));
    this.send(response);
    return undefined;
  }

  private readonly sent = new WeakMap<ServerResponse, number>();

  private send(stream: ServerResponse) {
    const from = this.sent.get(stream);
    if (from === undefined) return;
    for (const { cursor, change } of this.plane.changes.filter((each) => each.cursor > from)) {
      this.say(stream, cursor, change);
      this.sent.set(stream, cursor);
    }
  }

  private say(stream: ServerResponse, cursor: number, change: Change) {
    stream.write(`event: change\nid: ${cursor}\ndata: ${JSON.stringify(change)}\n\n`);
  }

  private async call(
    rpc: FakeServer["handlers"][number],
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const answer = await rpc({
      httpVersion: request.httpVersion,
      url: new URL(request.url ?? "/", "http://localhost").href,
      method: request.method ?? "POST",
      header: new Headers(request.headers as Record<string, string>),
      body: request,
      signal: gone.signal,
    });
    response.writeHead(answer.status, Object.fromEntries(answer.header ?? []));
    if (answer.body && !(answer.body instanceof Uint8Array)) {
      for await (const chunk of answer.body as AsyncIterable<Uint8Array>) response.write(chunk);
    }
    response.end();
  }

  private routes() {
    const { plane } = this;
    const notFound = (what: string) => new ConnectError(`${what}: not found`, Code.NotFound);
    const router = createConnectRouter({
      grpc: false,
      connect: false,
      grpcWeb: true,
      interceptors: [
        (next) => async (request) => {
          if (!this.isSignedIn(request.header.get("cookie")))
            throw new ConnectError("no session", Code.Unauthenticated);
          const failure = this.failing.get(request.method.name);
          if (failure) throw failure;
          return next(request);
        },
      ],
    });
    router.service(WebService, {
      getMe: () => ({ subject: "hello-pipecd", projectId: "quickstart" }),
      listApplications: () => ({ applications: [...plane.applications.values()] }),
      getApplication: ({ applicationId }) => {
        const application = plane.applications.get(applicationId);
        if (!application) throw notFound(`application ${applicationId}`);
        return { application };
      },
      getApplicationLiveState: ({ applicationId }) => {
        const snapshot = plane.liveStates.get(applicationId);
        plane.onLiveStateWanted(applicationId);
        if (!snapshot) throw notFound(`live state ${applicationId}`);
        return { snapshot };
      },
      listDeployments: ({ options, pageSize, cursor }) => {
        const found = [...plane.deployments.values()]
          .reverse()
          .filter(({ status }) => !options?.statuses.length || options.statuses.includes(status))
          .filter(
            ({ applicationId: id }) => !options?.applicationIds.length || options.applicationIds.includes(id),
          );
        const from = cursor ? found.findIndex(({ id }) => id === cursor) + 1 : 0;
        const page = found.slice(from, from + pageSize);
        return { deployments: page, cursor: from + pageSize < found.length ? (page.at(-1)?.id ?? "") : "" };
      },
      getDeployment: ({ deploymentId }) => {
        const deployment = plane.deployments.get(deploymentId);
        if (!deployment) throw notFound(`deployment ${deploymentId}`);
        return { deployment };
      },
      getStageLog: (request) => {
        const blocks = plane.logs.get(request.stageId)?.slice(Number(request.offsetIndex));
        if (!blocks) throw notFound(`log of ${request.stageId}`);
        plane.linesGiven += blocks.length;
        return { blocks };
      },
      listPipeds: () => ({ pipeds: [...plane.pipeds.values()] }),
      getPiped: ({ pipedId }) => {
        const piped = plane.pipeds.get(pipedId);
        if (!piped) throw notFound(`piped ${pipedId}`);
        return { piped };
      },
      getCommand: ({ commandId }) => {
        const command = plane.commands.get(commandId);
        if (!command) throw notFound(`command ${commandId}`);
        return { command };
      },
      syncApplication: (request) => ({
        commandId: plane.order(Command_Type.SYNC_APPLICATION, { syncApplication: request as never }),
      }),
      cancelDeployment: (request) => ({
        commandId: plane.order(Command_Type.CANCEL_DEPLOYMENT, { cancelDeployment: request as never }),
      }),
      approveStage: (request) => ({
        commandId: plane.order(Command_Type.APPROVE_STAGE, { approveStage: request as never }),
      }),
    });
    router.service(HealthService, {
      getPipedHealth: ({ pipedId }) => plane.health.get(pipedId) ?? {},
    });
    return router.handlers;
  }
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

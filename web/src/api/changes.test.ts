// SPDX-License-Identifier: Apache-2.0
import { afterEach, expect, test, vi } from "vitest";
import { followChanges, type Change } from "./changes";
import { pauseAfter } from "./changeStream";

/** Gives the lock to one at a time, in the order asked. */
class InMemoryLocks {
  private last: Promise<unknown> = Promise.resolve();

  readonly request = ((_name: string, options: LockOptions, run: () => Promise<void>) => {
    const mine = this.last.then(() => (options.signal?.aborted ? undefined : run()));
    this.last = mine.catch(() => undefined);
    return mine;
  }) as unknown as LockManager["request"];
}

/** A server whose streams the test writes by hand. */
class FakeStreams {
  readonly asked: string[] = [];
  status = 200;
  private open: ReadableStreamDefaultController<Uint8Array>[] = [];

  readonly fetch = ((path: string, init: RequestInit) => {
    this.asked.push(path);
    if (this.status !== 200) return Promise.resolve(new Response("", { status: this.status }));
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.open.push(controller);
        init.signal?.addEventListener("abort", () => controller.error(new Error("aborted")));
      },
    });
    return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
  }) as typeof fetch;

  say(event: string, data: unknown, id?: number) {
    const text = `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
    this.open.at(-1)?.enqueue(new TextEncoder().encode(text));
  }

  cut() {
    this.open.at(-1)?.close();
  }
}

function tab(streams: FakeStreams, locks: InMemoryLocks | undefined) {
  const heard: string[] = [];
  const stop = followChanges(
    {
      onChanges: (changes: Change[]) => heard.push(...changes.map(({ kind, id }) => `${kind} ${id}`)),
      onReset: () => heard.push("reset"),
      onConnection: () => undefined,
      onSignedOut: () => heard.push("signed out"),
    },
    { locks, fetch: streams.fetch },
  );
  stops.push(stop);
  return { heard, stop };
}

const stops: (() => void)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));
const asked = (streams: FakeStreams, count: number) =>
  vi.waitFor(() => expect(streams.asked).toHaveLength(count), 30_000);

test("one tab reads and every tab hears", async () => {
  const [streams, locks] = [new FakeStreams(), new InMemoryLocks()];
  const [first, second] = [tab(streams, locks), tab(streams, locks)];
  await asked(streams, 1);

  streams.say("hello", { cursor: 5 });
  streams.say("change", { kind: "deployment", id: "d1" }, 6);

  await vi.waitFor(() => expect(first.heard).toEqual(["reset", "deployment d1"]), 30_000);
  await vi.waitFor(() => expect(second.heard).toEqual(["reset", "deployment d1"]), 30_000);
  expect(streams.asked).toEqual(["/changes"]);
});

test("after a cut the stream goes on from the last change seen", async () => {
  const streams = new FakeStreams();
  const { heard } = tab(streams, new InMemoryLocks());
  await asked(streams, 1);
  streams.say("hello", { cursor: 5 });
  streams.say("change", { kind: "deployment", id: "d1" }, 6);
  await vi.waitFor(() => expect(heard).toContain("deployment d1"), 30_000);

  streams.cut();
  await asked(streams, 2);
  streams.say("hello", { cursor: 9 });
  streams.say("change", { kind: "deployment", id: "d2" }, 7);

  expect(streams.asked[1]).toBe("/changes?cursor=6");
  await vi.waitFor(() => expect(heard).toEqual(["reset", "deployment d1", "deployment d2"]), 30_000);
});

test("when the reading tab goes the next one reads on from what it heard", async () => {
  const [streams, locks] = [new FakeStreams(), new InMemoryLocks()];
  const [first, second] = [tab(streams, locks), tab(streams, locks)];
  await asked(streams, 1);
  streams.say("hello", { cursor: 5 });
  streams.say("change", { kind: "command", id: "c1" }, 6);
  await vi.waitFor(() => expect(second.heard).toContain("command c1"), 30_000);

  first.stop();
  await asked(streams, 2);

  expect(streams.asked[1]).toBe("/changes?cursor=6");
});

test("a reset is told to every tab", async () => {
  const [streams, locks] = [new FakeStreams(), new InMemoryLocks()];
  const [first, second] = [tab(streams, locks), tab(streams, locks)];
  await asked(streams, 1);
  streams.say("hello", { cursor: 5 });
  streams.say("reset", { cursor: 50 });

  await vi.waitFor(() => expect(first.heard).toEqual(["reset", "reset"]), 30_000);
  await vi.waitFor(() => expect(second.heard).toEqual(["reset", "reset"]), 30_000);
});

test("the end of the session is told to every tab and nobody asks again", async () => {
  const [streams, locks] = [new FakeStreams(), new InMemoryLocks()];
  streams.status = 401;
  const [first, second] = [tab(streams, locks), tab(streams, locks)];

  await vi.waitFor(() => expect(first.heard).toEqual(["signed out"]), 30_000);
  await vi.waitFor(() => expect(second.heard).toEqual(["signed out"]), 30_000);
});

test("without locks each tab reads for itself", async () => {
  const streams = new FakeStreams();
  tab(streams, undefined);
  tab(streams, undefined);

  await asked(streams, 2);
});

test("the pause grows while no stream begins and never passes five seconds", () => {
  const longest = () => 1;

  expect(pauseAfter(0, 10_000, longest)).toBe(0);
  expect(pauseAfter(0, 10, longest)).toBe(250);
  expect([1, 2, 3, 4, 5, 6, 20].map((failures) => pauseAfter(failures, 10, longest))).toEqual([
    250, 500, 1000, 2000, 4000, 5000, 5000,
  ]);
});

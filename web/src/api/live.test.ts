// SPDX-License-Identifier: Apache-2.0
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { keys } from "./keys";
import { refreshOnChange } from "./live";

/** A query whose answers the test gives by hand. */
function watched(client: QueryClient, queryKey: readonly unknown[]) {
  const answers: ((value: number) => void)[] = [];
  const observer = new QueryObserver(client, {
    queryKey,
    queryFn: () => new Promise<number>((resolve) => answers.push(resolve)),
  });
  observer.subscribe(() => undefined);
  return answers;
}

const asked = (answers: unknown[], count: number) =>
  vi.waitFor(() => expect(answers).toHaveLength(count), 30_000);

test("a burst of changes reads what is shown once", async () => {
  const client = new QueryClient();
  const answers = watched(client, keys.deployment("d1"));
  answers[0]?.(1);
  await vi.waitFor(() => expect(client.getQueryData(keys.deployment("d1"))).toBe(1), 30_000);

  const { onChanges } = refreshOnChange(client);
  for (let i = 0; i < 50; i++) onChanges([{ kind: "deployment", id: "d1" }]);
  await asked(answers, 2);
  await new Promise((resolve) => setTimeout(resolve, 150));

  expect(answers).toHaveLength(2);
});

test("a change during a read is followed by one more read, and the first is not broken off", async () => {
  const client = new QueryClient();
  const answers = watched(client, keys.stageLog("d1", "s1"));
  const { onChanges } = refreshOnChange(client);
  await asked(answers, 1);

  onChanges([{ kind: "stage-log", id: "d1", stage: "s1" }]);
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(answers).toHaveLength(1);
  answers[0]?.(1);

  await asked(answers, 2);
});

test("a change of something else reads nothing", async () => {
  const client = new QueryClient();
  const answers = watched(client, keys.deployment("d1"));
  answers[0]?.(1);
  const { onChanges } = refreshOnChange(client);

  onChanges([
    { kind: "deployment", id: "d2" },
    { kind: "piped", id: "p1" },
  ]);
  await new Promise((resolve) => setTimeout(resolve, 150));

  expect(answers).toHaveLength(1);
});

test("after a cut the logs in sight are asked for what nobody heard of", async () => {
  const client = new QueryClient();
  const log = watched(client, keys.stageLog("d1", "s1"));
  const deployment = watched(client, keys.deployment("d1"));
  for (const answers of [log, deployment]) answers[0]?.(1);
  await vi.waitFor(() => expect(client.isFetching()).toBe(0), 30_000);

  refreshOnChange(client).onConnection(true);

  await asked(log, 2);
  expect(deployment).toHaveLength(1);
});

test("a reset reads everything that is shown", async () => {
  const client = new QueryClient();
  const lists = [keys.applications, keys.deployments].map((key) => watched(client, key));
  for (const answers of lists) answers[0]?.(1);
  await vi.waitFor(() => expect(client.isFetching()).toBe(0), 30_000);

  refreshOnChange(client).onReset();

  for (const answers of lists) await asked(answers, 2);
});

test("a report of what runs is read where it is shown, and nothing else", async () => {
  const client = new QueryClient();
  const state = watched(client, keys.liveState("a1"));
  const other = watched(client, keys.liveState("a2"));
  const application = watched(client, keys.application("a1"));
  for (const answers of [state, other, application]) answers[0]?.(1);
  const { onChanges } = refreshOnChange(client);

  onChanges([{ kind: "live-state", id: "a1" }]);
  await asked(state, 2);
  await new Promise((resolve) => setTimeout(resolve, 150));

  expect([other, application].map((answers) => answers.length)).toEqual([1, 1]);
});

test("a live state that nobody looks at is not read", async () => {
  const client = new QueryClient();
  const read = vi.fn(() => 1);
  client.setQueryDefaults(keys.liveState("a1"), { queryFn: read });
  client.setQueryData(keys.liveState("a1"), 0);
  const { onChanges } = refreshOnChange(client);

  onChanges([{ kind: "live-state", id: "a1" }]);
  await new Promise((resolve) => setTimeout(resolve, 150));

  expect(read).not.toHaveBeenCalled();
});

test("a kind of change this page does not know reads nothing", async () => {
  const client = new QueryClient();
  const answers = watched(client, keys.deployment("d1"));
  answers[0]?.(1);
  const { onChanges } = refreshOnChange(client);

  onChanges([{ kind: "event" as "piped", id: "e1" }]);
  await new Promise((resolve) => setTimeout(resolve, 150));

  expect(answers).toHaveLength(1);
});

test("what runs is read again after a long cut and not after short ones", async () => {
  const client = new QueryClient();
  const state = watched(client, keys.liveState("a1"));
  state[0]?.(1);
  const { onConnection } = refreshOnChange(client);
  const clock = vi.spyOn(Date, "now").mockReturnValue(0);

  for (let cut = 0; cut < 5; cut++) {
    onConnection(false);
    clock.mockReturnValue(cut * 10_000 + 1_000);
    onConnection(true);
    clock.mockReturnValue((cut + 1) * 10_000);
  }
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(state).toHaveLength(1);

  onConnection(false);
  clock.mockReturnValue(53_000);
  onConnection(false);
  clock.mockReturnValue(55_000);
  onConnection(true);
  clock.mockRestore();
  await asked(state, 2);
});

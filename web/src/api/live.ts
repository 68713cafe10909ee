// SPDX-License-Identifier: Apache-2.0
import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";
import type { Change, ChangeListener } from "./changes";
import { keys } from "./keys";

const longCutMs = 5_000;

/** Which of the things shown may have become old through a change; none that a page knows for kinds it does not. */
export function keysOf(change: Change): QueryKey[] {
  switch (change.kind) {
    case "deployment":
      return [keys.deployment(change.id), keys.deployments];
    case "application":
      return [keys.application(change.id), keys.applications];
    case "live-state":
      return [keys.liveState(change.id)];
    case "stage-log":
      return [change.stage ? keys.stageLog(change.id, change.stage) : ["stage-log", change.id]];
    case "command":
      return [keys.command(change.id)];
    case "piped":
      return [keys.piped(change.id), keys.pipeds];
    default:
      return [];
  }
}

/** Turns changes into reads of what is shown, in batches, each thing once per batch. */
export function refreshOnChange(
  client: QueryClient,
): Pick<ChangeListener, "onChanges" | "onReset" | "onConnection"> {
  const waiting = new Map<string, QueryKey>();
  const again = new Set<string>();
  let booked = false;
  let cutAt: number | undefined;

  // A read under way may have missed the change, and breaking it off for each new log line
  // would let a busy log never arrive: so it ends, and one more follows.
  client.getQueryCache().subscribe(({ query }) => {
    if (query.state.fetchStatus === "idle" && again.delete(query.queryHash)) refresh(query);
  });

  function refresh(query: Query) {
    if (query.state.fetchStatus === "fetching") again.add(query.queryHash);
    else void client.invalidateQueries({ queryKey: query.queryKey, exact: true });
  }

  function flush() {
    booked = false;
    const found = [...waiting.values()].flatMap((queryKey) => client.getQueryCache().findAll({ queryKey }));
    waiting.clear();
    new Set(found).forEach(refresh);
  }

  function add(queryKeys: QueryKey[]) {
    for (const key of queryKeys) waiting.set(JSON.stringify(key), key);
    if (!booked) soon(flush);
    booked = true;
  }

  return {
    onChanges: (changes) => add(changes.flatMap(keysOf)),
    onReset: () => add([[]]), // every key begins with nothing
    // New log lines are not numbered among the changes: those written while nobody listened are asked for.
    // Neither are reports of what runs; but to read that is to wish for the next, so it is not read for each
    // of the short cuts some networks make all day: who wants to know sooner than the agent reports can ask.
    onConnection: (connected) => {
      const long = cutAt !== undefined && Date.now() - cutAt >= longCutMs;
      cutAt = connected ? undefined : (cutAt ?? Date.now());
      if (connected) add(long ? [["stage-log"], ["live-state"]] : [["stage-log"]]);
    },
  };
}

/** With the next picture; a tab in the background draws none and takes a timer. */
function soon(run: () => void) {
  let done = false;
  function once() {
    if (!done) run();
    done = true;
  }
  requestAnimationFrame(once);
  setTimeout(once, 100);
}

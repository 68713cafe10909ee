// SPDX-License-Identifier: Apache-2.0
import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";
import type { Change, ChangeListener } from "./changes";
import { keys } from "./keys";

/** Which of the things shown may have become old through a change. */
export function keysOf(change: Change): QueryKey[] {
  switch (change.kind) {
    case "deployment":
      return [keys.deployment(change.id), keys.deployments];
    case "application":
      return [keys.application(change.id), keys.applications];
    case "stage-log":
      return [change.stage ? keys.stageLog(change.id, change.stage) : ["stage-log", change.id]];
    case "command":
      return [keys.command(change.id)];
    case "piped":
      return [keys.piped(change.id), keys.pipeds];
  }
}

/** Turns changes into reads of what is shown, in batches, each thing once per batch. */
export function refreshOnChange(
  client: QueryClient,
): Pick<ChangeListener, "onChanges" | "onReset" | "onConnection"> {
  const waiting = new Map<string, QueryKey>();
  const again = new Set<string>();
  let booked = false;

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
    onConnection: (connected) => connected && add([["stage-log"]]),
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

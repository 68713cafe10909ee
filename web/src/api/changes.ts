// SPDX-License-Identifier: Apache-2.0
import { readChanges, type Change } from "./changeStream";

export type { Change } from "./changeStream";

/** What a tab wants to hear of; called in every tab, whichever of them holds the stream. */
export type ChangeListener = {
  onChanges: (changes: Change[]) => void;
  /** Something may have been missed: whatever is shown has to be read again. */
  onReset: () => void;
  /** The stream was cut, or goes on; told again after each cut, however short. */
  onConnection: (connected: boolean) => void;
  onSignedOut: () => void;
};

type Message =
  | { type: "changes"; from: number; to: number; changes: Change[] }
  | { type: "reset"; cursor: number }
  | { type: "connection"; connected: boolean; cursor: number | undefined }
  | { type: "ask" }
  | { type: "signed-out" };

/** The parts of a browser this stands on; `locks` is absent on pages served over plain http to another machine. */
export type Surroundings = {
  locks: Pick<LockManager, "request"> | undefined;
  fetch: typeof fetch;
};

/**
 * Follows the server's changes with one connection per browser: the tab that holds the lock reads the stream
 * and tells the others; when it closes, the next one gets the lock and goes on from the last cursor it heard.
 */
export function followChanges(listener: ChangeListener, surroundings: Surroundings): () => void {
  const stop = new AbortController();
  const shared = surroundings.locks !== undefined;
  const channel = shared ? new BroadcastChannel("pipecd-changes") : undefined;
  let cursor: number | undefined;
  let leading = false;
  let connected = false;

  function hear(message: Message) {
    switch (message.type) {
      case "changes":
        // A tab that was asleep may have missed messages: then it reads everything again.
        if (cursor === undefined || cursor === message.from) listener.onChanges(message.changes);
        else listener.onReset();
        cursor = message.to;
        return;
      case "reset":
        cursor = message.cursor;
        listener.onReset();
        return;
      case "connection":
        cursor ??= message.cursor;
        connected = message.connected;
        listener.onConnection(connected);
        return;
      case "ask":
        if (leading) channel?.postMessage({ type: "connection", connected, cursor } satisfies Message);
        return;
      case "signed-out":
        end();
        listener.onSignedOut();
    }
  }

  function tell(message: Message) {
    // After a cut the other tabs must hear of it too, so the channel comes first: hearing may close it.
    channel?.postMessage(message);
    hear(message);
  }

  async function lead() {
    leading = true;
    await readChanges({
      signal: stop.signal,
      fetch: surroundings.fetch,
      cursor: () => cursor,
      onHello: (at) => {
        // Without a cursor nobody knows what happened before this moment.
        if (cursor === undefined) tell({ type: "reset", cursor: at });
        tell({ type: "connection", connected: true, cursor });
      },
      onReset: (at) => tell({ type: "reset", cursor: at }),
      onChanges: (changes, to) => tell({ type: "changes", from: cursor ?? to, to, changes }),
      onCut: () => tell({ type: "connection", connected: false, cursor }),
      onSignedOut: () => tell({ type: "signed-out" }),
    });
    leading = false;
  }

  function end() {
    stop.abort();
    channel?.close();
    window.removeEventListener("pageshow", onPageShow);
  }

  function onPageShow(event: PageTransitionEvent) {
    if (event.persisted) listener.onReset(); // back from the page cache, where nothing is heard
  }

  window.addEventListener("pageshow", onPageShow);
  if (channel) {
    channel.onmessage = (event: MessageEvent<Message>) => hear(event.data);
    channel.postMessage({ type: "ask" } satisfies Message);
  }
  const led = surroundings.locks
    ? surroundings.locks.request("pipecd-changes", { signal: stop.signal }, lead)
    : lead();
  led.catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  return end;
}

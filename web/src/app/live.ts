// SPDX-License-Identifier: Apache-2.0
import type { QueryClient } from "@tanstack/react-query";
import { followChanges } from "../api/changes";
import { refreshOnChange } from "../api/live";

declare global {
  interface Window {
    /** Set by tests on machines that are slower than any browser of a person. */
    livePatienceMs?: number;
  }
}

const patienceMs = 3_000; // a proxy cuts the stream every few seconds; nobody needs to see that

/** The tab's part in the one stream of the browser: begun once after login, ended with the session. */
export class LiveUpdates {
  private stop: (() => void) | undefined;
  private connected = true;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly watchers = new Set<() => void>();

  constructor(
    private readonly client: QueryClient,
    private readonly onSignedOut: () => void,
  ) {}

  start() {
    if (this.stop) return;
    this.show(false);
    const refresh = refreshOnChange(this.client);
    this.stop = followChanges(
      {
        ...refresh,
        onConnection: (connected) => {
          refresh.onConnection(connected);
          this.show(connected);
        },
        onSignedOut: () => this.end(),
      },
      { locks: navigator.locks as LockManager | undefined, fetch: (...request) => window.fetch(...request) },
    );
  }

  end() {
    if (!this.stop) return; // not begun: the way to the login page is already taken
    this.stop();
    this.stop = undefined;
    this.onSignedOut();
  }

  readonly isConnected = () => this.connected;

  readonly watch = (watcher: () => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  private show(connected: boolean) {
    clearTimeout(this.timer);
    if (connected) this.set(true);
    else this.timer = setTimeout(() => this.set(false), window.livePatienceMs ?? patienceMs);
  }

  private set(connected: boolean) {
    if (this.connected === connected) return;
    this.connected = connected;
    this.watchers.forEach((watcher) => watcher());
  }
}

// SPDX-License-Identifier: Apache-2.0
import { useSyncExternalStore } from "react";
import { absoluteTime, durationText, relativeTime } from "./time";

// One clock for the whole page: a timer per row would wake a long list over and over.
let now = Math.floor(Date.now() / 1000);
const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function watch(onTick: () => void) {
  watchers.add(onTick);
  timer ??= setInterval(() => {
    now = Math.floor(Date.now() / 1000);
    watchers.forEach((watcher) => watcher());
  }, 1_000);
  return () => {
    watchers.delete(onTick);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function useClock<T extends string>(read: (now: number) => T): T {
  return useSyncExternalStore(watch, () => read(now));
}

export function RelativeTime({ at }: { at: number }) {
  const text = useClock((clock) => relativeTime(at, Math.max(clock, at)));
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={absoluteTime(at)}>
      {text}
    </time>
  );
}

/** Whether a moment has gone by for longer than that, in seconds. */
export function useIsOlder(at: number, seconds: number): boolean {
  return useClock((clock) => (clock - at > seconds ? "older" : "newer")) === "older";
}

/** How long something took, or has taken so far. */
export function Elapsed({ from, to }: { from: number; to: number | undefined }) {
  return <span>{useClock((clock) => durationText((to ?? clock) - from))}</span>;
}

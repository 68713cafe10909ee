// SPDX-License-Identifier: Apache-2.0
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "long" });
const steps: [limit: number, seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [90 * 60, 60, "minute"],
  [36 * 3600, 3600, "hour"],
  [30 * 86400, 86400, "day"],
  [365 * 86400, 30 * 86400, "month"],
  [Infinity, 365 * 86400, "year"],
];

/** Both in seconds since 1970, as the server counts. */
export function relativeTime(at: number, now: number): string {
  const ago = now - at;
  if (Math.abs(ago) < 10) return "just now";
  if (Math.abs(ago) < 60) return ago > 0 ? "seconds ago" : "in a moment";
  const [, size, unit] = steps.find(([limit]) => Math.abs(ago) < limit) ?? [0, 1, "second" as const];
  return relative.format(-Math.round(ago / size), unit);
}

export function absoluteTime(at: number): string {
  return new Date(at * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "long" });
}

export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

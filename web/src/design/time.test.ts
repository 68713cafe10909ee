// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { durationText, relativeTime } from "./time";

test("times are told as people tell them", () => {
  const now = 1_800_000_000;
  const told = [3, 40, 90, 3600 * 3, 86400 * 1.6, 86400 * 40, 86400 * 800].map((ago) =>
    relativeTime(now - ago, now),
  );

  expect(told).toEqual([
    "just now",
    "seconds ago",
    "2 minutes ago",
    "3 hours ago",
    "2 days ago",
    "last month",
    "2 years ago",
  ]);
});

test("lengths of time are told in two units at most", () => {
  expect([0, 59, 61, 3599, 7325].map(durationText)).toEqual([
    "0 s",
    "59 s",
    "1 min 1 s",
    "59 min 59 s",
    "2 h 2 min",
  ]);
});

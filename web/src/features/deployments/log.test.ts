// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { LogBlockSchema, LogSeverity } from "../../api/gen/model/logblock_pb";
import { asText, emptyLog, matches, withBlocks } from "./log";

const block = (index: number, log: string, severity = LogSeverity.INFO) =>
  create(LogBlockSchema, { index: BigInt(index), log, severity, createdAt: 1_700_000_000n });

test("blocks become lines, and a block that comes twice is shown once", () => {
  const once = withBlocks(emptyLog, [block(0, "a\nb\n"), block(1, "c")], false);
  const twice = withBlocks(once, [block(1, "c"), block(2, "d", LogSeverity.ERROR)], true);

  expect(twice.lines.map(({ text, tone }) => [text, tone])).toEqual([
    ["a", "plain"],
    ["b", "plain"],
    ["c", "plain"],
    ["d", "error"],
  ]);
  expect(twice.next).toBe(3n);
});

test("words are found whatever their case and through colours", () => {
  const { lines } = withBlocks(emptyLog, [block(0, "x"), block(1, "an \u001b[31mErr\u001b[0mor")], false);

  expect(matches(lines, "error")).toEqual([1]);
  expect(matches(lines, "")).toEqual([]);
});

test("a saved log is plain text with times", () => {
  const { lines } = withBlocks(emptyLog, [block(0, "\u001b[32mok\u001b[0m")], false);

  expect(asText(lines)).toBe("2023-11-14T22:13:20.000Z ok\n");
});

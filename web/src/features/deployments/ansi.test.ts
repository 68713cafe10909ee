// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parseAnsi } from "./ansi";

const spans = (line: string) => parseAnsi(line, {}).spans;

test("colours and weights are read and end where they end", () => {
  expect(spans("a \u001b[1;31mred\u001b[0m b")).toEqual([
    { text: "a ", style: {} },
    { text: "red", style: { bold: true, color: "#ff8f8f" } },
    { text: " b", style: {} },
  ]);
});

test("extended colours are read in both forms", () => {
  expect(spans("\u001b[38;5;196mx\u001b[48;2;1;2;3my").map(({ style }) => style)).toEqual([
    { color: "rgb(255, 0, 0)" },
    { color: "rgb(255, 0, 0)", background: "rgb(1, 2, 3)" },
  ]);
});

test("a colour that is not ended goes on in the next line", () => {
  expect(parseAnsi("more", parseAnsi("\u001b[32mgreen", {}).next).spans).toEqual([
    { text: "more", style: { color: "#7ddba0" } },
  ]);
});

test("other escapes and control characters leave no trace", () => {
  expect(spans("\u001b]0;title\u0007a\u001b[2Kb\u001b[?25l\u0008c\u0000")).toEqual([
    { text: "a", style: {} },
    { text: "b", style: {} },
    { text: "c", style: {} },
  ]);
});

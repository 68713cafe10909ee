// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { EventParser } from "./sse";

const stream =
  ': keep\r\n\r\nevent: hello\ndata: {"cursor":7}\n\nevent: change\nid: 8\ndata: {"a":\ndata: 1}\n\n';
const events = [
  { event: "hello", id: "", data: '{"cursor":7}' },
  { event: "change", id: "8", data: '{"a":\n1}' },
];

test("events are read and comments passed over", () => {
  expect(new EventParser().push(stream)).toEqual(events);
});

test("a chunk may end at any byte", () => {
  const parser = new EventParser();

  expect([...stream].flatMap((letter) => parser.push(letter))).toEqual(events);
});

test("an event that was cut off is not passed on", () => {
  expect(new EventParser().push('event: change\nid: 9\ndata: {"a":1}\n')).toEqual([]);
});

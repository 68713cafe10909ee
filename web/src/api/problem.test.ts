// SPDX-License-Identifier: Apache-2.0
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { isPassing, problemOf } from "./problem";

test("the server's words are kept and advice is added", () => {
  expect(problemOf(new ConnectError("stage: s1 (expected: running)", Code.FailedPrecondition))).toEqual({
    title: "Not possible any more",
    message: "stage: s1 (expected: running)",
    advice: "It has changed meanwhile. The page shows the current state.",
  });
});

test("the id of the request is kept, so that it can be quoted", () => {
  const error = new ConnectError("broken", Code.Internal, { "x-request-id": "0123456789abcdef" });

  expect(problemOf(error)?.requestId).toBe("0123456789abcdef");
});

test("every code has advice", () => {
  const codes = Object.values(Code).filter((code) => typeof code === "number");

  expect(codes.map((code) => problemOf(new ConnectError("x", code))?.advice).every(Boolean)).toBe(true);
});

test("only what can pass by itself is tried again", () => {
  expect(isPassing(new ConnectError("away", Code.Unavailable))).toBe(true);
  expect(isPassing(new ConnectError("no", Code.PermissionDenied))).toBe(false);
});

// SPDX-License-Identifier: Apache-2.0
import { beforeEach, expect, test } from "vitest";
import { errorOf, rememberWanted, takeWanted } from "./session";

beforeEach(() => sessionStorage.clear());

test("the error cookie is found among others and decoded", () => {
  expect(errorOf("a=1; error=wrong%20password; b=2")).toBe("wrong password");
  expect(errorOf('error="too many tries"')).toBe("too many tries");
  expect(errorOf("error=100%")).toBe("100%");
  expect(errorOf("a=1")).toBeUndefined();
});

test("the wanted page is given once", () => {
  rememberWanted("/deployments?status=running");

  expect([takeWanted(), takeWanted()]).toEqual(["/deployments?status=running", undefined]);
});

test("a login page or another site is never the page wanted", () => {
  rememberWanted("/login?project=x");
  expect(takeWanted()).toBeUndefined();

  sessionStorage.setItem("pipecd.wanted", "//evil.example");
  expect(takeWanted()).toBeUndefined();
});

// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { Piped_ConnectionStatus, PipedSchema } from "../../api/gen/model/piped_pb";
import { GetPipedHealthResponseSchema } from "../../api/gen/pipecd/health/v1/health_pb";
import { healthView, pipedList, pipedView } from "./piped";

test("agents are in the order of their names", () => {
  const named = (name: string) => create(PipedSchema, { id: name, name });

  expect(pipedList([named("prod"), named("dev")]).map(({ name }) => name)).toEqual(["dev", "prod"]);
});

test("a disabled agent says so, whether it is heard or not", () => {
  const heard = { status: Piped_ConnectionStatus.ONLINE };

  expect(pipedView(create(PipedSchema, heard)).word).toBe("Online");
  expect(pipedView(create(PipedSchema, { ...heard, disabled: true })).word).toBe("Disabled");
  expect(pipedView(create(PipedSchema, { status: Piped_ConnectionStatus.UNKNOWN })).word).toBe("Unknown");
});

test("what is not well comes first, then plugins", () => {
  const told = create(GetPipedHealthResponseSchema, {
    toldAt: 100n,
    parts: [
      { kind: "journal", name: "j", ok: true },
      { kind: "plugin", name: "wait", ok: true, detail: "ready" },
      { kind: "repository", name: "demo", ok: false, detail: "cannot be fetched", advice: "Look at it." },
      { kind: "somethingNew", name: "x", ok: true },
    ],
  });

  expect(healthView(told).parts.map(({ kind, name, word }) => `${kind} ${name}: ${word}`)).toEqual([
    "Repository demo: Not well",
    "Plugin wait: Well",
    "Journal j: Well",
    "somethingNew x: Well",
  ]);
});

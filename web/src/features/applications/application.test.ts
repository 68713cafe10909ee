// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ApplicationSchema, ApplicationSyncStatus } from "../../api/gen/model/application_pb";
import { CommandSchema, CommandStatus } from "../../api/gen/model/command_pb";
import { DeploymentSchema } from "../../api/gen/model/deployment_pb";
import { applicationList, recentDeployment, syncProgress, whyInSync, withName } from "./application";

const named = (name: string, deleted = false) => create(ApplicationSchema, { id: name, name, deleted });

test("deleted applications are not shown and the rest is in order", () => {
  expect(applicationList([named("b"), named("gone", true), named("a")]).map(({ name }) => name)).toEqual([
    "a",
    "b",
  ]);
});

test("a name is found by any part of it, whatever its case", () => {
  const all = applicationList([named("Shop"), named("site"), named("search")]);

  expect(withName(all, " SH").map(({ name }) => name)).toEqual(["Shop"]);
  expect(withName(all, "").length).toBe(3);
});

test("a disabled application says so instead of its last sync state", () => {
  const off = create(ApplicationSchema, {
    disabled: true,
    syncState: { status: ApplicationSyncStatus.SYNCED },
  });

  expect(applicationList([off])[0]?.sync.word).toBe("Disabled");
});

test("an order to sync is followed to its end", () => {
  const command = (status: CommandStatus, metadata = {}) => create(CommandSchema, { status, metadata });

  expect(syncProgress(false, undefined)).toEqual({ step: "none" });
  expect(syncProgress(true, undefined)).toEqual({ step: "waiting" });
  expect(syncProgress(true, command(CommandStatus.COMMAND_NOT_HANDLED_YET))).toEqual({ step: "waiting" });
  expect(
    syncProgress(true, command(CommandStatus.COMMAND_SUCCEEDED, { TriggeredDeploymentID: "d1" })),
  ).toEqual({
    step: "started",
    deploymentId: "d1",
  });
  expect(syncProgress(true, command(CommandStatus.COMMAND_SUCCEEDED))).toEqual({ step: "nothing" });
  expect(syncProgress(true, command(CommandStatus.COMMAND_TIMEOUT))).toMatchObject({ step: "failed" });
});

test("what the file says in vain is read off the deployment", () => {
  const deployment = create(DeploymentSchema, {
    metadataV2: { shared: { keyValues: { "pipecd/warnings": "app.pipecd.yaml:3:3: spec.x: ignored" } } },
  });

  expect(recentDeployment(deployment).warnings).toBe("app.pipecd.yaml:3:3: spec.x: ignored");
  expect(recentDeployment(create(DeploymentSchema)).warnings).toBe("");
});

test("why it is out of sync is told in short, and in full where that says more", () => {
  const why = (shortReason: string, reason: string, warnings = "") =>
    whyInSync({ word: "Out of sync", shortReason, reason, at: 0 }, warnings);

  expect(why("2 files differ", "a\nb")).toMatchObject({ short: "2 files differ", whole: "a\nb" });
  expect(why("", "one line")).toMatchObject({ short: "one line", whole: "" });
  expect(why("", "a\nb")).toMatchObject({ short: "a", whole: "a\nb" });
  expect(why("", "told above", "told above")).toMatchObject({ short: "", whole: "" });
});

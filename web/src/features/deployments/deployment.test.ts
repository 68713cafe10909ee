// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  DeploymentSchema,
  DeploymentStatus,
  ManualOperation,
  PipelineStageSchema,
  StageStatus,
} from "../../api/gen/model/deployment_pb";
import { deploymentView, stageOfInterest, statusOf } from "./deployment";
import { layOut, links } from "./graph";

type Stage = MessageInitShape<typeof PipelineStageSchema>;

function view(stages: Stage[], status = DeploymentStatus.DEPLOYMENT_RUNNING) {
  return deploymentView(create(DeploymentSchema, { id: "d1", status, stages, createdAt: 10n }));
}

const check: Stage = {
  id: "check",
  name: "CHECK",
  status: StageStatus.STAGE_SUCCESS,
  createdAt: 10n,
  completedAt: 15n,
};
const publish: Stage = { id: "publish", name: "PUBLISH", requires: ["check"], createdAt: 10n };
const undo: Stage = { id: "undo", name: "UNDO", rollback: true, createdAt: 10n };

test("a rollback stage is shown once it has started", () => {
  expect(view([check, publish, undo]).stages.map(({ name }) => name)).toEqual(["CHECK", "PUBLISH"]);

  const started = { ...undo, status: StageStatus.STAGE_RUNNING };
  expect(view([check, publish, started]).stages.map(({ name }) => name)).toEqual([
    "CHECK",
    "PUBLISH",
    "UNDO",
  ]);
});

test("a stage began when what it follows had ended", () => {
  const running = { ...publish, status: StageStatus.STAGE_RUNNING };

  expect(view([check, running]).stages.map(({ startedAt }) => startedAt)).toEqual([10, 15]);
});

test("a stage held back by a gate reads as waiting, with the reason", () => {
  const held = { ...publish, statusReason: "frozen until Monday" };

  expect(view([check, held]).stages[1]).toMatchObject({ word: "Waiting", reason: "frozen until Monday" });
});

test("only a running stage that offers it can be approved", () => {
  const offer = { ...publish, availableOperation: ManualOperation.APPROVE };

  expect(view([check, offer]).approvable).toEqual([]);
  expect(
    view([check, { ...offer, status: StageStatus.STAGE_RUNNING }]).approvable.map(({ id }) => id),
  ).toEqual(["publish"]);
});

test("the outcome is read from the shared metadata and an unknown one is left out", () => {
  const outcome = (value: string) =>
    deploymentView(
      create(DeploymentSchema, { metadataV2: { shared: { keyValues: { "pipecd/outcome": value } } } }),
    ).outcome;

  expect([outcome("PartlyRolledBack"), outcome("toString"), outcome("Else")]).toEqual([
    "Partly rolled back",
    undefined,
    undefined,
  ]);
});

test("the page opens at what runs, else what failed, else what ran last", () => {
  const of = (stages: Stage[]) => stageOfInterest(view(stages).stages)?.id;

  expect(of([check, { ...publish, status: StageStatus.STAGE_RUNNING }])).toBe("publish");
  expect(
    of([
      { ...check, status: StageStatus.STAGE_FAILURE },
      { ...undo, status: StageStatus.STAGE_SUCCESS },
    ]),
  ).toBe("check");
  expect(of([check, publish])).toBe("check");
});

test("what a stage wants to show is read, in whatever form it wrote it", () => {
  const notes = (metadata: Record<string, string>) => view([{ ...check, metadata }]).stages[0]?.notes;

  expect(
    notes({ "pipecd/stage-approved-users": "ann", "pipecd/stage-display-metadata": '{"Weight":"10%"}' }),
  ).toEqual([
    ["Approved by", "ann"],
    ["Weight", "10%"],
  ]);
  expect(notes({ "pipecd/stage-display-metadata": "plain words" })).toEqual([["Note", "plain words"]]);
});

test("a rollback hangs on the stage that failed", () => {
  const stages = view([
    check,
    { ...publish, status: StageStatus.STAGE_FAILURE },
    { ...undo, status: StageStatus.STAGE_RUNNING },
  ]).stages;

  expect(links(stages)).toEqual([
    { from: "check", to: "publish", rollback: false },
    { from: "publish", to: "undo", rollback: true },
  ]);
});

test("stages that follow one another stand side by side, those that run together above each other", () => {
  const { places } = layOut(view([check, publish, { ...publish, id: "notify" }]).stages);
  const [first, second, third] = places;

  expect(first && second && first.x < second.x).toBe(true);
  expect(second && third && second.x === third.x && second.y !== third.y).toBe(true);
});

test("a status in the address is understood, anything else means every status", () => {
  expect(statusOf("rolling-back")).toBe(DeploymentStatus.DEPLOYMENT_ROLLING_BACK);
  expect(statusOf("nonsense")).toBeUndefined();
});

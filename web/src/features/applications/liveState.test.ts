// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  ApplicationLiveStateSnapshot_Status as Status,
  ApplicationLiveStateSnapshotSchema,
  KubernetesResourceState_HealthStatus,
  ResourceState_HealthStatus as Health,
  type ResourceStateSchema,
} from "../../api/gen/model/application_live_state_pb";
import { liveStateView } from "./liveState";

type Resource = MessageInitShape<typeof ResourceStateSchema>;

const told = (resources: Resource[], healthStatus = Status.HEALTHY) =>
  liveStateView(
    create(ApplicationLiveStateSnapshotSchema, {
      healthStatus,
      version: { timestamp: 100n },
      applicationLiveState: { resources },
    }),
  );
const drawn = (view: ReturnType<typeof liveStateView>) =>
  view.targets.map(({ name, resources }) => [
    name,
    ...resources.map((each) => `${"-".repeat(each.depth)}${each.name}`),
  ]);

test("resources are a tree for each target of each plugin", () => {
  const on = (deployTarget: string, id: string, ...parentIds: string[]) => ({
    pluginName: "kubernetes",
    deployTarget,
    id,
    name: id,
    parentIds,
  });

  expect(
    drawn(
      told([
        on("prod", "pod-b", "set"),
        on("prod", "deployment"),
        on("dev", "pod-x", "set"),
        on("prod", "pod-a", "gone", "set"),
        on("prod", "set", "deployment"),
      ]),
    ),
  ).toEqual([
    ["kubernetes: dev", "pod-x"],
    ["kubernetes: prod", "deployment", "-set", "--pod-a", "--pod-b"],
  ]);
});

test("what hangs in a circle, or names itself, is shown once", () => {
  const each = (id: string, ...parentIds: string[]) => ({ id, name: id, parentIds });

  expect(drawn(told([each("b", "a"), each("a", "b"), each("self", "self")]))).toEqual([
    ["Resources", "self", "a", "-b"],
  ]);
});

test("a chain of any length is drawn", () => {
  const chain = Array.from({ length: 20_000 }, (_, n) => ({
    id: `${n}`,
    name: "x",
    parentIds: [`${n - 1}`],
  }));

  expect(told(chain).targets[0]?.resources.at(-1)?.depth).toBe(19_999);
});

test("a resource says what it is, where and how it does", () => {
  const view = told(
    [
      {
        id: "1",
        name: "web",
        resourceType: "Pod",
        resourceMetadata: { Namespace: "shop" },
        healthStatus: Health.UNHEALTHY,
        healthDescription: "the image cannot be pulled",
        createdAt: 5n,
        updatedAt: 6n,
      },
      { id: "2", name: "config", resourceMetadata: { Kind: "ConfigMap" }, healthStatus: 99 as Health },
    ],
    Status.UNHEALTHY,
  );

  expect(view).toMatchObject({ at: 100, health: "Unhealthy", count: 2, troubled: 1 });
  expect(view.targets[0]?.resources).toMatchObject([
    { kind: "ConfigMap", namespace: "", word: "Unknown" },
    {
      kind: "Pod",
      namespace: "shop",
      word: "Unhealthy",
      why: "the image cannot be pulled",
      createdAt: 5,
      updatedAt: 6,
    },
  ]);
});

test("what agents without plugins report is shown by platform", () => {
  const view = liveStateView(
    create(ApplicationLiveStateSnapshotSchema, {
      healthStatus: Status.OTHER,
      version: { timestamp: 7n },
      kubernetes: {
        resources: [
          { id: "1", name: "web", kind: "Deployment", namespace: "shop" },
          {
            id: "2",
            name: "web-1",
            kind: "Pod",
            namespace: "shop",
            parentIds: ["1"],
            healthStatus: KubernetesResourceState_HealthStatus.OTHER,
          },
        ],
      },
    }),
  );

  expect(view).toMatchObject({ health: "Not healthy", troubled: 1 });
  expect(drawn(view)).toEqual([["Kubernetes", "web", "-web-1"]]);
  expect(view.targets[0]?.resources[1]).toMatchObject({ namespace: "shop", word: "Not healthy" });
});

test("what nobody reported is nothing as of never", () => {
  expect(liveStateView(null)).toEqual({ at: 0, health: "Unknown", count: 0, troubled: 0, targets: [] });
});

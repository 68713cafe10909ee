// SPDX-License-Identifier: Apache-2.0
import {
  ResourceState_HealthStatus,
  type ApplicationLiveStateSnapshot,
  type ResourceState,
} from "../../api/gen/model/application_live_state_pb";
import { healthWord } from "../../api/words";

export type LiveStateView = ReturnType<typeof liveStateView>;
export type TargetView = LiveStateView["targets"][number];
export type ResourceView = Resource & { depth: number };

type Resource = {
  id: string;
  parents: string[];
  name: string;
  kind: string;
  namespace: string;
  word: ReturnType<typeof healthWord>;
  why: string;
  createdAt: number;
  updatedAt: number;
};

/** What runs, target by target; of an application nobody has reported, nothing as of never. */
export function liveStateView(snapshot: ApplicationLiveStateSnapshot | null) {
  const targets = snapshot ? [...ofPlugins(snapshot), ...ofPlatforms(snapshot)] : [];
  const all = targets.flatMap(({ resources }) => resources);
  return {
    at: Number(snapshot?.version?.timestamp ?? 0n),
    health: healthWord(snapshot?.healthStatus ?? 0),
    count: all.length,
    troubled: all.filter(({ word }) => word === "Unhealthy" || word === "Not healthy").length,
    targets,
  };
}

function ofPlugins({ applicationLiveState }: ApplicationLiveStateSnapshot) {
  const byTarget = grouped(applicationLiveState?.resources ?? [], ({ pluginName, deployTarget }) =>
    [pluginName, deployTarget].filter(Boolean).join(": "),
  );
  return [...byTarget]
    .map(([name, resources]) => ({ name: name || "Resources", resources: tree(resources.map(resource)) }))
    .sort((one, other) => one.name.localeCompare(other.name));
}

function resource(told: ResourceState): Resource {
  const noted = (name: string) =>
    Object.entries(told.resourceMetadata).find(([key]) => key.toLowerCase() === name)?.[1] ?? "";
  return {
    id: told.id,
    parents: told.parentIds,
    name: told.name,
    kind: told.resourceType || noted("kind"),
    namespace: noted("namespace"),
    word: resourceWord(told.healthStatus),
    why: told.healthDescription,
    createdAt: Number(told.createdAt),
    updatedAt: Number(told.updatedAt),
  };
}

function resourceWord(status: ResourceState_HealthStatus) {
  switch (status) {
    case ResourceState_HealthStatus.HEALTHY:
      return "Healthy";
    case ResourceState_HealthStatus.UNHEALTHY:
      return "Unhealthy";
    default:
      return "Unknown";
  }
}

/** What agents of before there were plugins report, by platform; each has words of its own for the same. */
type OlderResource = {
  id: string;
  parentIds: string[];
  name: string;
  kind: string;
  namespace?: string;
  healthStatus: number;
  healthDescription: string;
  createdAt: bigint;
  updatedAt: bigint;
};

function ofPlatforms({ kubernetes, cloudrun, ecs, lambda }: ApplicationLiveStateSnapshot) {
  const platforms: [string, OlderResource[] | undefined][] = [
    ["Kubernetes", kubernetes?.resources],
    ["Cloud Run", cloudrun?.resources],
    ["ECS", ecs?.resources],
    ["Lambda", lambda?.resources],
  ];
  return platforms.flatMap(([name, told]) =>
    told?.length ? [{ name, resources: tree(told.map(olderResource)) }] : [],
  );
}

function olderResource(told: OlderResource): Resource {
  return {
    id: told.id,
    parents: told.parentIds,
    name: told.name,
    kind: told.kind,
    namespace: told.namespace ?? "",
    word: healthWord(told.healthStatus),
    why: told.healthDescription,
    createdAt: Number(told.createdAt),
    updatedAt: Number(told.updatedAt),
  };
}

/** Each below the first of its parents that is there; what only hangs in a circle comes last, each once. */
function tree(resources: Resource[]): ResourceView[] {
  const known = new Set(resources.map(({ id }) => id));
  const sorted = [...resources].sort(
    (one, other) => one.kind.localeCompare(other.kind) || one.name.localeCompare(other.name),
  );
  const children = grouped(sorted, ({ id, parents }) =>
    parents.find((parent) => parent !== id && known.has(parent)),
  );
  const rows: ResourceView[] = [];
  const placed = new Set<Resource>();
  // The next one last, so that a chain of any length needs no deep stack.
  const open = [...(children.get(undefined) ?? []), ...sorted].map((root) => ({ root, depth: 0 })).reverse();
  for (let next = open.pop(); next; next = open.pop()) {
    const { root, depth } = next;
    if (placed.has(root)) continue;
    placed.add(root);
    rows.push({ ...root, depth });
    const below = children.get(root.id) ?? [];
    open.push(...below.map((child) => ({ root: child, depth: depth + 1 })).reverse());
  }
  return rows;
}

function grouped<T, K>(all: T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}

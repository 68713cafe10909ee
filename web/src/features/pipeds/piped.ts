// SPDX-License-Identifier: Apache-2.0
import type { GetPipedHealthResponse } from "../../api/gen/pipecd/health/v1/health_pb";
import { Piped_ConnectionStatus, type Piped } from "../../api/gen/model/piped_pb";

export type PipedView = ReturnType<typeof pipedView>;
export type HealthView = ReturnType<typeof healthView>;
export type HealthPart = HealthView["parts"][number];

export function pipedView(piped: Piped) {
  return {
    id: piped.id,
    name: piped.name,
    description: piped.desc,
    version: piped.version,
    word: word(piped),
    startedAt: Number(piped.startedAt),
    repositories: piped.repositories.map(({ id, branch }) => `${id} (${branch})`),
    plugins: piped.plugins.map(({ name, deployTargets }) =>
      deployTargets.length === 0 ? name : `${name}: ${deployTargets.join(", ")}`,
    ),
  };
}

function word({ disabled, status }: Piped) {
  if (disabled) return "Disabled" as const;
  switch (status) {
    case Piped_ConnectionStatus.ONLINE:
      return "Online" as const;
    case Piped_ConnectionStatus.OFFLINE:
      return "Offline" as const;
    default:
      return "Unknown" as const;
  }
}

export function pipedList(pipeds: Piped[]): PipedView[] {
  return pipeds.map(pipedView).sort((one, other) => one.name.localeCompare(other.name));
}

const kinds: Record<string, string> = {
  plugin: "Plugin",
  missingPlugin: "Missing plugin",
  repository: "Repository",
  journal: "Journal",
  deployment: "Deployment",
  parkedReport: "Refused report",
  lease: "Lease",
};

/** What is not well comes first, then what people look for first: plugins. */
export function healthView({ toldAt, parts }: GetPipedHealthResponse) {
  const order = Object.keys(kinds);
  return {
    toldAt: Number(toldAt),
    parts: parts
      .map(({ kind, name, ok, detail, advice }) => ({
        key: `${kind} ${name}`,
        kind: kinds[kind] ?? kind,
        place: order.includes(kind) ? order.indexOf(kind) : order.length,
        name,
        word: ok ? ("Well" as const) : ("Not well" as const),
        detail,
        advice,
      }))
      .sort(
        (one, other) =>
          Number(one.word === "Well") - Number(other.word === "Well") ||
          one.place - other.place ||
          one.name.localeCompare(other.name),
      ),
  };
}

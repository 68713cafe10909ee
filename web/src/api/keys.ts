// SPDX-License-Identifier: Apache-2.0
// Names of what is held in the query cache; a change from the server names the same things.
export const keys = {
  session: ["session"] as const,
  applications: ["applications"] as const,
  application: (id: string) => ["application", id] as const,
  liveState: (applicationId: string) => ["live-state", applicationId] as const,
  deployments: ["deployments"] as const,
  deploymentPages: (filter: DeploymentFilter) => ["deployments", filter] as const,
  deployment: (id: string) => ["deployment", id] as const,
  stageLog: (deploymentId: string, stageId: string) => ["stage-log", deploymentId, stageId] as const,
  pipeds: ["pipeds"] as const,
  piped: (id: string) => ["piped", id] as const,
  pipedHealth: (id: string) => ["piped-health", id] as const,
  command: (id: string) => ["command", id] as const,
};

export type DeploymentFilter = {
  status?: number | undefined;
  applicationId?: string | undefined;
  pageSize: number;
};

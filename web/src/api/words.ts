// SPDX-License-Identifier: Apache-2.0
import { ApplicationLiveStateSnapshot_Status } from "./gen/model/application_live_state_pb";
import { ApplicationSyncStatus } from "./gen/model/application_pb";
import { DeploymentStatus, StageStatus } from "./gen/model/deployment_pb";

// The words of the product for the server's numbers. A number this page does not know yet reads "Unknown".

export const deploymentWords = {
  [DeploymentStatus.DEPLOYMENT_PENDING]: "Pending",
  [DeploymentStatus.DEPLOYMENT_PLANNED]: "Planned",
  [DeploymentStatus.DEPLOYMENT_RUNNING]: "Running",
  [DeploymentStatus.DEPLOYMENT_ROLLING_BACK]: "Rolling back",
  [DeploymentStatus.DEPLOYMENT_SUCCESS]: "Success",
  [DeploymentStatus.DEPLOYMENT_FAILURE]: "Failure",
  [DeploymentStatus.DEPLOYMENT_CANCELLED]: "Cancelled",
} as const;

const stageWords = {
  [StageStatus.STAGE_NOT_STARTED_YET]: "Not started",
  [StageStatus.STAGE_RUNNING]: "Running",
  [StageStatus.STAGE_SUCCESS]: "Success",
  [StageStatus.STAGE_FAILURE]: "Failure",
  [StageStatus.STAGE_CANCELLED]: "Cancelled",
  [StageStatus.STAGE_SKIPPED]: "Skipped",
  [StageStatus.STAGE_EXITED]: "Exited",
} as const;

const syncWords = {
  [ApplicationSyncStatus.UNKNOWN]: "Unknown",
  [ApplicationSyncStatus.SYNCED]: "Synced",
  [ApplicationSyncStatus.DEPLOYING]: "Deploying",
  [ApplicationSyncStatus.OUT_OF_SYNC]: "Out of sync",
  [ApplicationSyncStatus.INVALID_CONFIG]: "Invalid config",
} as const;

const healthWords = {
  [ApplicationLiveStateSnapshot_Status.UNKNOWN]: "Unknown",
  [ApplicationLiveStateSnapshot_Status.HEALTHY]: "Healthy",
  [ApplicationLiveStateSnapshot_Status.OTHER]: "Not healthy",
  [ApplicationLiveStateSnapshot_Status.UNHEALTHY]: "Unhealthy",
} as const;

const outcomeWords = {
  Succeeded: "Succeeded",
  RolledBack: "Rolled back",
  PartlyRolledBack: "Partly rolled back",
  RollbackFailed: "Rollback failed",
  Failed: "Failed",
  Cancelled: "Cancelled",
  TimedOut: "Timed out",
  Superseded: "Superseded",
  Lost: "Lost",
} as const;

export function deploymentWord(status: DeploymentStatus) {
  return deploymentWords[status] ?? "Unknown";
}

export function stageWord(status: StageStatus) {
  return stageWords[status] ?? "Unknown";
}

export function syncWord(status: ApplicationSyncStatus) {
  return syncWords[status] ?? "Unknown";
}

export function healthWord(status: ApplicationLiveStateSnapshot_Status) {
  return healthWords[status] ?? "Unknown";
}

/** How a deployment truly ended, finer than its status; absent while it runs and from older agents. */
export function outcomeWord(shared: Record<string, string> | undefined) {
  const outcome = shared?.["pipecd/outcome"];
  return outcome !== undefined && Object.hasOwn(outcomeWords, outcome)
    ? outcomeWords[outcome as keyof typeof outcomeWords]
    : undefined;
}

export function firstLine(message: string): string {
  return message.split("\n", 1)[0] ?? "";
}

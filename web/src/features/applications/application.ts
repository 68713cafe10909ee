// SPDX-License-Identifier: Apache-2.0
import type { Application } from "../../api/gen/model/application_pb";
import { CommandStatus, type Command } from "../../api/gen/model/command_pb";
import type { Deployment } from "../../api/gen/model/deployment_pb";
import { deploymentWord, firstLine, outcomeWord, syncWord } from "../../api/words";

export type ApplicationView = ReturnType<typeof applicationView>;

export function applicationView(application: Application) {
  const latest = application.mostRecentlyTriggeredDeployment;
  const commit = latest?.trigger?.commit;
  return {
    id: application.id,
    name: application.name,
    pipedId: application.pipedId,
    description: application.description,
    labels: application.labels,
    disabled: application.disabled,
    sync: {
      word: application.disabled ? ("Disabled" as const) : syncWord(application.syncState?.status ?? 0),
      shortReason: application.syncState?.shortReason ?? "",
      reason: application.syncState?.reason ?? "",
      at: Number(application.syncState?.timestamp ?? 0n),
    },
    git: {
      repo: application.gitPath?.repo?.id ?? "",
      remote: application.gitPath?.repo?.remote ?? "",
      branch: application.gitPath?.repo?.branch ?? "",
      path: application.gitPath?.path ?? "",
      configFile: application.gitPath?.configFilename || "app.pipecd.yaml",
    },
    targets: Object.entries(application.deployTargetsByPlugin).map(
      ([plugin, { deployTargets }]) => `${plugin}: ${deployTargets.join(", ")}`,
    ),
    latest:
      latest && commit
        ? {
            id: latest.deploymentId,
            hash: commit.hash,
            title: firstLine(commit.message),
            author: commit.author,
            startedAt: Number(latest.startedAt || latest.trigger?.timestamp || 0n),
          }
        : undefined,
    updatedAt: Number(application.updatedAt),
  };
}

/** Why it is in sync or not: in short, and in full where that says more and is not told elsewhere on the page. */
export function whyInSync({ word, shortReason, reason }: ApplicationView["sync"], warnings: string) {
  const told = reason === warnings || word === "Invalid config";
  const short = shortReason || (told ? "" : firstLine(reason));
  return { word, short, whole: told || reason === short ? "" : reason };
}

/** The applications a person looks for, by name. */
export function applicationList(applications: Application[]): ApplicationView[] {
  return applications
    .filter((application) => !application.deleted)
    .map(applicationView)
    .sort((one, other) => one.name.localeCompare(other.name));
}

export function withName(applications: ApplicationView[], name: string): ApplicationView[] {
  const wanted = name.trim().toLowerCase();
  return applications.filter((application) => application.name.toLowerCase().includes(wanted));
}

export type RecentDeployment = ReturnType<typeof recentDeployment>;

export function recentDeployment(deployment: Deployment) {
  return {
    id: deployment.id,
    word: deploymentWord(deployment.status),
    outcome: outcomeWord(deployment.metadataV2?.shared?.keyValues),
    hash: deployment.trigger?.commit?.hash ?? "",
    title: firstLine(deployment.trigger?.commit?.message ?? ""),
    at: Number(deployment.createdAt),
    /** What the application's file says in vain, a line each. */
    warnings: deployment.metadataV2?.shared?.keyValues["pipecd/warnings"] ?? "",
  };
}

/** How an order to sync is getting on. */
export type SyncProgress =
  | { step: "none" }
  | { step: "waiting" }
  | { step: "started"; deploymentId: string }
  | { step: "nothing" }
  | { step: "failed"; why: string };

export function syncProgress(ordered: boolean, command: Command | undefined): SyncProgress {
  if (!ordered) return { step: "none" };
  if (!command) return { step: "waiting" };
  const deploymentId = command.metadata["TriggeredDeploymentID"];
  if (deploymentId) return { step: "started", deploymentId };
  switch (command.status) {
    case CommandStatus.COMMAND_NOT_HANDLED_YET:
      return { step: "waiting" };
    case CommandStatus.COMMAND_SUCCEEDED:
      return { step: "nothing" };
    case CommandStatus.COMMAND_TIMEOUT:
      return { step: "failed", why: "The agent did not take the order in time." };
    case CommandStatus.COMMAND_FAILED:
      return { step: "failed", why: "The agent could not carry the order out." };
  }
}
